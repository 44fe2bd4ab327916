/**
 * This works on one block of pairs in a worker's WASM module, for metrics that the module can evaluate, and
 * gives the same bits as cpu.ts. Rows are copied in as float64 and packed, a tile at a time. The distances of
 * the block stay in the module's memory until they are counted.
 */
import { clamp, roundDown, roundUp } from "../../core/math.ts";
import { readRow, type Matrix } from "../../core/matrix.ts";
import { dot } from "../../distance/measures/differences.ts";
import { plain } from "../../distance/measures/textbookMetric.ts";
import { resolveMetric } from "../../distance/anyMetric.ts";
import type { Metric } from "../../distance/metric.ts";
import type { WorkerMemory } from "../../runtime/cpu/memory.ts";
import { OUTSIDE, type BlockRows, type DistancesResult, type DistancesTask } from "./contract.ts";
import { countDistances, type QueryBins } from "./counting.ts";
import { SUMS, TOGETHER, type Core, type DistanceKernels } from "./kernels.ts";
import { memoryFor, DistanceTally } from "./tally.ts";

/**
 * A tile of packed rows takes this many bytes, and stays in the second-level cache while all queries meet it.
 */
export const TILE_BYTES = 2 ** 17;
/** Lanes have counters of their own where a query has this many distances for each bin. */
const SPREAD_FROM = 8;
export const LANES = 4;

export function workInWasm(
  task: DistancesTask,
  rows: BlockRows,
  core: Core,
  kernels: DistanceKernels,
  memory: WorkerMemory,
): DistancesResult {
  const tally = new DistanceTally(task);
  const block = new WasmBlock(rows, core, kernels, memory, task);
  block.evaluate(tally);
  for (let query = 0; query < task.queries; query++) block.count(query, tally);
  return tally.result(task.keeps ? block.distances() : undefined);
}

/** Holds the addresses of a block's arrays in the module's memory. */
class WasmBlock {
  readonly #rows: BlockRows;
  readonly #core: Core;
  readonly #kernels: DistanceKernels;
  readonly #memory: WebAssembly.Memory;
  readonly #metric: Metric;
  readonly #selves: Int32Array | undefined;
  readonly #tileRows: number;
  /** The distances of one query begin this many bytes before those of the next. */
  readonly #pitch: number;
  readonly #counterPitch: number;
  readonly #at: Record<
    "raw" | "rows" | "queries" | "values" | "squares" | "ends" | "outside" | "counters",
    number
  >;

  constructor(
    rows: BlockRows,
    core: Core,
    kernels: DistanceKernels,
    memory: WorkerMemory,
    { bins, selves }: DistancesTask,
  ) {
    const { train, queries, options, fitted } = rows;
    this.#rows = rows;
    this.#core = core;
    this.#kernels = kernels;
    this.#memory = memory.memory;
    this.#metric = resolveMetric(options, fitted);
    this.#selves = selves;
    const rowBytes = train.cols * 8;
    const most = roundUp(Math.max(train.rows, queries.rows), TOGETHER);
    this.#tileRows = clamp(roundDown(TILE_BYTES / rowBytes, TOGETHER), TOGETHER, most);
    this.#pitch = roundUp(train.rows, TOGETHER) * 8;
    const binCount =
      bins === undefined || (typeof bins === "object" && "edges" in bins) ? 0 : evenCount(bins);
    this.#counterPitch = train.rows >= binCount * SPREAD_FROM ? roundUp(binCount * 4, 16) : 0;
    const lanes = this.#counterPitch > 0 ? LANES : 1;
    memory.reset();
    this.#at = {
      raw: memory.take(this.#tileRows * rowBytes),
      rows: memory.take(this.#tileRows * rowBytes),
      queries: memory.take(roundUp(queries.rows, TOGETHER) * rowBytes),
      values: memory.take(roundUp(queries.rows, TOGETHER) * this.#pitch),
      squares: memory.take(this.#tileRows * 8),
      ends: memory.take(16),
      outside: memory.take(OUTSIDE * 4),
      counters: memory.take(lanes * roundUp(binCount * 4, 16)),
    };
  }

  evaluate(tally: DistanceTally): void {
    const { train, queries } = this.#rows;
    const { cols } = train;
    const squares = this.#packQueries();
    const tiles = roundUp(queries.rows, TOGETHER) / TOGETHER;
    for (let first = 0; first < train.rows; first += this.#tileRows) {
      const count = Math.min(this.#tileRows, train.rows - first);
      const { queries: asked, rows, values } = this.#at;
      const own = this.#pack(train, first, count, rows);
      if (this.#core.last === "cosine") this.#floats(this.#at.squares, count).set(own);
      tally.lap("pack");
      const groups = roundUp(count, TOGETHER) / TOGETHER;
      const sum = SUMS.indexOf(this.#core.sum);
      const at = values + first * 8;
      this.#kernels.evaluateDistances(sum, asked, tiles, rows, groups, cols, at, this.#pitch);
      for (let query = 0; query < queries.rows; query++)
        this.#finish(at + query * this.#pitch, count, squares[query]);
      tally.lap("evaluate");
    }
  }

  /** Turns sums into distances, none of which is -0. */
  #finish(at: number, count: number, square: number): void {
    const { last } = this.#core;
    const { distance } = this.#metric;
    if (last === "negate") this.#kernels.negateDistances(at, count);
    if (last === "cosine") this.#kernels.cosineDistances(at, count, this.#at.squares, square);
    if (distance === Math.sqrt) return this.#kernels.rootDistances(at, count);
    if (distance === plain.distance) return;
    const values = this.#floats(at, count);
    values.forEach((rank, i) => (values[i] = distance(rank) + 0));
  }

  /** Packs all queries. @returns their dot products with themselves, where these are asked for */
  #packQueries(): number[] {
    const { queries } = this.#rows;
    const squares: number[] = [];
    for (let first = 0; first < queries.rows; first += this.#tileRows) {
      const count = Math.min(this.#tileRows, queries.rows - first);
      squares.push(...this.#pack(queries, first, count, this.#at.queries + first * queries.cols * 8));
    }
    return squares;
  }

  /**
   * Packs rows that the metric has made ready. @returns their dot products with themselves, where the core
   * needs these
   */
  #pack(matrix: Matrix, first: number, count: number, packed: number): number[] {
    const { cols, data } = matrix;
    const { ready } = this.#metric;
    const raw = this.#floats(this.#at.raw, count * cols);
    const squares: number[] = [];
    if (ready === undefined && this.#core.last !== "cosine")
      raw.set(data.subarray(first * cols, (first + count) * cols));
    else
      for (let at = 0; at < count; at++) {
        const row = raw.subarray(at * cols, (at + 1) * cols);
        readRow(matrix, first + at, row);
        ready?.(row);
        squares.push(dot(row, row));
      }
    this.#kernels.packDistanceRows(this.#at.raw, count, cols, packed);
    return squares;
  }

  /** Finds the range of a query's distances, and counts them. */
  count(query: number, tally: DistanceTally): void {
    const { rows } = this.#rows.train;
    const self = this.#selves?.[query] ?? -1;
    const at = this.#at.values + query * this.#pitch;
    const parts =
      self < 0
        ? [{ at, count: rows }]
        : [
            { at, count: self },
            { at: at + (self + 1) * 8, count: rows - self - 1 },
          ];
    const ends = this.#floats(this.#at.ends, 2);
    ends.set([Infinity, -Infinity]);
    for (const part of parts) this.#kernels.rangeOfDistances(part.at, part.count, this.#at.ends);
    if (ends[0] <= ends[1]) tally.ranges.set(ends, 2 * query);
    tally.lap("range");
    const bins = tally.binsOf(query);
    if (bins === undefined) return;
    const [counts, outside] = [tally.countsOf(query), tally.outsideOf(query)];
    if ("edges" in bins)
      for (const part of parts) countDistances(this.#floats(part.at, part.count), bins, counts, outside);
    else this.#countEven(parts, bins, counts, outside);
    tally.lap("count");
  }

  #countEven(
    parts: readonly { readonly at: number; readonly count: number }[],
    bins: Extract<QueryBins, { readonly bins: number }>,
    counts: Uint32Array,
    outside: Uint32Array,
  ): void {
    const { counters, outside: beside } = this.#at;
    const pitch = this.#counterPitch;
    const { min, max } = bins;
    const found = this.#words(counters, counts.length);
    const all = this.#words(counters, pitch > 0 ? (LANES * pitch) / 4 : counts.length).fill(0);
    const others = this.#words(beside, OUTSIDE).fill(0);
    const { scale, guard } = guardOf(bins);
    for (const { at, count } of parts)
      this.#kernels.countDistances(at, count, min, max, bins.bins, scale, guard, counters, pitch, beside);
    if (all.length > counts.length) this.#kernels.sumCounters(counters, counts.length, pitch);
    counts.set(found);
    outside.set(others);
  }

  /** Returns a copy of all distances, [queries][rows]. */
  distances(): Float64Array {
    const { train, queries } = this.#rows;
    const all = memoryFor(queries.rows * train.rows);
    for (let query = 0; query < queries.rows; query++)
      all.set(this.#floats(this.#at.values + query * this.#pitch, train.rows), query * train.rows);
    return all;
  }

  #floats(at: number, count: number): Float64Array {
    return new Float64Array(this.#memory.buffer, at, count);
  }

  #words(at: number, count: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, at, count);
  }
}

function evenCount(bins: number | { readonly bins: number }): number {
  return typeof bins === "number" ? bins : bins.bins;
}

/** This is the unit roundoff of float64. */
const U = 2 ** -53;

/**
 * Returns how a distance is turned into its place among the bins, (distance - min) * scale, and how far from
 * a whole number, as a share of a bin, that place surely is on the right side of the edge there. With M the
 * larger of |min| and |max|, the edge min + i * width / bins is off by at most M + 2 * width units of
 * roundoff, and the place, which is at most `bins`, by 3 * bins of them. Twice that covers what is of second
 * order. No place decides where ranges are so narrow that bins may be subnormal, or so wide that they
 * overflow.
 */
export function guardOf({ bins, min, max }: Extract<QueryBins, { readonly bins: number }>) {
  const width = max - min;
  const scale = bins / width;
  const magnitude = Math.max(Math.abs(min), Math.abs(max));
  const isOrdinary = width > 2 ** -900 && width < 2 ** 1000;
  return { scale: isOrdinary ? scale : 0, guard: isOrdinary ? 2 * U * (5 * bins + magnitude * scale) : 1 };
}
