/**
 * Makes the rows that `nearfield bench knn` searches, and checks a sample of what it found: every pair of a
 * few queries is compared in float64, with no filter.
 */
import { resolveMetric } from "../../distance/anyMetric.ts";
import * as rare from "../../distance/measures/rare/index.ts";
import { fitMetric } from "../../distance/metric.ts";
import { atOnce } from "../../core/async/yielding.ts";
import type { KnnResult, MetricName } from "../../node.ts";

export interface FloatRows {
  readonly data: Float32Array;
  readonly rows: number;
  readonly cols: number;
}

export interface Agreement {
  readonly queries: number;
  /** So many queries have an index or a distance that differs from float64. */
  readonly wrongQueries: number;
  /** Distances differ by at most so much, relative to the larger of the two and 1. */
  readonly largestError: number;
}

/** Returns values that are uniform in [0, 1), from a seed (mulberry32). */
export function randomRows(rows: number, cols: number, seed: number): Float32Array {
  const data = new Float32Array(rows * cols);
  let state = seed | 0;
  for (let i = 0; i < data.length; i++) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    data[i] = ((mixed ^ (mixed >>> 14)) >>> 8) / 2 ** 24;
  }
  return data;
}

/** @returns undefined for an empty sample */
export function checkSample(
  train: FloatRows,
  queries: FloatRows,
  { indices, distances, k }: KnnResult,
  { metric, sample }: { readonly metric: MetricName; readonly sample: number },
): Agreement | undefined {
  const count = Math.min(sample, queries.rows);
  if (count === 0) return undefined;
  const { ready, rank, distance } = resolveMetric({ metric }, atOnce(fitMetric({ metric }, train, rare)));
  const rowOf = ({ data, cols }: FloatRows, row: number): Float64Array => {
    const values = Float64Array.from(data.subarray(row * cols, (row + 1) * cols));
    ready?.(values);
    return values;
  };
  let wrongQueries = 0;
  let largestError = 0;
  for (let i = 0; i < count; i++) {
    const query = Math.floor((i * queries.rows) / count);
    const own = rowOf(queries, query);
    const all = Float64Array.from({ length: train.rows }, (_, row) => distance(rank(rowOf(train, row), own)));
    const order = Uint32Array.from(all, (_, row) => row).sort((a, b) => all[a] - all[b] || a - b);
    let wrong = false;
    for (let rankth = 0; rankth < k; rankth++) {
      const at = query * k + rankth;
      const right = all[order[rankth]];
      const error = Math.abs(distances[at] - right) / Math.max(1, Math.abs(right), Math.abs(distances[at]));
      largestError = Math.max(largestError, error);
      wrong ||= indices[at] !== order[rankth] || distances[at] !== right;
    }
    if (wrong) wrongQueries++;
  }
  return { queries: count, wrongQueries, largestError };
}
