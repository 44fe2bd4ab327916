/**
 * This works on one block of pairs: it evaluates distances by the metric's float64 definition, finds their
 * ranges, and counts them. Workers do it at once, the main thread in pieces.
 */
import { atOnce, rowsBetweenLooks, type Yielding } from "../../core/async/yielding.ts";
import { readRow, type Matrix } from "../../core/matrix.ts";
import { resolveMetric } from "../../distance/anyMetric.ts";
import { wasmHandler } from "../../runtime/cpu/task.ts";
import { countDistances } from "./counting.ts";
import { distancesTask, type BlockRows, type DistancesResult, type DistancesTask } from "./contract.ts";
import { coreOf, type DistanceKernels } from "./kernels.ts";
import { memoryFor, mergeRange, DistanceTally } from "./tally.ts";
import { workInWasm } from "./inWasm.ts";
import { workOnValues } from "./values.ts";

export function* workOnBlock(task: DistancesTask): Yielding<DistancesResult> {
  const { queries, of, selves, keeps } = task;
  const tally = new DistanceTally(task);
  const distances = of instanceof Float64Array ? of : yield* evaluate(of);
  tally.lap("evaluate");
  const rows = distances.length / queries;
  for (let query = 0; query < queries; query++) {
    const own = distances.subarray(query * rows, (query + 1) * rows);
    const self = selves?.[query] ?? -1;
    const parts = self < 0 ? [own] : [own.subarray(0, self), own.subarray(self + 1)];
    for (const part of parts) widenBy(part, tally.ranges, 2 * query);
    tally.lap("range");
    const by = tally.binsOf(query);
    if (by) for (const part of parts) countDistances(part, by, tally.countsOf(query), tally.outsideOf(query));
    tally.lap("count");
    yield;
  }
  return tally.result(keeps ? distances : undefined);
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

/** Widens the range at `at` so that it holds every finite distance of these. */
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

function inWasm(...work: Parameters<typeof workInWasm>): DistancesResult {
  return workOnValues(...work) ?? workInWasm(...work);
}

export const handlers = [
  wasmHandler(distancesTask, (task, { kernels, memory }) => {
    const rows = task.of instanceof Float64Array ? undefined : task.of;
    const core = rows && coreOf(resolveMetric(rows.options, rows.fitted));
    const result = core
      ? inWasm(task, rows, core, kernels as unknown as DistanceKernels, memory)
      : atOnce(workOnBlock(task));
    const arrays = [result.ranges, result.counts, result.outside, result.distances];
    return { result, transfer: arrays.flatMap((array) => (array ? [array.buffer as ArrayBuffer] : [])) };
  }),
];
