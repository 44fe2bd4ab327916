/**
 * Shares of the work on an array: who does them and how large they are. A share is a task on a part of the arrays. Workers do
 * shares of arrays in shared memory, which they read and write where they are; of any other array a worker could only have a copy,
 * which takes as long as the work, so that the main thread does it. Results never depend on who did what, or on the sizes.
 */
import { ceilDiv, clamp, roundUp } from "../core/math.ts";
import type { ArrayWasm } from "./arrayWasm.ts";
import type { Place } from "./buffers.ts";
import { Turns } from "../core/turns.ts";
import type { ArrayTaskKind, Tasks } from "./protocol.ts";
import type { RunContext } from "./runners.ts";

/** More than one share for each worker, so that all end at about the same time; each costs a message and its answer. */
const SHARES_PER_WORKER = 2;
/** Elements of a share on the main thread: a few milliseconds. */
const LOCAL_SHARE = 2 ** 20;

/** Whether workers, if there are at least `fewest`, can and should work on arrays at those places. */
export function mayShare(
  elements: number,
  places: readonly Place[],
  { shared, threads, tuning }: Pick<RunContext, "shared" | "threads" | "tuning">,
  fewest = 2,
): boolean {
  if (!shared || threads < fewest || elements < tuning.sharedElements) return false;
  return places.every(({ buffer }) => buffer instanceof SharedArrayBuffer);
}

type Cutting = Pick<RunContext, "threads" | "tuning">;

function shareElements(elements: number, { threads, tuning }: Cutting): number {
  const { fewestShareElements, mostShareElements } = tuning;
  return clamp(ceilDiv(elements, SHARES_PER_WORKER * threads), fewestShareElements, mostShareElements);
}

/** [0, count) in shares for workers; all but the last have a multiple of `step` elements. */
export function cutElements(
  count: number,
  step: number,
  cutting: Cutting,
): (readonly [begin: number, end: number])[] {
  const size = roundUp(shareElements(count, cutting), step);
  return Array.from({ length: ceilDiv(count, size) }, (_, i) => [i * size, Math.min((i + 1) * size, count)]);
}

/** Some whole rows of a matrix, or some columns of one row. */
export interface RowShare {
  readonly row: number;
  readonly rows: number;
  readonly column: number;
  readonly cols: number;
}

/**
 * Shares of a matrix, in the order of its elements: for workers, or else for the main thread.
 * @param step columns of shares of a long row, but for its last, are a multiple of this
 * @param mostRows rows of a share at most, but for one, since results wait until they are collected
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

/** Shares of a kind: what each is asked, in order, and how the main thread would do one. */
export interface Work<Kind extends ArrayTaskKind> {
  readonly kind: Kind;
  readonly requests: readonly Tasks[Kind]["request"][];
  readonly task: (request: Tasks[Kind]["request"], wasm: ArrayWasm) => Tasks[Kind]["result"];
  /** The part of the step that all of them are; default all of it. */
  readonly portion?: number;
}

/**
 * Has shares done, by workers or else here, and gives each result to `take`, in any order. Rejects with the first error; shares that
 * have begun are waited for in any case.
 */
export async function eachShare<Kind extends ArrayTaskKind>(
  work: Work<Kind>,
  workers: boolean,
  context: RunContext,
  take: (result: Tasks[Kind]["result"], share: number) => void,
): Promise<void> {
  const { signal, onTask } = context;
  const { requests, portion = 1 } = work;
  const done = (result: Tasks[Kind]["result"], share: number): void => {
    take(result, share);
    onTask(portion / requests.length, 0);
  };
  if (workers) return inWorkers(work, context, done);
  const wasm = await context.local("reads");
  const turns = new Turns(signal);
  for (const [share, request] of requests.entries()) {
    if (turns.due) await turns.next();
    done(work.task(request, wasm), share);
  }
}

/** Few at a time are with the pool, whose queue is looked through whenever a task begins. */
async function inWorkers<Kind extends ArrayTaskKind>(
  { kind, requests }: Work<Kind>,
  { pool, threads, signal }: RunContext,
  done: (result: Tasks[Kind]["result"], share: number) => void,
): Promise<void> {
  const failed = new AbortController();
  let next = 0;
  const lanes = Array.from({ length: Math.min(2 * threads, requests.length) }, async () => {
    try {
      for (let share = next++; share < requests.length; share = next++) {
        const request = requests[share];
        done(await pool.run(kind, () => ({ request }), signal, failed.signal), share);
      }
    } catch (error) {
      failed.abort(error);
      throw error;
    }
  });
  const outcomes = await Promise.allSettled(lanes);
  signal.throwIfAborted();
  if (outcomes.some(({ status }) => status === "rejected")) throw failed.signal.reason;
}
