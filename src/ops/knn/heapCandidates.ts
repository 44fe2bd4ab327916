/**
 * This is the host's part of a search with keep-all lists. For each query it finds the rows that may enter a
 * bounded heap of its k nearest, in training order, with their float64 distances, or only those the heap kept
 * where a device replayed it. Distances are evaluated when they are asked for, since the intervals of the
 * filter tell most of them apart. The caller brings the heap, which has rules of its own for ties.
 */
import { rowAt, rowCount } from "../../runtime/source.ts";
import type { RowSet } from "../../runtime/source.ts";
import type { Matrix } from "../../core/matrix.ts";
import type { Metric } from "../../distance/metric.ts";
import { UNDECIDED } from "./contract/replay.ts";
import { insertAscending, sortAscending } from "../../distance/topk.ts";
import type { Neighborhood } from "../../distance/topk.ts";
import { rowsBetweenLooks, Yielder } from "../../core/async/yielding.ts";
import { Evaluator, emptyNeighborhood } from "./refine.ts";

/**
 * These rows of one query, in training order, are all that enter the heap, maybe with others. A place is the
 * number of one of them, from 0.
 */
export interface HeapCandidates {
  readonly count: number;
  row(place: number): number;
  /** Returns the distance in float64. */
  distance(place: number): number;
  /**
   * Each place has this low end. A row whose low end is above the high end of another is farther, which saves
   * asking for their distances.
   */
  readonly lows: Float64Array;
  readonly highs: Float64Array;
}

/** Lets events through where it is time to, and rejects once the caller aborted. */
export type Pause = () => Promise<void> | void;

/** Takes heaps or their candidates. Calls for one query are over before those for the next begin. */
export interface HeapTaker {
  /**
   * Takes the row at position `at` of the array of a heap that a device replayed; it is called for each of
   * them.
   */
  keep(query: number, at: number, row: number, distance: number): void;
  /**
   * Replays a heap over these candidates, which the next call overwrites. An implementation that takes long
   * calls `pause` on the way.
   */
  replay(query: number, candidates: HeapCandidates, pause: Pause): Promise<void> | void;
}

/** A filter with keep-all lists leaves these candidate lists. */
export interface KeptLists {
  readonly heads: Uint32Array;
  readonly candidates: Uint32Array;
  readonly capacity: number;
  /** Each candidate has its low and its high end; undefined where the device left ranks instead. */
  readonly intervals: Float32Array | undefined;
  readonly ranks: Float64Array | undefined;
  /** Says whether a row whose low end is above another's high end is farther, or at least not nearer. */
  readonly separates: boolean;
  readonly places: ReplayedPlaces | undefined;
}

/** `knn.replay` leaves k words for each list. */
export interface ReplayedPlaces {
  readonly k: number;
  readonly words: Uint32Array;
}

/**
 * Up to this many entries are sorted by insertion. Blocks of references follow each other, so that only those
 * of one block, k of them for the most part, are in no order.
 */
const INSERTED = 512;

/** From this low end on, rows were known to have no distance: NaN. */
const FORESEEN = 2 ** 110;

/**
 * Gives `taker` the candidates of each query that has a list, or all rows where there are no lists. It waits
 * only where it is time to pause.
 * @returns the number of pairs evaluated
 */
export async function takeHeapCandidates(
  metric: Metric,
  train: Matrix,
  queries: Matrix,
  rows: RowSet,
  lists: KeptLists | undefined,
  taker: HeapTaker,
  signal: AbortSignal | undefined,
): Promise<number> {
  const evaluator = new Evaluator(metric, train, queries);
  const yielder = new Yielder(signal);
  const pause = async () => {
    if (yielder.due) await yielder.next();
  };
  const heaps = lists?.places && new ReplayedHeaps(metric, evaluator, lists, lists.places);
  const step = rowsBetweenLooks(train.cols);
  const listed = lists && new ListedCandidates(metric, evaluator, lists, step);
  const all = new AllRows(metric, evaluator, train.rows);
  const takeAll = async (query: number) => {
    for (let row = 0; row < train.rows; row++) {
      all.evaluate(row);
      if ((row + 1) % step === 0) await pause();
    }
    await taker.replay(query, all, pause);
    return train.rows;
  };
  let pairs = 0;
  for (let i = 0; i < rowCount(rows); i++) {
    if (lists && lists.heads[2 * i] > lists.capacity) continue;
    const query = rowAt(rows, i);
    if (heaps?.isDecided(i)) {
      pairs += heaps.take(i, query, taker);
    } else {
      evaluator.take(query);
      const opening = listed?.open(i, pause);
      if (opening) await opening;
      if (listed && !listed.hasSurprise) {
        const taking = taker.replay(query, listed, pause);
        if (taking) await taking;
      } else {
        pairs += await takeAll(query);
      }
      pairs += listed?.evaluated ?? 0;
    }
    if (yielder.due) await yielder.next();
  }
  return pairs;
}

/** A device replayed these heaps: only their rows are left to evaluate. */
class ReplayedHeaps {
  readonly #metric: Metric;
  readonly #evaluator: Evaluator;
  readonly #lists: KeptLists;
  readonly #places: ReplayedPlaces;

  constructor(metric: Metric, evaluator: Evaluator, lists: KeptLists, places: ReplayedPlaces) {
    this.#metric = metric;
    this.#evaluator = evaluator;
    this.#lists = lists;
    this.#places = places;
  }

  isDecided(i: number): boolean {
    const { k, words } = this.#places;
    return words[i * k] !== UNDECIDED;
  }

  /** Gives the heap of list number i to `taker`. @returns the number of pairs evaluated */
  take(i: number, query: number, taker: HeapTaker): number {
    const { heads, candidates, capacity, ranks } = this.#lists;
    const { k, words } = this.#places;
    const count = Math.min(k, heads[2 * i]);
    if (!ranks) this.#evaluator.take(query);
    for (let at = 0; at < count; at++) {
      const entry = i * capacity + words[i * k + at];
      const row = candidates[entry];
      const distance = ranks
        ? this.#metric.distance(ranks[entry])
        : distanceOf(this.#metric, this.#evaluator, row);
      taker.keep(query, at, row, distance);
    }
    return ranks ? 0 : count;
  }
}

class ListedCandidates implements HeapCandidates {
  count = 0;
  evaluated = 0;
  /** This is true where a distance is NaN and no interval foresaw it: then that of any row may be. */
  hasSurprise = false;
  readonly #metric: Metric;
  readonly #evaluator: Evaluator;
  readonly #lists: KeptLists;
  /** The rows lie in their order, each with its entry of the list. */
  readonly #sorted: Neighborhood;
  readonly #spare: Neighborhood;
  readonly #distances: Float64Array;
  readonly #known: Uint8Array;
  /** This many rows are evaluated between two pauses. */
  readonly #step: number;
  readonly lows: Float64Array;
  readonly highs: Float64Array;

  constructor(metric: Metric, evaluator: Evaluator, lists: KeptLists, step: number) {
    this.#step = step;
    this.#metric = metric;
    this.#evaluator = evaluator;
    this.#lists = lists;
    this.#sorted = emptyNeighborhood(lists.capacity);
    this.#spare = emptyNeighborhood(lists.capacity);
    this.#distances = new Float64Array(lists.capacity);
    this.#known = new Uint8Array(lists.capacity);
    this.lows = new Float64Array(lists.capacity).fill(-Infinity);
    this.highs = new Float64Array(lists.capacity).fill(Infinity);
  }

  /** Opens list number i, of the query that the evaluator took. */
  open(i: number, pause: Pause): Promise<void> | void {
    const { heads, candidates, intervals, capacity, separates } = this.#lists;
    const { keys, indices } = this.#sorted;
    this.count = heads[2 * i];
    this.evaluated = 0;
    this.hasSurprise = false;
    for (let at = 0; at < this.count; at++) {
      keys[at] = candidates[i * capacity + at];
      indices[at] = i * capacity + at;
    }
    if (this.count <= INSERTED) insertAscending(this.#sorted, this.count);
    else sortAscending(this.#sorted, this.#spare, this.count);
    this.#known.fill(0, 0, this.count);
    if (separates && intervals) this.#takeEnds(intervals);
    else return this.#evaluate(intervals, pause);
  }

  async #evaluate(intervals: Float32Array | undefined, pause: Pause): Promise<void> {
    const { indices } = this.#sorted;
    for (let place = 0; place < this.count; place++) {
      const foreseen = intervals !== undefined && intervals[2 * indices[place]] >= FORESEEN;
      if (Number.isNaN(this.distance(place)) && !foreseen) this.hasSurprise = true;
      if ((place + 1) % this.#step === 0) await pause();
    }
  }

  #takeEnds(intervals: Float32Array): void {
    const { indices } = this.#sorted;
    for (let place = 0; place < this.count; place++) {
      this.lows[place] = intervals[2 * indices[place]];
      this.highs[place] = intervals[2 * indices[place] + 1];
    }
  }

  row(place: number): number {
    return this.#sorted.keys[place];
  }

  distance(place: number): number {
    if (this.#known[place] === 0) {
      this.#known[place] = 1;
      this.#distances[place] = this.#distanceOf(place);
    }
    return this.#distances[place];
  }

  #distanceOf(place: number): number {
    const { ranks } = this.#lists;
    if (ranks) return this.#metric.distance(ranks[this.#sorted.indices[place]]);
    this.evaluated++;
    return distanceOf(this.#metric, this.#evaluator, this.row(place));
  }
}

/** All rows are candidates where there is no list, and every row is its own place. */
class AllRows implements HeapCandidates {
  readonly count: number;
  readonly #metric: Metric;
  readonly #evaluator: Evaluator;
  #distances = new Float64Array();

  constructor(metric: Metric, evaluator: Evaluator, count: number) {
    this.#metric = metric;
    this.#evaluator = evaluator;
    this.count = count;
  }

  get lows(): Float64Array {
    return this.#distances;
  }

  get highs(): Float64Array {
    return this.#distances;
  }

  evaluate(row: number): void {
    if (this.#distances.length === 0) this.#distances = new Float64Array(this.count);
    this.#distances[row] = distanceOf(this.#metric, this.#evaluator, row);
  }

  row(place: number): number {
    return place;
  }

  distance(place: number): number {
    return this.#distances[place];
  }
}

function distanceOf(metric: Metric, evaluator: Evaluator, row: number): number {
  const key = evaluator.key(row);
  return metric.ordersByRank ? metric.distance(key) : key;
}
