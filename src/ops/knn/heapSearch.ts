/**
 * This finds, for each query, the training rows that may enter a bounded heap of its k nearest, by a search
 * with keep-all lists, or the heap itself where the device replayed it. It is a file of its own, so that
 * programs which replay no heap do without it.
 */
import { assert } from "../../core/errors.ts";
import type { Matrix } from "../../core/matrix.ts";
import { takeHeapCandidates } from "./heapCandidates.ts";
import type { HeapTaker, KeptLists } from "./heapCandidates.ts";
import type { ExecuteOptions } from "../../runtime/execute.ts";
import type { KnnExplanation } from "./plan/explain.ts";
import type { KnnPlan } from "./plan/knnPlan.ts";
import type { RefineStep } from "./plan/knnPlan.ts";

import { PLACES, replayProgram } from "./plan/replay.ts";
import type { KnnIndex } from "./knnIndex.ts";
import { runKnn, type KnnCall } from "./run.ts";
import { separates } from "../../distance/forms/filter.ts";

/**
 * Gives `taker` the candidates of each query, in any order.
 * @returns how they were found
 */
export async function searchHeapCandidates(
  index: KnnIndex,
  queries: Matrix,
  k: number,
  taker: HeapTaker,
  options: ExecuteOptions,
): Promise<KnnExplanation> {
  const { rows } = index;
  const metric = rows.metricFor(queries);
  options.signal?.throwIfAborted();
  const call: KnnCall = {
    queries,
    k,
    keepAll: true,
    program: replayProgram,
    finish: (plan, { finish }, downloads) => {
      assert(finish.kind === "refine", "distances in float32 enter no heap");
      const lists = finish.lists && keptLists(plan, finish.lists, downloads);
      return takeHeapCandidates(metric, rows.train, queries, finish.rows, lists, taker, options.signal);
    },
  };
  return runKnn(rows, call, options);
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
