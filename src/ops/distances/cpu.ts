/**
 * This is the work on one block of pairs: their distances by the metric's float64 definition, the ranges of
 * these, and their counts. Workers do it at once, the main thread in pieces.
 */
import { atOnce, rowsBetweenLooks, type Yielding } from "../../core/async/yielding.ts";
import { OutOfMemoryError } from "../../core/errors.ts";
import { readRow, type Matrix } from "../../core/matrix.ts";
import { resolveMetric } from "../../distance/metric.ts";
import { handler } from "../../runtime/cpu/task.ts";
import { binCount, countDistances } from "./counting.ts";
import {
  distancesTask,
  OUTSIDE,
  type BlockRows,
  type DistancesResult,
  type DistancesTask,
} from "./contract.ts";

export function* workOnBlock(task: DistancesTask): Yielding<DistancesResult> {
  const { queries, of, selves, bins, keeps } = task;
  const distances = of instanceof Float64Array ? of : yield* evaluate(of);
  const width = bins ? binCount(bins) : 0;
  const ranges = memoryFor(queries * 2).fill(NaN);
  const counts = bins && new Uint32Array(queries * width);
  const outside = bins && new Uint32Array(queries * OUTSIDE);
  const rows = distances.length / queries;
  for (let query = 0; query < queries; query++) {
    const own = distances.subarray(query * rows, (query + 1) * rows);
    const self = selves?.[query] ?? -1;
    for (const part of self < 0 ? [own] : [own.subarray(0, self), own.subarray(self + 1)]) {
      widenBy(part, ranges, 2 * query);
      if (bins)
        countDistances(
          part,
          bins,
          query,
          counts!.subarray(query * width, (query + 1) * width),
          outside!.subarray(query * OUTSIDE, (query + 1) * OUTSIDE),
        );
    }
    yield;
  }
  return { ranges, counts, outside, distances: keeps ? distances : undefined };
}

/** Evaluates all pairs, [queries][rows]. A distance of -0 becomes 0, which it equals. */
function* evaluate({ options, fitted, train, queries }: BlockRows): Yielding<Float64Array> {
  const { rank, distance, ready } = resolveMetric(options, fitted);
  const read = (matrix: Matrix, index: number, row: Float64Array): Float64Array => {
    readRow(matrix, index, row);
    ready?.(row);
    return row;
  };
  const distances = memoryFor(queries.rows * train.rows);
  const readyQueries: Float64Array[] = [];
  for (let query = 0; query < queries.rows; query++)
    readyQueries.push(read(queries, query, new Float64Array(queries.cols)));
  const row = new Float64Array(train.cols);
  const look = rowsBetweenLooks(train.cols);
  let pairs = 0;
  for (let at = 0; at < train.rows; at++) {
    read(train, at, row);
    for (let query = 0; query < readyQueries.length; query++) {
      distances[query * train.rows + at] = distance(rank(row, readyQueries[query])) + 0;
      if (++pairs % look === 0) yield;
    }
  }
  return distances;
}

/** Widens the range at `at` so that it holds all finite ones of some distances. */
function widenBy(distances: Float64Array, ranges: Float64Array, at: number): void {
  let [min, max] = [Infinity, -Infinity];
  for (let i = 0; i < distances.length; i++) {
    const distance = distances[i];
    if (distance < min && distance > -Infinity) min = distance;
    if (distance > max && distance < Infinity) max = distance;
  }
  if (min > max) return;
  mergeRange(ranges, at, min, max);
}

/** Widens the range at `at` so that it holds two more numbers; NaN stands for none. */
export function mergeRange(ranges: Float64Array, at: number, min: number, max: number): void {
  if (!(ranges[at] <= min)) ranges[at] = Number.isNaN(min) ? ranges[at] : min;
  if (!(ranges[at + 1] >= max)) ranges[at + 1] = Number.isNaN(max) ? ranges[at + 1] : max;
}

/** @throws OutOfMemoryError where so many numbers cannot be had */
function memoryFor(numbers: number): Float64Array {
  try {
    return new Float64Array(numbers);
  } catch (cause) {
    const bytes = numbers * 8;
    throw new OutOfMemoryError(`${bytes} bytes for the distances of some rows cannot be had`, bytes, cause);
  }
}

export const handlers = [
  handler(distancesTask, (request) => {
    const result = atOnce(workOnBlock(request));
    const arrays = [result.ranges, result.counts, result.outside, result.distances];
    return { result, transfer: arrays.flatMap((array) => (array ? [array.buffer as ArrayBuffer] : [])) };
  }),
];
