/**
 * For each query, the training rows that may enter a bounded heap of its k nearest, found by a search that keeps histories. A
 * file of its own, so that programs which replay no heap do without it.
 */
import { assert } from "../core/errors.ts";
import type { Matrix } from "../core/matrix.ts";
import { takeEntrants } from "../engine/entrants.ts";
import type { Entrants, Histories, Pause } from "../engine/entrants.ts";
import type { ExecuteOptions } from "../engine/execute.ts";
import type { Explanation } from "../plan/explain.ts";
import type { KnnPlan, RefineStep } from "../plan/knn.ts";
import type { Filter } from "../plan/technique.ts";
import type { KnnIndex } from "./knn.ts";

/**
 * Calls `take` once for each query, in any order, with rows in training order that are overwritten by the next call; what takes long
 * calls `pause` on the way.
 * @returns how they were found
 */
export function searchEntrants(
  index: KnnIndex,
  queries: Matrix,
  k: number,
  take: (query: number, entrants: Entrants, pause: Pause) => Promise<void>,
  options: ExecuteOptions,
): Promise<Explanation> {
  const metric = index.metricFor(queries);
  return index.searchHistories(
    queries,
    k,
    (plan, { finish }, downloads) => {
      assert(finish.kind === "refine", "distances in float32 enter no heap");
      const lists = finish.lists && historiesOf(plan, finish.lists, downloads);
      return takeEntrants(metric, index.train, queries, finish.rows, lists, take, options.signal);
    },
    options,
  );
}

function historiesOf(
  { technique }: KnnPlan,
  { heads, candidates, capacity, keys, intervals }: NonNullable<RefineStep["lists"]>,
  downloads: ReadonlyMap<string, ArrayBuffer>,
): Histories {
  const download = (name: string) => downloads.get(name) ?? new ArrayBuffer(0);
  return {
    heads: new Uint32Array(download(heads)),
    candidates: new Uint32Array(download(candidates)),
    capacity,
    ranks: keys === undefined ? undefined : new Float64Array(download(keys)),
    intervals: intervals === undefined ? undefined : new Float32Array(download(intervals)),
    separates: technique.form !== "none" && separates(technique),
  };
}

/** Whether a larger value is a larger distance, or none where the interval says so. */
function separates({ isRank, points, ties }: Filter): boolean {
  return points || (isRank && ties === undefined);
}
