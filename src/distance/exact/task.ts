/**
 * This task finds the k nearest rows of one block of train, for some queries, by the metric's float64
 * definition: it is the workers' part of nearest.ts.
 */
import { readRow, type Matrix } from "../../core/matrix.ts";
import { handler } from "../../runtime/cpu/task.ts";
import { resolveMetric } from "../anyMetric.ts";
import { NO_ROW } from "../order.ts";
import { TopK } from "../topk.ts";
import { nearest, type Nearest, type NearestTask } from "./contract.ts";

export function nearestTask(task: NearestTask): Nearest {
  const { options, fitted, train, firstRow, queries, selves, k } = task;
  const { ordersByRank, rank, distance, ready } = resolveMetric(options, fitted);
  const read = (matrix: Matrix, index: number, row: Float64Array): Float64Array => {
    readRow(matrix, index, row);
    ready?.(row);
    return row;
  };
  const readyQueries = Array.from({ length: queries.rows }, (_, query) =>
    read(queries, query, new Float64Array(queries.cols)),
  );
  const best = readyQueries.map(() => new TopK(k));
  const row = new Float64Array(train.cols);
  for (let at = 0; at < train.rows; at++) {
    read(train, at, row);
    const index = firstRow + at;
    for (let query = 0; query < readyQueries.length; query++) {
      if (selves?.[query] === index) continue;
      const found = rank(row, readyQueries[query]);
      best[query].push(ordersByRank ? found : distance(found), index);
    }
  }
  const keys = new Float64Array(queries.rows * k);
  const indices = new Uint32Array(queries.rows * k).fill(NO_ROW);
  best.forEach((list, query) => list.drain(keys, indices, query * k));
  return { keys, indices };
}

export const handlers = [
  handler(nearest, (request) => {
    const result = nearestTask(request);
    return { result, transfer: [result.keys.buffer as ArrayBuffer, result.indices.buffer as ArrayBuffer] };
  }),
];
