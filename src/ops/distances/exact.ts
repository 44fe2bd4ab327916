/**
 * This counts distances by their float64 definition, block by block: in workers where there are some and the
 * work is worth it, else on the main thread in pieces. A range that distances decide is found first. The
 * distances are kept meanwhile where there is room for those of one query at least, else they are evaluated
 * twice.
 */
import { runYielding } from "../../core/async/yielding.ts";
import { settleAll } from "../../core/async/settleAll.ts";
import { OutOfMemoryError } from "../../core/errors.ts";
import { spans, type Span } from "../../core/math.ts";
import type { Matrix } from "../../core/matrix.ts";
import { resolveMetric } from "../../distance/anyMetric.ts";
import { halved } from "../../runtime/recovery.ts";
import { canShare } from "../../runtime/cpu/buffers.ts";
import { retried } from "../../runtime/cpu/retried.ts";
import type { Workers } from "../../runtime/cpu/workers.ts";
import { binsOfQueries } from "./bins.ts";
import type { Bins } from "./counting.ts";
import {
  distancesTask,
  OUTSIDE,
  steps,
  type BlockRows,
  type DistancesResult,
  type DistancesTask,
  type TaskStep,
} from "./contract.ts";
import { bytesOf, cutFor, type BlockCut } from "./cut.ts";
import { coreOf } from "./kernels.ts";
import type { DistanceBuffer, DistancesTuning } from "./options.ts";
import { workOnBlock } from "./cpu.ts";
import { mergeRange } from "./tally.ts";

/** A caller gives the rows whose distances to count, and the arrays to count in. */
export interface ExactCount {
  readonly rows: BlockRows;
  /**
   * Query 0 is itself the row of train at this place, query 1 the row after it. Undefined leaves out none.
   */
  readonly self: number | undefined;
  readonly binCount: number;
  /** These are the bins where no distance decides them. */
  readonly known: Bins | undefined;
  /**
   * Makes the bins of the ranges of all queries that are known by now, [queries][2]. Undefined asks for
   * nothing but the ranges.
   */
  readonly binsFrom: ((ranges: Float64Array) => Bins) | undefined;
  /** Says whether the ranges of all queries decide the bins of each. */
  readonly allTogether: boolean;
  readonly counts: Uint32Array;
  /** Each query gets its numbers below, above and NaN, [queries][OUTSIDE]. */
  readonly outside: Uint32Array;
  /** Each query gets its least and its largest finite distance, [queries][2]. */
  readonly ranges: Float64Array;
  readonly budget: number;
  readonly tuning: DistancesTuning;
  readonly signal: AbortSignal | undefined;
  /** Hears the share of the work that is done. */
  readonly onShare: (share: number) => void;
}

export interface Executed {
  readonly passes: "once" | "kept" | "twice";
  readonly evaluated: number;
  /** This many distances were counted in float32. */
  readonly settled: number;
  readonly tasks: number;
  readonly halved: number;
  readonly lost: number;
  readonly buffers: readonly DistanceBuffer[];
  /** Each step took this many milliseconds, of all threads together. */
  readonly times: Readonly<Record<TaskStep, number>>;
  /** Says whether the WASM module evaluated the metric. */
  readonly isFast: boolean;
}

/** A block has the pairs of these queries and these rows of train, by their places. */
interface PairBlock {
  readonly queries: Span;
  readonly rows: Span;
}

/** Queries find their own range in tasks that have all rows, and are counted by it at once. */
const OWN = "own";

type BlockWork = Pick<DistancesTask, "bins" | "keeps"> & { readonly kept?: Float64Array | undefined };

/**
 * Counts the distances, in workers if there are any.
 * @param workers undefined where the main thread does the work
 */
export async function countExactly(count: ExactCount, workers: Workers | undefined): Promise<Executed> {
  return new Counting(count, workers).run();
}

class Counting {
  readonly #count: ExactCount;
  readonly #workers: Workers | undefined;
  /** All threads see these rows of train, where there is room for them in shared memory. */
  readonly #shared: Matrix | undefined;
  readonly #isFast: boolean;
  #cut: BlockCut;
  #budget: number;
  #evaluated = 0;
  #settled = 0;
  #tasks = 0;
  #halved = 0;
  #lost = 0;
  #buffers: readonly DistanceBuffer[] = [];
  readonly #times = { pack: 0, evaluate: 0, range: 0, count: 0 };
  #done = 0;
  #passes: Executed["passes"] = "once";

  constructor(count: ExactCount, workers: Workers | undefined) {
    this.#count = count;
    this.#workers = workers;
    this.#budget = count.budget;
    this.#shared = workers && sharedCopy(count.rows.train, count.budget * SHARED_SHARE);
    const metric = resolveMetric(count.rows.options, count.rows.fitted);
    this.#isFast = workers !== undefined && coreOf(metric) !== undefined;
    this.#cut = this.#cutIn(count.budget);
  }

  async run(): Promise<Executed> {
    const { known, allTogether, rows, binsFrom, ranges } = this.#count;
    const all = rows.queries.rows;
    if (known) await this.#slabs((slab) => this.#countIn(slab, known, []));
    else if (!binsFrom) await this.#slabs(async (slab) => void (await this.#rangesOf(slab, false)));
    else if (allTogether && !(this.#cut.keeps && this.#cut.slab >= all)) {
      this.#passes = "twice";
      await this.#slabs(async (slab) => void (await this.#rangesOf(slab, false)));
      const bins = binsFrom(ranges);
      await this.#slabs((slab) => this.#countIn(slab, bins, []));
    } else {
      this.#passes = "kept";
      await this.#slabs(async (slab) => {
        if (this.#cut.whole) return this.#countIn(slab, OWN, []);
        if (!this.#cut.keeps) this.#passes = "twice";
        const kept = await this.#rangesOf(slab, this.#cut.keeps);
        await this.#countIn(slab, binsFrom(ranges), kept);
      });
    }
    return {
      passes: this.#passes,
      evaluated: this.#evaluated,
      settled: this.#settled,
      tasks: this.#tasks,
      halved: this.#halved,
      lost: this.#lost,
      buffers: this.#buffers,
      times: this.#times,
      isFast: this.#isFast,
    };
  }

  #cutIn(budget: number): BlockCut {
    const { rows, binCount, known, binsFrom, allTogether, tuning } = this.#count;
    const threads = this.#workers?.threads ?? 1;
    const decides = known || !binsFrom ? "none" : allTogether ? "all" : "each";
    return cutFor({ ...rows, binCount, decides, isFast: this.#isFast, budget, threads, tuning });
  }

  /**
   * Does some work for all queries, slab by slab; where memory runs out, with half the budget from there on.
   */
  async #slabs(work: (slab: Span) => Promise<void>): Promise<void> {
    const { rows } = this.#count;
    for (let begin = 0; begin < rows.queries.rows;) {
      const slab = { begin, end: Math.min(begin + this.#cut.slab, rows.queries.rows) };
      this.#hold(this.#cut.buffers);
      const done = this.#done;
      try {
        await work(slab);
        begin = slab.end;
      } catch (error) {
        if (!(error instanceof OutOfMemoryError)) throw error;
        this.#done = done;
        this.#cut = halved(error, "tiles", this.#halved, () => this.#cutIn((this.#budget /= 2)));
        this.#halved++;
      }
    }
  }

  /** Finds the ranges of some queries. @returns their distances, block by block, where they are kept */
  async #rangesOf(slab: Span, keeps: boolean): Promise<(Float64Array | undefined)[]> {
    const { ranges } = this.#count;
    ranges.fill(NaN, 2 * slab.begin, 2 * slab.end);
    const kept: (Float64Array | undefined)[] = [];
    await this.#blocks(
      slab,
      () => ({ bins: undefined, keeps }),
      (result, { queries }, at) => {
        kept[at] = result.distances;
        for (let place = queries.begin; place < queries.end; place++) {
          const from = 2 * (place - queries.begin);
          mergeRange(ranges, 2 * place, result.ranges[from], result.ranges[from + 1]);
        }
      },
    );
    return kept;
  }

  async #countIn(slab: Span, bins: Bins | typeof OWN, kept: (Float64Array | undefined)[]): Promise<void> {
    const { counts, outside, ranges, binCount, known } = this.#count;
    counts.fill(0, slab.begin * binCount, slab.end * binCount);
    outside.fill(0, slab.begin * OUTSIDE, slab.end * OUTSIDE);
    const findsRanges = known !== undefined || bins === OWN;
    if (findsRanges) ranges.fill(NaN, 2 * slab.begin, 2 * slab.end);
    const work = ({ begin, end }: Span, at: number): BlockWork => {
      const own = bins === OWN ? binCount : binsOfQueries(bins, begin, end);
      return { bins: own, keeps: false, kept: kept[at] };
    };
    await this.#blocks(
      slab,
      ({ queries }, at) => work(queries, at),
      (result, { queries }, at) => {
        kept[at] = undefined;
        addTo(counts, queries.begin * binCount, result.counts!);
        addTo(outside, queries.begin * OUTSIDE, result.outside!);
        if (!findsRanges) return;
        for (let from = 0; from < result.ranges.length; from += 2)
          mergeRange(ranges, 2 * queries.begin + from, result.ranges[from], result.ranges[from + 1]);
      },
    );
  }

  /** Works on all blocks of a slab, side by side where there are workers. */
  async #blocks(
    slab: Span,
    workOn: (block: PairBlock, at: number) => BlockWork,
    found: (result: DistancesResult, block: PairBlock, at: number) => void,
  ): Promise<void> {
    const { rows, signal } = this.#count;
    const blocks = spans(slab.end - slab.begin, this.#cut.queries).flatMap(({ begin, end }) =>
      spans(rows.train.rows, this.#cut.rows).map((each): PairBlock => {
        return { queries: { begin: slab.begin + begin, end: slab.begin + end }, rows: each };
      }),
    );
    const take = (result: DistancesResult, at: number, wasKept: boolean): void => {
      const block = blocks[at];
      for (const step of steps) this.#times[step] += result.times[step];
      found(result, block, at);
      this.#seen(block, result, wasKept);
    };
    if (this.#workers) {
      const { pool } = this.#workers;
      const tasks = blocks.map((block, at) => async (failed: AbortSignal) => {
        const work = workOn(block, at);
        take(await this.#inWorker(pool, block, work, failed), at, work.kept !== undefined);
      });
      await settleAll(tasks, signal);
      return;
    }
    for (let at = 0; at < blocks.length; at++) {
      const work = workOn(blocks[at], at);
      const task = this.#taskOf(blocks[at], work, (matrix, span) => rowsOf(matrix, span, "subarray"));
      take(await runYielding(workOnBlock(task), signal), at, work.kept !== undefined);
    }
  }

  /** Has a worker do the work of a block, and another one where that worker dies. */
  async #inWorker(
    pool: Workers["pool"],
    block: PairBlock,
    work: BlockWork,
    failed: AbortSignal,
  ): Promise<DistancesResult> {
    const { signal } = this.#count;
    const prepare = () => {
      const request = this.#taskOf(block, work, (matrix, span) => rowsOf(matrix, span, "slice"));
      const { of } = request;
      const sent = of instanceof Float64Array ? [] : [of.train.data.buffer, of.queries.data.buffer];
      return { request, transfer: sent.filter((buffer) => buffer instanceof ArrayBuffer) };
    };
    return retried(
      () => pool.runEndable(distancesTask, prepare, ...(signal ? [signal, failed] : [failed])),
      () => this.#lost++,
    );
  }

  #taskOf(
    { queries, rows: span }: PairBlock,
    { bins, keeps, kept }: BlockWork,
    block: (matrix: Matrix, rows: Span) => Matrix,
  ): DistancesTask {
    const { rows, self: first } = this.#count;
    const selfOf = (_: unknown, at: number): number => {
      const self = first! + queries.begin + at;
      return self >= span.begin && self < span.end ? self - span.begin : -1;
    };
    const size = queries.end - queries.begin;
    const train = this.#shared ? rowsOf(this.#shared, span, "subarray") : block(rows.train, span);
    return {
      queries: size,
      of: kept ?? { ...rows, train, queries: block(rows.queries, queries) },
      selves: first !== undefined ? Int32Array.from({ length: size }, selfOf) : undefined,
      bins,
      keeps,
    };
  }

  /** Keeps the list of arrays that took the most bytes so far. */
  #hold(buffers: readonly DistanceBuffer[]): void {
    const { train } = this.#count.rows;
    const isCopy = this.#shared !== undefined && this.#shared !== train;
    const shared = isCopy ? [{ name: "train in shared memory", bytes: train.data.byteLength }] : [];
    const all = [...shared, ...buffers];
    if (bytesOf(all) > bytesOf(this.#buffers)) this.#buffers = all;
  }

  #seen({ queries, rows: span }: PairBlock, result: DistancesResult, wasKept: boolean): void {
    const { rows, known, binsFrom, onShare } = this.#count;
    const pairs = (queries.end - queries.begin) * (span.end - span.begin);
    this.#tasks++;
    if (!wasKept) this.#evaluated += result.evaluated ?? pairs;
    this.#settled += result.settled ?? 0;
    this.#done += pairs;
    onShare(
      this.#done / (rows.queries.rows * rows.train.rows * (known || !binsFrom || this.#cut.whole ? 1 : 2)),
    );
  }
}

function addTo(target: Uint32Array, begin: number, more: Uint32Array): void {
  for (let i = 0; i < more.length; i++) target[begin + i] += more[i];
}

function rowsOf(matrix: Matrix, { begin, end }: Span, how: "slice" | "subarray"): Matrix {
  const { data, cols } = matrix;
  return { ...matrix, rows: end - begin, data: data[how](begin * cols, end * cols) };
}

/** A copy of train may take this share of the budget. */
const SHARED_SHARE = 1 / 4;

/**
 * Returns train in shared memory, a copy where it is not there yet; undefined where there is no such memory,
 * or too little.
 */
function sharedCopy(train: Matrix, room: number): Matrix | undefined {
  const { data } = train;
  if (!(data.buffer instanceof ArrayBuffer)) return train;
  if (!canShare() || data.byteLength > room) return undefined;
  try {
    const bytes = new Uint8Array(new SharedArrayBuffer(data.byteLength));
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    const copy = new (data.constructor as new (buffer: SharedArrayBuffer) => Matrix["data"])(bytes.buffer);
    return { ...train, data: copy };
  } catch {
    return undefined;
  }
}
