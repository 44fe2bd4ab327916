/** The plain loops that results of distance histograms are compared with. */
import { expect } from "vitest";
import { distanceHistogram, type DistanceCounts } from "../../../dist/node.js";
import { binned, edgesBetween, finiteRange } from "../../oracle/distances.ts";
import { bruteForce, type Question } from "../../oracle/knn.ts";
import type { Flat } from "../inputs.ts";

export type Options = Parameters<typeof distanceHistogram>[2];

/** The distances of each query in the order of the rows. */
export function distancesOf(train: Flat, queries: Flat, measure: Omit<Question, "k"> = {}): number[][] {
  const { indices, distances } = bruteForce(train, queries, { ...measure, k: train.rows });
  return Array.from({ length: queries.rows }, (_, query) => {
    const own = new Array<number>(train.rows);
    for (let at = query * train.rows; at < (query + 1) * train.rows; at++) own[indices[at]] = distances[at];
    return own;
  });
}

/** Compares a result with plain loops over the same distances. */
export async function expectExact(
  all: number[][],
  train: Flat,
  queries: Flat,
  options: Options,
): Promise<void> {
  expectCounts(await distanceHistogram(train, queries, options), all, options);
}

export function expectCounts(result: DistanceCounts, all: number[][], options: Options): void {
  const { bins = options.edges!.length - 1, range = "query" } = options;
  const kept = all.map((own, query) => own.filter((_, row) => !(options.excludeSelf && row === query)));
  const whole = finiteRange(kept.flat());
  const rangeOf = (own: number[]) => (range === "query" ? finiteRange(own) : range === "all" ? whole : range);
  kept.forEach((own, query) => {
    const edges = options.edges ? Array.from(options.edges) : edgesBetween(...rangeOf(own), bins);
    const expected = binned(own, edges);
    expect([...result.counts.subarray(query * bins, (query + 1) * bins)]).toEqual(expected.counts);
    expect([result.below[query], result.above[query], result.nan[query]]).toEqual([
      expected.below,
      expected.above,
      expected.nan,
    ]);
    expect([result.min[query], result.max[query]]).toEqual(finiteRange(own).map((end) => end + 0));
    expect([...result.edges(query)]).toEqual(edges.map((edge) => edge + 0));
    expect(result.constant[query]).toBe(edges[0] === edges[bins] ? 1 : 0);
  });
}
