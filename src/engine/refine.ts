/**
 * The last step of every certified search: candidates are evaluated by the metric's float64 definition and the k first
 * are kept. Also the reading of float32 results, which have nothing left to evaluate. Host code; the lists come from
 * `knn.filter`.
 */
import { rowAt, rowCount } from "../core/backend.ts";
import type { RowSet } from "../core/backend.ts";
import { assert } from "../core/errors.ts";
import { scaleByPowerOfTwo } from "../core/math.ts";
import { readRow } from "../core/matrix.ts";
import type { Matrix } from "../core/matrix.ts";
import type { Metric } from "../core/metric.ts";
import { TopK, sortAscending } from "../core/topk.ts";
import type { Neighborhood } from "../core/topk.ts";

/** Neighbours of all queries, row-major [queries][k]; jobs fill the rows of their queries. */
export interface Neighbors {
  readonly k: number;
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
  /** Queries are the rows of train, and none is a neighbour of itself. */
  readonly withoutSelf?: boolean;
  /** Distances stay what neighbours are ordered by. */
  readonly asKeys?: boolean;
}

/** Candidate lists of some queries as the filter leaves them: counts, then `capacity` entries per query. */
export interface Lists {
  readonly heads: Uint32Array;
  readonly candidates: Uint32Array;
  readonly capacity: number;
}

/** How long the host may compute before it lets events through. */
const SLICE_MS = 25;

/**
 * Writes the k nearest of each query's candidates into `into`; without lists, of all rows of train.
 * @returns pairs evaluated
 */
export async function refine(
  metric: Metric,
  train: Matrix,
  queries: Matrix,
  rows: RowSet,
  lists: Lists | undefined,
  into: Neighbors,
  signal?: AbortSignal,
): Promise<number> {
  const evaluate = new Evaluator(metric, train, queries);
  const select = lists ? new ListSelector(lists, into) : undefined;
  const best = new TopK(into.k);
  const breathe = new Breather(signal);
  const distance = (key: number) => (metric.ordersByRank && !into.asKeys ? metric.distance(key) : key);
  let pairs = 0;
  for (let i = 0; i < rowCount(rows); i++) {
    const query = rowAt(rows, i);
    evaluate.take(query);
    if (select) {
      pairs += select.select(i, query, (index) => evaluate.key(index), distance);
    } else {
      for (let row = 0; row < train.rows; row++) {
        if (!(into.withoutSelf && row === query)) best.push(evaluate.key(row), row);
        if ((row & 1023) === 1023) await breathe.between();
      }
      pairs += train.rows;
      best.drain(into.distances, into.indices, query * into.k);
      mapRow(into, query, distance);
    }
    await breathe.between();
  }
  return pairs;
}

/** Reads float32 results: every interval is a point, whose value times 2^rankExponent is the rank. */
export function collect(
  metric: Metric,
  rows: RowSet,
  lists: Lists & { readonly intervals: Float32Array },
  rankExponent: number,
  into: Neighbors,
): void {
  const { intervals, capacity } = lists;
  const select = new ListSelector(lists, into);
  for (let i = 0; i < rowCount(rows); i++) {
    select.select(
      i,
      rowAt(rows, i),
      (_, c) => intervals[2 * (i * capacity + c)],
      (value) => pointDistance(metric, value, rankExponent),
    );
  }
}

/** A float32 value as a distance; rounding may have left a squared distance or a cosine just outside its range. */
function pointDistance(metric: Metric, value: number, rankExponent: number): number {
  const rank = Number.isInteger(rankExponent)
    ? scaleByPowerOfTwo(value, rankExponent)
    : value * 2 ** rankExponent;
  if (metric.signed) return rank;
  const bounded = metric.name === "cosine" || metric.name === "correlation" ? Math.min(rank, 2) : rank;
  return metric.distance(Math.max(bounded, 0));
}

/** Float64 keys of the pairs of one query at a time. */
class Evaluator {
  readonly #metric: Metric;
  readonly #train: Matrix;
  readonly #queries: Matrix;
  readonly #query: Float64Array;
  readonly #row: Float64Array;

  constructor(metric: Metric, train: Matrix, queries: Matrix) {
    this.#metric = metric;
    this.#train = train;
    this.#queries = queries;
    this.#query = new Float64Array(queries.cols);
    this.#row = new Float64Array(train.cols);
  }

  take(query: number): void {
    readRow(this.#queries, query, this.#query);
    this.#metric.ready?.(this.#query);
  }

  /** What neighbours are ordered by. */
  key(index: number): number {
    readRow(this.#train, index, this.#row);
    this.#metric.ready?.(this.#row);
    const rank = this.#metric.rank(this.#row, this.#query);
    return this.#metric.ordersByRank ? rank : this.#metric.distance(rank);
  }
}

/** Selects from candidate lists, which ascend by index and are hardly longer than k, by sorting them. */
class ListSelector {
  readonly #lists: Lists;
  readonly #into: Neighbors;
  readonly #list: Neighborhood;
  readonly #spare: Neighborhood;

  constructor(lists: Lists, into: Neighbors) {
    this.#lists = lists;
    this.#into = into;
    this.#list = emptyNeighborhood(lists.capacity);
    this.#spare = emptyNeighborhood(lists.capacity);
  }

  /** Leaves the query alone if its list overflowed. @returns how many candidates it had otherwise */
  select(
    i: number,
    query: number,
    key: (index: number, c: number) => number,
    distance: (key: number) => number,
  ): number {
    const { heads, candidates, capacity } = this.#lists;
    const { k, indices, distances, withoutSelf } = this.#into;
    const count = heads[2 * i];
    if (count > capacity) return 0;
    let kept = 0;
    for (let c = 0; c < count; c++) {
      const index = candidates[i * capacity + c];
      if (withoutSelf && index === query) continue;
      this.#list.indices[kept] = index;
      this.#list.keys[kept] = key(index, c);
      kept++;
    }
    assert(kept >= k, `query ${query} has ${kept} candidates for ${k} neighbours`);
    sortAscending(this.#list, this.#spare, kept);
    distances.set(this.#list.keys.subarray(0, k), query * k);
    indices.set(this.#list.indices.subarray(0, k), query * k);
    mapRow(this.#into, query, distance);
    return count;
  }
}

function emptyNeighborhood(length: number): Neighborhood {
  return { keys: new Float64Array(length), indices: new Uint32Array(length) };
}

/** Keys of one query become distances. */
function mapRow({ k, distances }: Neighbors, query: number, distance: (key: number) => number): void {
  for (let at = query * k; at < (query + 1) * k; at++) distances[at] = distance(distances[at]);
}

/** Lets events through now and then, and stops when the caller aborted. */
class Breather {
  readonly #signal: AbortSignal | undefined;
  #pause = performance.now() + SLICE_MS;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  between(): Promise<void> | void {
    if (performance.now() > this.#pause) return this.#breathe();
  }

  async #breathe(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#signal?.throwIfAborted();
    this.#pause = performance.now() + SLICE_MS;
  }
}
