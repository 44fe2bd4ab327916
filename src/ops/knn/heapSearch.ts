/**
 * For each query, the training rows that may enter a bounded heap of its k nearest, found by a search that keeps histories, or the
 * heap itself where the device replayed it. A file of its own, so that programs which replay no heap do without it.
 */
import { assert } from "../../core/errors.ts";
import type { Matrix } from "../../core/matrix.ts";
import { takeHeapCandidates } from "./heapCandidates.ts";
import type { HeapTaker, KeptLists } from "./heapCandidates.ts";
import type { ExecuteOptions } from "../../runtime/execute.ts";
import { loadReplay } from "../../runtime/kernels.ts";
import type { Explanation } from "./plan/explain.ts";
import type { KnnPlan, RefineStep } from "./plan/knn.ts";
import { PLACES, replayProgram } from "./plan/replay.ts";
import { separates } from "../../distance/forms/technique.ts";
import type { KnnIndex } from "./knnIndex.ts";

/**
 * Tells `taker` of each query, in any order.
 * @returns how they were found
 */
export async function searchHeapCandidates(
  index: KnnIndex,
  queries: Matrix,
  k: number,
  taker: HeapTaker,
  options: ExecuteOptions,
): Promise<Explanation> {
  const metric = index.metricFor(queries);
  if (index.device.info.kind === "gpu") await loadReplay();
  return index.searchHistories(
    queries,
    k,
    replayProgram,
    (plan, { finish }, downloads) => {
      assert(finish.kind === "refine", "distances in float32 enter no heap");
      const lists = finish.lists && keptLists(plan, finish.lists, downloads);
      return takeHeapCandidates(metric, index.train, queries, finish.rows, lists, taker, options.signal);
    },
    options,
  );
}

function keptLists(
  { technique, problem }: KnnPlan,
  { heads, candidates, capacity, keys, intervals }: NonNullable<RefineStep["lists"]>,
  downloads: ReadonlyMap<string, ArrayBuffer>,
): KeptLists {
  const download = (name: string) => downloads.get(name) ?? new ArrayBuffer(0);
  const places = downloads.get(PLACES);
  return {
    heads: new Uint32Array(download(heads)),
    candidates: new Uint32Array(download(candidates)),
    capacity,
    ranks: keys === undefined ? undefined : new Float64Array(download(keys)),
    intervals: intervals === undefined ? undefined : new Float32Array(download(intervals)),
    separates: technique.form !== "none" && separates(technique),
    places: places && { k: problem.k, words: new Uint32Array(places) },
  };
}
