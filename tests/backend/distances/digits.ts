/** MNIST digits counted by bins, beside plain loops, which are exact: sums of squares of bytes are whole. */
import { expect } from "vitest";
import { distanceHistogram, type Device, type DistanceHistogramResult } from "../../../dist/node.js";
import { binnedInOrder, edgesBetween, finiteRange } from "../../oracle/distances.ts";
import type { Digits } from "../models/helpers.mnist.ts";

export async function expectDigits(train: Digits, queries: Digits, device: Device): Promise<void> {
  const numbersOfBins = [5, 5000];
  const found: DistanceHistogramResult[] = [];
  for (const bins of numbersOfBins) found.push(await distanceHistogram(train, queries, { bins, device }));
  if (device.info.kind === "gpu")
    for (const { explanation } of found) expect(explanation.technique).not.toContain("float64 throughout");
  for (let query = 0; query < queries.rows; query++) {
    const distances = distancesTo(train, queries, query);
    const [min, max] = finiteRange(distances);
    numbersOfBins.forEach((bins, at) => {
      const { counts, below, above, nan, ...result } = found[at];
      expect([result.min[query], result.max[query]]).toEqual([min, max]);
      const expected = binnedInOrder(distances, edgesBetween(min, max, bins));
      expect([...counts.subarray(query * bins, (query + 1) * bins)]).toEqual(expected.counts);
      expect([below[query], above[query], nan[query]]).toEqual([0, 0, 0]);
    });
  }
}

function distancesTo(train: Digits, queries: Digits, query: number): number[] {
  const { cols } = train;
  const asked = Float64Array.from(queries.data.subarray(query * cols, (query + 1) * cols));
  const distances = new Array<number>(train.rows);
  for (let row = 0, at = 0; row < train.rows; row++) {
    let sum = 0;
    for (let j = 0; j < cols; j++, at++) sum += (asked[j] - train.data[at]) ** 2;
    distances[row] = Math.sqrt(sum);
  }
  return distances;
}
