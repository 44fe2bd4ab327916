/** Counts of a GPU beside plain loops over distances that are given. */
import { expect } from "vitest";
import type { distanceHistogram } from "../../../dist/node.js";
import { binned, edgesBetween, finiteRange } from "../../oracle/distances.ts";
import { bruteForce, type Question } from "../../oracle/knn.ts";
import type { Flat } from "../inputs.ts";

export type Options = Parameters<typeof distanceHistogram>[2];
export type Result = Awaited<ReturnType<typeof distanceHistogram>>;

/** Puts sorted distances back in the order of the rows. */
export function inOrder(
  { indices, distances }: { indices: ArrayLike<number>; distances: ArrayLike<number> },
  rows: number,
): number[][] {
  return Array.from({ length: indices.length / rows }, (_, query) => {
    const own = new Array<number>(rows);
    for (let at = query * rows; at < (query + 1) * rows; at++) own[indices[at]] = distances[at];
    return own;
  });
}

export const exactDistances = (train: Flat, queries: Flat, measure: Omit<Question, "k"> = {}) =>
  inOrder(bruteForce(train, queries, { ...measure, k: train.rows }), train.rows);

/** Compares a result with plain loops over the distances of each query, in the order of the rows. */
export function expectCounts(result: Result, all: number[][], options: Options): void {
  const { bins = options.edges!.length - 1, range = "query" } = options;
  const kept = all.map((own, query) => own.filter((_, row) => !(options.excludeSelf && row === query)));
  const whole = finiteRange(kept.flat());
  const rangeOf = (own: number[]) => (range === "query" ? finiteRange(own) : range === "all" ? whole : range);
  kept.forEach((own, query) => {
    const edges = options.edges ? Array.from(options.edges) : edgesBetween(...rangeOf(own), bins);
    const expected = binned(own, edges);
    expect([result.min[query], result.max[query]]).toEqual(finiteRange(own));
    expect([...result.counts.subarray(query * bins, (query + 1) * bins)]).toEqual(expected.counts);
    expect([result.below[query], result.above[query], result.nan[query]]).toEqual([
      expected.below,
      expected.above,
      0,
    ]);
    expect([...result.edges(query)]).toEqual(edges);
    expect(result.constant[query]).toBe(edges[0] === edges[bins] ? 1 : 0);
  });
}

export function rounded({ data, rows, cols }: Flat): Flat {
  return { data: Float32Array.from(data as Float64Array), rows, cols };
}
