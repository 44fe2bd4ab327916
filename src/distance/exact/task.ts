/** The k nearest rows of one block of train, for some queries, by the metric's float64 definition: what a worker does of nearest.ts. */
import { readRow, type Matrix } from "../../core/matrix.ts";
import { resolveMetric, type Fitted, type MetricOptions } from "../metric.ts";
import { TopK } from "../topk.ts";

export interface NearestTask {
  /** What the metric is made of. */
  readonly options: MetricOptions;
  readonly fitted: Fitted;
  readonly train: Matrix;
  /** Row number of its first row. */
  readonly firstRow: number;
  readonly queries: Matrix;
  /** For each query the row number that is not its neighbour; undefined where all may be. */
  readonly selves: Uint32Array | undefined;
  readonly k: number;
}

/** Row-major [queries][k], first neighbour first; what a block has too few rows for holds index NO_ROW. */
export interface Nearest {
  /** What neighbours are ordered by. */
  readonly keys: Float64Array;
  readonly indices: Uint32Array;
}

export const NO_ROW = 0xffffffff;

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
