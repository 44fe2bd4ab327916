/**
 * This module shares out the work on an array: who does the shares and how large they are. A share is a task
 * on a part of the arrays. Workers do shares of arrays in shared memory, which they read and write where they
 * are; of any other array a worker could only have a copy, which takes as long as the work, so that the main
 * thread does it. The main thread also does it while all workers are at a search, whose tasks take longer
 * than most arrays. Results never depend on who did what, or on the sizes.
 */
import { ceilDiv, clamp, roundUp } from "../../core/math.ts";
import { settleAll } from "../../core/async/settleAll.ts";
import type { Address } from "./buffers.ts";
import { Yielder } from "../../core/async/yielding.ts";
import type { CpuContext } from "./kernel.ts";
import type { ArrayTask } from "./task.ts";
import { arrayTuning, tuned } from "./tuning.ts";

/**
 * Each worker has so many shares: more than one, so that all end at about the same time; each costs a message
 * and its answer.
 */
const SHARES_PER_WORKER = 2;
/** A share of the main thread has so many elements, which take it a few milliseconds. */
const LOCAL_SHARE = 2 ** 20;

/** Says whether workers, if there are at least `fewest`, can and should work on arrays at those places. */
export function mayShare(
  elements: number,
  places: readonly Address[],
  { workers, shared, threads, tuning, pool }: CpuContext,
  fewest = 2,
): boolean {
  if (workers === "none" || !shared || threads < fewest || pool.declines) return false;
  const mustPay = workers === "brief" && !pool.isRunning;
  const { startElements, sharedElements } = tuned(arrayTuning, tuning);
  if (elements < (mustPay ? startElements : sharedElements)) return false;
  return places.every(({ buffer }) => buffer instanceof SharedArrayBuffer);
}

/**
 * Returns how many workers it takes to make it pay to read an array twice, where reading is most of the work.
 */
export function workersForTwoPasses({ tuning }: CpuContext): number {
  return tuned(arrayTuning, tuning).workersForTwoPasses;
}

type Cutting = Pick<CpuContext, "threads" | "tuning">;

function shareElements(elements: number, { threads, tuning }: Cutting): number {
  const { fewestShareElements, mostShareElements } = tuned(arrayTuning, tuning);
  return clamp(ceilDiv(elements, SHARES_PER_WORKER * threads), fewestShareElements, mostShareElements);
}

/** Cuts [0, count) into shares for workers; all but the last have a multiple of `step` elements. */
export function cutElements(
  count: number,
  step: number,
  cutting: Cutting,
): (readonly [begin: number, end: number])[] {
  const size = roundUp(shareElements(count, cutting), step);
  return Array.from({ length: ceilDiv(count, size) }, (_, i) => [i * size, Math.min((i + 1) * size, count)]);
}

/** This is some whole rows of a matrix, or some columns of one row. */
export interface RowShare {
  readonly row: number;
  readonly rows: number;
  readonly column: number;
  readonly cols: number;
}

/**
 * Cuts a matrix into shares, in the order of its elements: for workers, or else for the main thread.
 * @param step columns of shares of a long row, but for its last, are a multiple of this
 * @param mostRows rows of a share at most, but for one, since each has results of its own
 */
export function cutRows(
  { rows, cols }: { readonly rows: number; readonly cols: number },
  step: number,
  mostRows: number,
  workers: boolean,
  cutting: Cutting,
): RowShare[] {
  const size = workers ? shareElements(rows * cols, cutting) : LOCAL_SHARE;
  const shares: RowShare[] = [];
  if (cols > size) {
    const width = roundUp(size, step);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < cols; column += width) {
        shares.push({ row, rows: 1, column, cols: Math.min(width, cols - column) });
      }
    }
    return shares;
  }
  const several = clamp(mostRows, 1, Math.floor(size / Math.max(cols, 1)));
  for (let row = 0; row < rows; row += several) {
    shares.push({ row, rows: Math.min(several, rows - row), column: 0, cols });
  }
  return shares;
}

/** It has the shares of one task: what each is asked, in order. */
export interface Work<Request, Result, Kernels> {
  readonly task: ArrayTask<Request, Result, Kernels>;
  readonly requests: readonly Request[];
  /** Makes what a worker is sent, when it begins; default the request. */
  readonly toSend?: (request: Request) => Request;
  /** Results are long and written to shared memory; see CpuMachine. */
  readonly writes?: boolean;
  /** All shares together are this part of the step; default all of it. */
  readonly portion?: number;
}

/** Takes each share's result, in any order. */
type TakeShare<Result> = (result: Result, share: number) => void;

/**
 * Has workers do the shares; a share that no worker takes is done here. Rejects with the first error; shares
 * that have begun are waited for in any case.
 */
export async function shareOut<Request, Result, Kernels>(
  work: Work<Request, Result, Kernels>,
  context: CpuContext,
  take: TakeShare<Result>,
): Promise<void> {
  const { pool, threads, signal } = context;
  const { task, requests, toSend = (request) => request } = work;
  const here = new Here(work, context);
  const done = reporting(work, context, take);
  let next = 0;
  // Two for each worker, so that the next share is there when one has ended.
  const lane = async (failed: AbortSignal): Promise<void> => {
    for (let share = next++; share < requests.length; share = next++) {
      const request = requests[share];
      const answer = await pool.offer(task, () => ({ request: toSend(request) }), signal, failed);
      done(answer ? answer.result : await here.do(request), share);
    }
  };
  const lanes = Array.from({ length: Math.min(2 * threads, requests.length) }, () => lane);
  await settleAll(lanes, signal);
}

/** Does shares on the main thread, in their order. */
export async function doHere<Request, Result, Kernels>(
  work: Work<Request, Result, Kernels>,
  context: CpuContext,
  take: TakeShare<Result>,
): Promise<void> {
  const here = new Here(work, context);
  const done = reporting(work, context, take);
  for (const [share, request] of work.requests.entries()) done(await here.do(request), share);
}

function reporting<Request, Result, Kernels>(
  { requests, portion = 1 }: Work<Request, Result, Kernels>,
  { onTask }: CpuContext,
  take: TakeShare<Result>,
): TakeShare<Result> {
  return (result, share) => {
    take(result, share);
    onTask(portion / requests.length, 0);
  };
}

/** Does shares on the main thread. */
class Here<Request, Result, Kernels> {
  readonly #work: Work<Request, Result, Kernels>;
  readonly #context: CpuContext;
  readonly #yielder: Yielder;

  constructor(work: Work<Request, Result, Kernels>, context: CpuContext) {
    this.#work = work;
    this.#context = context;
    this.#yielder = new Yielder(context.signal);
  }

  async do(request: Request): Promise<Result> {
    const { task, writes } = this.#work;
    const wasm = await this.#context.local<Kernels>(writes ? "writes" : "reads");
    if (this.#yielder.due) await this.#yielder.next();
    return task.work(request, wasm);
  }
}
