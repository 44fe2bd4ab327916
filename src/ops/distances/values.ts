/**
 * This works on one block of pairs where float32 says most bins. A worker's WASM module computes the values
 * of all pairs, and the rows that values leave open are evaluated by the float64 definition, so that the bits
 * are those of cpu.ts. Where rows are no float32 or too much is open, it gives up and leaves the block to
 * inWasm.ts.
 *
 * A value v errs from the rank R, both sums of n columns of the same numbers, by s R + t: each difference,
 * product and addition by 2^-24, so s = 1.05 (n + 4) 2^-24 while it is below 1/32, the float64 sum included;
 * and t = n 2^-149 for squares that are subnormal, since WASM flushes nothing. So all ranks that may be the
 * least have values up to (1 + 2.5 s) v + 3 t with v the least one, and the largest likewise. A root errs by
 * 0.51 s relative, its own rounding by 2^-24, and by sqrt(t). With M the larger of |min| and |max|, the place
 * (v - min) * scale then errs by (e + 2^-24) M + t, times scale, and 5 * 2^-24 (bins + 1) for the float32
 * steps to it. Beyond M the place leaves the last edge faster than its error grows.
 */
import { clamp, roundDown, roundUp } from "../../core/math.ts";
import { readRow, type Matrix } from "../../core/matrix.ts";
import { plain } from "../../distance/measures/textbookMetric.ts";
import { resolveMetric } from "../../distance/anyMetric.ts";
import { CORES, QUERIES, REFS } from "../../distance/tileKernels.ts";
import type { WorkerMemory } from "../../runtime/cpu/memory.ts";
import type { BlockRows, DistancesResult, DistancesTask } from "./contract.ts";
import { countDistances } from "./counting.ts";
import type { Core, DistanceKernels } from "./kernels.ts";
import { LANES, TILE_BYTES } from "./inWasm.ts";
import { mergeRange, DistanceTally } from "./tally.ts";

/** No entry is larger, so that nothing overflows. */
const LARGEST = 2 ** 50;
/** A place errs by at most this share of a bin, and at most this share of the rows may be open. */
const MOST_GUARD = 1 / 32;
const MOST_OPEN = 1 / 16;
const U = 2 ** -24;

/**
 * Works on a block, as far as float32 serves.
 * @returns undefined where float32 does not serve
 */
export function workOnValues(
  task: DistancesTask,
  { train, queries, options, fitted }: BlockRows,
  core: Core,
  kernels: DistanceKernels,
  memory: WorkerMemory,
): DistancesResult | undefined {
  const { rank, rankRows, distance, ready } = resolveMetric(options, fitted);
  const { bins: asked = 0, keeps } = task;
  const hasRoot = distance === Math.sqrt;
  const isPlain = core.last === "none" && ready === undefined && (hasRoot || distance === plain.distance);
  if (keeps || !isPlain || (typeof asked === "object" && "edges" in asked)) return undefined;
  const binCount = typeof asked === "object" ? asked.bins : asked;
  const { cols } = train;
  const slack = 1.05 * (cols + 4) * U;
  if (Math.max(1, binCount) * slack > MOST_GUARD) return undefined;
  const lost = core.sum === "l2" ? cols * 2 ** -149 : 0;

  const rowBytes = cols * 4;
  const padded = roundUp(train.rows, REFS);
  const pitch = padded * 4;
  const tileRows = clamp(roundDown(TILE_BYTES / rowBytes, REFS), REFS, padded);
  const tiles = Math.ceil(padded / tileRows);
  const counterPitch = roundUp((binCount + 2) * 4, 16);
  const room = Math.floor(train.rows * MOST_OPEN) + 16;
  const askers = roundUp(queries.rows, QUERIES);
  memory.reset();
  const raw = memory.take(Math.max(tileRows, askers) * rowBytes);
  const packedRows = memory.take(tileRows * rowBytes);
  const packedQueries = memory.take(askers * rowBytes);
  const values = memory.take(askers * pitch);
  const ranges = memory.take(askers * tiles * 8);
  const list = memory.take(room * 4);
  const counters = memory.take(LANES * counterPitch);
  const [row, asker, distances] = [cols, cols, room].map((length) => new Float64Array(length));
  const tally = new DistanceTally(task);
  let [evaluated, settled] = [0, 0];
  const selfOf = (query: number) => task.selves?.[query] ?? -1;

  /** Copies rows as float32. @returns false where they are not, or too large */
  const copy = ({ data }: Matrix, first: number, count: number): boolean => {
    const copied = memory.f32(raw, count * cols);
    for (let i = 0, from = first * cols; i < copied.length; i++, from++) {
      copied[i] = data[from];
      if (copied[i] !== data[from] || Math.abs(copied[i]) > LARGEST) return false;
    }
    return true;
  };

  const valuesOfTile = (first: number, tile: number): boolean => {
    const count = Math.min(tileRows, train.rows - first);
    const end = Math.min(first + tileRows, padded);
    if (!copy(train, first, count)) return false;
    kernels.packRefs(raw, count, rowBytes, cols, packedRows);
    tally.lap("pack");
    const sum = CORES.indexOf(core.sum);
    for (let query = 0; query < queries.rows; query++) {
      const at = values + query * pitch + first * 4;
      const own = packedQueries + query * rowBytes;
      if (query % QUERIES === 0)
        kernels.sumTile(sum, 0, own, packedRows, (end - first) / REFS, cols, at, pitch, false);
      // NaN stands for what is no pair: the row that the query is itself, and what is past the end.
      const all = memory.f32(at, end - first).fill(NaN, count);
      const self = selfOf(query) - first;
      if (self >= 0 && self < count) all[self] = NaN;
      kernels.rangeOfValues(at, end - first, ranges + (query * tiles + tile) * 8);
    }
    tally.lap("evaluate");
    return true;
  };

  /** Evaluates the distances of the listed rows by the metric's definition. */
  const evaluate = (listed: number, query: number): Float64Array => {
    const open = memory.u32(list, listed);
    let count = 0;
    for (const place of open) if (place !== selfOf(query) && place < train.rows) open[count++] = place;
    const found = distances.subarray(0, count);
    rankRows?.(train, open, count, asker, found);
    for (let at = 0; at < count; at++) {
      if (!rankRows) {
        readRow(train, open[at], row);
        found[at] = rank(row, asker);
      }
      found[at] = distance(found[at]) + 0;
    }
    evaluated += count;
    return found;
  };

  /** Finds the least and the largest distance. @returns false where too many rows may have it */
  const findEnds = (query: number, at: number): boolean => {
    const own = memory.f32(ranges + query * tiles * 8, tiles * 2);
    let [low, high] = [Infinity, -Infinity];
    for (let tile = 0; tile < own.length; tile += 2) {
      low = Math.min(low, own[tile]);
      high = Math.max(high, own[tile + 1]);
    }
    low = low * (1 + 2.5 * slack) + 3 * lost;
    high = high * (1 - 2.5 * slack) - 3 * lost;
    let listed = 0;
    for (let tile = 0; tile < tiles; tile++) {
      const first = tile * tileRows;
      if (own[2 * tile] > low && own[2 * tile + 1] < high) continue;
      const count = Math.min(tileRows, padded - first);
      listed = kernels.listOutside(at + first * 4, count, low, high, first, list, listed, room);
      if (listed < 0) return false;
    }
    for (const found of evaluate(listed, query)) mergeRange(tally.ranges, 2 * query, found, found);
    return true;
  };

  /**
   * Counts the distances of a query by its bins.
   * @returns false where too many rows are open
   */
  const count = (query: number, at: number): boolean => {
    const bins = tally.binsOf(query);
    if (bins === undefined || "edges" in bins || Number.isNaN(tally.ranges[2 * query])) return true;
    const { min, max } = bins;
    const scale = binCount / (max - min);
    const error = (hasRoot ? 0.51 * slack + 1.01 * U : slack) + U;
    const least = (hasRoot ? Math.sqrt(lost) : lost) + 2 ** -149;
    const magnitude = Math.max(Math.abs(min), Math.abs(max));
    const guard = 1.05 * (scale * (error * magnitude + least) + 5 * U * (binCount + 1));
    if (!(guard < MOST_GUARD && scale > 2 ** -100 && scale < 2 ** 100)) return false;
    const found = memory.u32(counters, (LANES * counterPitch) / 4).fill(0);
    const listed = kernels.countValues(
      ...([at, padded, hasRoot, min - 0.5 / scale, scale, binCount + 1, 0.5 - guard, 2 ** 23] as const),
      ...([counters, counterPitch, list, room] as const),
    );
    if (listed < 0) return false;
    kernels.sumCounters(counters, binCount + 2, counterPitch);
    const [counts, outside] = [tally.countsOf(query), tally.outsideOf(query)];
    counts.set(found.subarray(1, binCount + 1));
    outside.set([found[0], found[binCount + 1], 0]);
    const open = evaluate(listed, query);
    settled += train.rows - (selfOf(query) < 0 ? 0 : 1) - open.length;
    countDistances(open, bins, counts, outside);
    return true;
  };

  if (!copy(queries, 0, queries.rows)) return undefined;
  kernels.packQueries(raw, queries.rows, rowBytes, cols, packedQueries);
  for (let tile = 0; tile < tiles; tile++) if (!valuesOfTile(tile * tileRows, tile)) return undefined;
  for (let query = 0; query < queries.rows; query++) {
    readRow(queries, query, asker);
    const at = values + query * pitch;
    if (!findEnds(query, at)) return undefined;
    tally.lap("range");
    if (!count(query, at)) return undefined;
    tally.lap("count");
  }
  return { ...tally.result(undefined), evaluated, settled };
}
