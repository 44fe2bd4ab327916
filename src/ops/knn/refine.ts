/**
 * This is the last step of every certified search: it evaluates candidates by the metric's float64 definition
 * and keeps the first k. It also reads float32 results, which have nothing left to evaluate. Host code; the
 * lists come from `knn.filter`.
 */
import { rowAt, rowCount } from "../../runtime/source.ts";
import type { Device } from "../../runtime/device.ts";
import type { RowSet } from "../../runtime/source.ts";
import { assert } from "../../core/errors.ts";
import { scaleByPowerOfTwo } from "../../core/math.ts";
import { type Matrix, readRow } from "../../core/matrix.ts";
import type { Metric } from "../../distance/metric.ts";
import type { AllPairs } from "../../distance/exact/allPairs.ts";
import { evaluateAll } from "../../distance/exact/evaluateAll.ts";
import { NO_ROW } from "../../distance/order.ts";
import { TopK, sortAscending } from "../../distance/topk.ts";
import type { Neighborhood } from "../../distance/topk.ts";
import { rowsBetweenLooks, Yielder } from "../../core/async/yielding.ts";
import type { Ties } from "../../distance/forms/form.ts";
import type { KnnJob } from "./plan/knnPlan.ts";

/** The neighbours of all queries lie row-major, [queries][k]; jobs fill the rows of their queries. */
export interface Neighbors {
  readonly k: number;
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
  /** Says whether queries are the rows of train, and none is a neighbour of itself. */
  readonly withoutSelf?: boolean;
  /** Says whether distances stay the keys that neighbours are ordered by. */
  readonly asKeys?: boolean;
}

/** The filter leaves these candidate lists of some queries: counts, then `capacity` entries per query. */
export interface CandidateLists {
  readonly heads: Uint32Array;
  readonly candidates: Uint32Array;
  readonly capacity: number;
  /**
   * Each list began with this many entries that are no rows: a query has as many neighbours as are nearer.
   * The default is 0.
   */
  readonly seeds?: number;
  /** The candidates have these ranks, where the device evaluated them. */
  readonly ranks?: Float64Array;
  /** The candidates have these low and high ends, where they are points that need no evaluation. */
  readonly intervals?: Float32Array;
}

/** Reads the lists of the queries of a job; undefined where it has none. */
export function listsOf(
  step: KnnJob["finish"],
  downloads: ReadonlyMap<string, ArrayBuffer>,
): CandidateLists | undefined {
  if (!step.lists) return undefined;
  const { heads, candidates, capacity } = step.lists;
  const bytes = (name: string) => downloads.get(name) ?? [];
  const plain = {
    heads: new Uint32Array(bytes(heads)),
    candidates: new Uint32Array(bytes(candidates)),
    capacity,
  };
  if (step.kind === "collect") return { ...plain, intervals: new Float32Array(bytes(step.lists.intervals)) };
  const { seeds, keys } = step.lists;
  return { ...plain, seeds, ...(keys === undefined ? {} : { ranks: new Float64Array(bytes(keys)) }) };
}

/**
 * Writes the k nearest of each query's candidates into `into`, or of all rows of train where there are no
 * lists.
 * @param ties the distances at which rows that are no candidates may tie with the k-th
 * @returns the number of pairs evaluated
 */
export async function refine(
  metric: Metric,
  train: Matrix,
  queries: Matrix,
  rows: RowSet,
  lists: CandidateLists | undefined,
  into: Neighbors,
  signal?: AbortSignal,
  ties?: Ties,
): Promise<number> {
  const step = rowsBetweenLooks(train.cols);
  const evaluate = new Evaluator(metric, train, queries);
  const select = lists ? new ListSelector(lists, into) : undefined;
  const best = new TopK(into.k);
  const yielder = new Yielder(signal);
  const distance = distanceOf(metric, into);
  const ranks = lists?.ranks;
  const keysOf: KeysOf = ranks ? rankedKeys(metric, ranks) : (list, count) => evaluate.keys(list, count);
  let pairs = 0;
  for (let i = 0; i < rowCount(rows); i++) {
    const query = rowAt(rows, i);
    if (select?.leaveEmpty(i, query)) continue;
    if (!ranks) evaluate.take(query);
    const count = select?.select(i, query, keysOf, distance);
    pairs += count ?? 0;
    const rest = select ? restOf(select, into, query, ties) : "all";
    if (ranks && rest !== "none") evaluate.take(query);
    if (rest !== "none") {
      const end = rest === "all" ? train.rows : into.withoutSelf ? into.k + 1 : into.k;
      for (let row = 0; row < end; row++) {
        if (!(into.withoutSelf && row === query)) best.push(evaluate.key(row), row);
        if ((row + 1) % step === 0 && yielder.due) await yielder.next();
      }
      select?.forEach((key, row) => {
        if (row >= end) best.push(key, row);
      });
      pairs += end;
      drainInto(into, query, best, distance);
    }
    if (yielder.due) await yielder.next();
  }
  return pairs;
}

/**
 * Does what `refine` does for candidates that the device evaluated, where no other row can tie with the k-th,
 * so that no row is needed.
 */
export function collectRanked(metric: Metric, rows: RowSet, lists: CandidateLists, into: Neighbors): void {
  assert(lists.ranks, "candidates were not evaluated");
  const select = new ListSelector(lists, into);
  const distance = distanceOf(metric, into);
  const keysOf = rankedKeys(metric, lists.ranks);
  for (let i = 0; i < rowCount(rows); i++) {
    const query = rowAt(rows, i);
    select.select(i, query, keysOf, distance);
    assert(!select.hasNaN, `a candidate of query ${query} has no distance`);
  }
}

function rankedKeys(metric: Metric, ranks: Float64Array): KeysOf {
  return ({ keys }, count, begin) => {
    keys.set(ranks.subarray(begin, begin + count));
    ranksToKeys(metric, keys, count);
  };
}

/** Turns the first ranks of some rows into the keys by which neighbours are ordered. */
function ranksToKeys({ ordersByRank, distance }: Metric, ranks: Float64Array, count: number): void {
  if (!ordersByRank) for (let c = 0; c < count; c++) ranks[c] = distance(ranks[c]);
}

/**
 * Does what `refine` does without lists, on threads of the device.
 * @returns the number of pairs evaluated; undefined where the device has no such threads, or the caller's may
 *   as well do it
 */
export async function refineElsewhere(
  device: Pick<Device, "withWorkers">,
  metric: Metric,
  all: Omit<AllPairs, "k" | "withoutSelf" | "found">,
  into: Neighbors,
): Promise<number | undefined> {
  const { k, withoutSelf = false } = into;
  const best: TopK[] = [];
  const found = (place: number, key: number, row: number) => (best[place] ??= new TopK(k)).push(key, row);
  const pairs = await evaluateAll({ ...all, k, withoutSelf, found }, device);
  if (pairs === undefined) return undefined;
  const distance = distanceOf(metric, into);
  best.forEach((list, i) => drainInto(into, rowAt(all.rows, i), list, distance));
  return pairs;
}

/** Returns the function that makes the reported distance of a key. */
function distanceOf(metric: Metric, into: Neighbors): (key: number) => number {
  return metric.ordersByRank && !into.asKeys ? metric.distance : (key) => key;
}

function drainInto(into: Neighbors, query: number, best: TopK, distance: (key: number) => number): void {
  best.drain(into.distances, into.indices, query * into.k);
  mapRow(into, query, distance);
}

/**
 * Decides which rows must be evaluated beside a query's candidates. These are all rows where a candidate's
 * distance is NaN, which no interval foresaw, or where others may tie with the k-th. Where the k-th is at the
 * ceiling the others are too, so that of them only rows before the k-th can be neighbours: k rows precede
 * every later one.
 */
function restOf(
  select: ListSelector,
  { k, distances }: Neighbors,
  query: number,
  ties: Ties | undefined,
): "none" | "first" | "all" {
  if (select.count === 0) return "none";
  if (select.hasNaN) return "all";
  const kth = distances[(query + 1) * k - 1];
  if (!ties || kth < ties.from) return "none";
  return kth === ties.ceiling ? "first" : "all";
}

/** Reads float32 results: every interval is a point, whose value times 2^rankExponent is the rank. */
export function collect(
  metric: Metric,
  rows: RowSet,
  lists: CandidateLists,
  rankExponent: number,
  into: Neighbors,
): void {
  const intervals = lists.intervals!;
  const select = new ListSelector(lists, into);
  const asKey = into.asKeys === true && metric.ordersByRank;
  const scale = scaleOf(rankExponent);
  for (let i = 0; i < rowCount(rows); i++) {
    select.select(
      i,
      rowAt(rows, i),
      ({ keys }, count, begin) => {
        for (let c = 0; c < count; c++) keys[c] = intervals[2 * (begin + c)];
      },
      (value) => pointDistance(metric, scale(value), asKey),
    );
  }
}

/** Returns a function that multiplies float32 values by 2^exponent, exactly where the exponent is whole. */
function scaleOf(exponent: number): (value: number) => number {
  if (Number.isInteger(exponent) && Math.abs(exponent) > FACTOR_EXPONENTS)
    return (value) => scaleByPowerOfTwo(value, exponent);
  const factor = 2 ** exponent;
  return (value) => value * factor;
}

/** A power of two up to this exponent is a float64 whose product with a float32 is exact. */
const FACTOR_EXPONENTS = 800;

/**
 * Turns a rank from float32 into a distance. Rounding may have left a squared distance or a cosine just
 * outside its range.
 */
function pointDistance(metric: Metric, rank: number, asKey: boolean): number {
  if (metric.signed) return rank;
  const bounded = metric.name === "cosine" || metric.name === "correlation" ? Math.min(rank, 2) : rank;
  return asKey ? Math.max(bounded, 0) : metric.distance(Math.max(bounded, 0));
}

/** Computes float64 keys of the pairs of one query at a time. */
export class Evaluator {
  readonly #metric: Metric;
  readonly #train: Matrix;
  readonly #queries: Matrix;
  readonly #query: Float64Array;
  /** Metrics that evaluate many rows at once need none. */
  #row: Float64Array | undefined;

  constructor(metric: Metric, train: Matrix, queries: Matrix) {
    this.#metric = metric;
    this.#train = train;
    this.#queries = queries;
    this.#query = new Float64Array(queries.cols);
  }

  take(query: number): void {
    readRow(this.#queries, query, this.#query);
    this.#metric.ready?.(this.#query);
  }

  /** Returns the key of a row, by which neighbours are ordered. */
  key(index: number): number {
    const row = (this.#row ??= new Float64Array(this.#train.cols));
    readRow(this.#train, index, row);
    this.#metric.ready?.(row);
    const rank = this.#metric.rank(row, this.#query);
    return this.#metric.ordersByRank ? rank : this.#metric.distance(rank);
  }

  /** Writes the keys of the first `count` rows of a list. */
  keys({ keys, indices }: Neighborhood, count: number): void {
    const { rankRows } = this.#metric;
    if (!rankRows) {
      for (let c = 0; c < count; c++) keys[c] = this.key(indices[c]);
      return;
    }
    rankRows(this.#train, indices, count, this.#query, keys);
    ranksToKeys(this.#metric, keys, count);
  }
}

/** Writes the keys of the first `count` candidates of a list, which begins at entry `begin` of its lists. */
type KeysOf = (list: Neighborhood, count: number, begin: number) => void;

/** Selects from candidate lists, which are hardly longer than k, by sorting them. */
class ListSelector {
  readonly #lists: CandidateLists;
  readonly #into: Neighbors;
  readonly #list: Neighborhood;
  readonly #spare: Neighborhood;
  /** The query selected last has this many candidates; 0 if its list overflowed. */
  count = 0;

  constructor(lists: CandidateLists, into: Neighbors) {
    this.#lists = lists;
    this.#into = into;
    this.#list = emptyNeighborhood(lists.capacity);
    this.#spare = emptyNeighborhood(lists.capacity);
  }

  /**
   * Selects the neighbours of a query, or leaves it alone if its list overflowed.
   * @returns the number of its candidates otherwise
   */
  select(i: number, query: number, keysOf: KeysOf, distance: (key: number) => number): number {
    const { heads, candidates, capacity, seeds = 0 } = this.#lists;
    const { k, indices, distances, withoutSelf } = this.#into;
    const { keys, indices: rows } = this.#list;
    this.count = 0;
    if (heads[2 * i] > capacity) return 0;
    const begin = i * capacity;
    const count = seeds > 0 ? dropSeeds(this.#lists, begin, heads[2 * i]) : heads[2 * i];
    rows.set(candidates.subarray(begin, begin + count));
    keysOf(this.#list, count, begin);
    const kept = withoutSelf ? leaveOut(query, this.#list, count) : count;
    assert(seeds > 0 || kept >= k, `query ${query} has ${kept} of ${k} candidates`);
    sortAscending(this.#list, this.#spare, kept);
    assert(kept === 0 || rows[kept - 1] !== NO_ROW, `query ${query} has unknown seeds`);
    this.count = kept;
    const found = Math.min(k, kept);
    indices.set(rows.subarray(0, found), query * k);
    for (let c = 0; c < found; c++) distances[query * k + c] = distance(keys[c]);
    if (found < k) this.#leavePlaces(query, found);
    return count;
  }

  /**
   * Leaves the places of a query empty whose list is as it began: seeds all have one interval, so that they
   * stay or go together.
   */
  leaveEmpty(i: number, query: number): boolean {
    const { heads, candidates, capacity, seeds = 0 } = this.#lists;
    if (seeds === 0 || heads[2 * i] !== seeds || candidates[i * capacity] !== NO_ROW) return false;
    this.#leavePlaces(query, 0);
    return true;
  }

  /** Empties the places of a query's neighbours from `from` on. */
  #leavePlaces(query: number, from: number): void {
    const { k, indices, distances } = this.#into;
    for (let at = query * k + from; at < (query + 1) * k; at++) {
      indices[at] = NO_ROW;
      distances[at] = Infinity;
    }
  }

  /** Tells whether a candidate of the query selected last has no distance. */
  get hasNaN(): boolean {
    return this.count > 0 && Number.isNaN(this.#list.keys[this.count - 1]);
  }

  forEach(visit: (key: number, index: number) => void): void {
    for (let c = 0; c < this.count; c++) visit(this.#list.keys[c], this.#list.indices[c]);
  }
}

/** Moves the entries that are rows, with their ranks, to the front of a list. @returns the number of them */
function dropSeeds({ candidates, ranks }: CandidateLists, begin: number, count: number): number {
  let kept = begin;
  for (let at = begin; at < begin + count; at++) {
    if (candidates[at] === NO_ROW) continue;
    candidates[kept] = candidates[at];
    if (ranks) ranks[kept] = ranks[at];
    kept++;
  }
  return kept - begin;
}

/**
 * Leaves a row out, and moves what follows it into its place.
 * @returns the number of entries that are left
 */
function leaveOut(row: number, { keys, indices }: Neighborhood, count: number): number {
  const at = indices.subarray(0, count).indexOf(row);
  if (at < 0) return count;
  keys.copyWithin(at, at + 1, count);
  indices.copyWithin(at, at + 1, count);
  return count - 1;
}

export function emptyNeighborhood(length: number): Neighborhood {
  return { keys: new Float64Array(length), indices: new Uint32Array(length) };
}

/** Turns the keys of one query into distances. */
function mapRow({ k, distances }: Neighbors, query: number, distance: (key: number) => number): void {
  for (let at = query * k; at < (query + 1) * k; at++) distances[at] = distance(distances[at]);
}
