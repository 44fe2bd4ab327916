/**
 * A task filters a block of queries against a range of references. These are its request, its result and the
 * room that its lists need. filter.ts cuts a step into tasks, and filterTask.ts runs one.
 */
import { copiesIn, type Slice } from "../../../runtime/cpu/buffers.ts";
import { task } from "../../../runtime/cpu/task.ts";
import type { KnnFilterParams, KnnMixedFilterParams, KnnPowerFilterParams } from "../contract/filter.ts";
import type { KnnSketchedFilterParams } from "../contract/sketch.ts";
import type { KnnTuning } from "./tuning.ts";

/**
 * A filter takes the parameters of `knn.filter`; with axes those of `knn.sketchedFilter`, with `mixed` those
 * of `knn.mixedFilter`, with `power` those of `knn.powerFilter`.
 */
export type KnnParams = KnnFilterParams &
  Partial<
    Pick<KnnSketchedFilterParams, "axes"> &
      Pick<KnnMixedFilterParams, "mixed"> &
      Pick<KnnPowerFilterParams, "power">
  >;

/**
 * A worker gets this request. Slices begin at the task's first query and first reference; `refBegin` says
 * where that is in the buffer.
 */
export interface FilterTask extends FilterTaskResult {
  readonly params: KnnParams;
  readonly tuning: Pick<
    KnnTuning,
    "depth" | "tileBytes" | "tileRows" | "rowsBytes" | "fewestQuantized" | "quantizedCost" | "mostPaused"
  >;
  readonly queries: Slice;
  readonly queryMeta: Slice;
  readonly refs: Slice;
  readonly refMeta: Slice;
  /** With `knn.sketchedFilter` these sketches are summed instead of the rows. */
  readonly sketch: FilterTaskSketch | undefined;
}

export interface FilterTaskSketch {
  readonly axes: number;
  readonly queries: Slice;
  readonly queryFloors: Slice;
  readonly refs: Slice;
  readonly refFloors: Slice;
}

export function slicesOf(task: FilterTask): Slice[] {
  const { queries, queryMeta, refs, refMeta, sketch, heads, candidates, intervals } = task;
  const sketches = sketch ? [sketch.queries, sketch.queryFloors, sketch.refs, sketch.refFloors] : [];
  return [queries, queryMeta, refs, refMeta, ...sketches, heads, candidates, intervals];
}

/** A task changes these lists in place. */
export interface FilterTaskResult {
  readonly heads: Slice;
  readonly candidates: Slice;
  readonly intervals: Slice;
}

export function returned(result: FilterTaskResult): ArrayBuffer[] {
  return copiesIn([result.heads, result.candidates, result.intervals]);
}

/**
 * Returns how many entries the module needs room for in one list that holds at most `held` before: it cuts a
 * list down when that is one over its capacity or, with `cut` and without `keepAll`, half above k.
 */
export function listRoom({ cut, keepAll, k, capacity, refRows }: KnnFilterParams, held: number): number {
  const most = cut && !keepAll ? k + Math.max(Math.floor(k / 2), 1) : capacity + 1;
  return Math.min(most, held + refRows);
}

export const filterTask = task<FilterTask, FilterTaskResult>("knn.filter");
