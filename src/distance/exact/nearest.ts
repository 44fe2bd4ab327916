/**
 * This module finds nearest rows by the float64 definition of a metric, in workers, for metrics that no
 * filter serves. Blocks of train and of queries are copied to workers as they are; each finds the k nearest
 * of its block (task.ts), and the caller merges them.
 */
import { rowAt, rowCount, sliceRows, type RowSet } from "../../runtime/source.ts";
import { ceilDiv, clamp, spans, type Span } from "../../core/math.ts";
import type { Matrix } from "../../core/matrix.ts";
import { FEWEST_SHARED, isShareable, type AllPairs } from "./allPairs.ts";
import { settleAll } from "../../core/async/settleAll.ts";
import { tuned } from "../../runtime/cpu/tuning.ts";
import { retried } from "../../runtime/cpu/retried.ts";
import type { Workers } from "../../runtime/cpu/workers.ts";
import { NO_ROW } from "../order.ts";
import { nearest, type Nearest, type NearestTask } from "./contract.ts";

export const exactTuning = {
  /**
   * The main thread, which need not copy rows to workers, evaluates all pairs in float64 where they have
   * fewer steps of columns.
   */
  fewestExact: FEWEST_SHARED,
  /** A task has at most this many steps of columns, some 50 to 100 ms, and its queries. */
  exactTask: 2 ** 24,
  exactQueries: 64,
  /** So many bytes of train are copied for one task. */
  copyBytes: 2 ** 23,
} as const;

/** @returns pairs evaluated; undefined, with nothing done, where the caller's thread may as well do it */
export async function evaluateByWorkers(all: AllPairs, context: Workers): Promise<number | undefined> {
  const { train, rows, signal, found } = all;
  if (!isShareable(all, context.threads, tuned(exactTuning, context.tuning).fewestExact)) return undefined;
  const tasks = cutsOf(all, context).map((cut) => async (failed: AbortSignal) => {
    const { keys, indices } = await nearestOf(all, cut, context, failed);
    const { begin, end } = cut.queries;
    const k = indices.length / (end - begin);
    for (let at = 0; at < indices.length; at++)
      if (indices[at] !== NO_ROW) found(begin + Math.floor(at / k), keys[at], indices[at]);
  });
  await settleAll(tasks, signal);
  return rowCount(rows) * train.rows;
}

interface PairCut {
  /** A task takes this range of the places in `rows`, and that of the rows of train. */
  readonly queries: Span;
  readonly train: Span;
}

/**
 * Cuts the work into tasks long enough to be worth their messages, and short enough to share out and to
 * abort.
 */
function cutsOf({ train, rows }: AllPairs, { tuning: overrides, threads }: Workers): PairCut[] {
  const tuning = tuned(exactTuning, overrides);
  const count = rowCount(rows);
  const rowBytes = train.cols * train.data.BYTES_PER_ELEMENT;
  const wanted = Math.floor(tuning.exactTask / (Math.min(count, tuning.exactQueries) * train.cols));
  const copyable = Math.floor(tuning.copyBytes / rowBytes);
  const fair = ceilDiv(train.rows, threads);
  const trainRows = clamp(Math.min(wanted, copyable, fair), 1, train.rows);
  return spans(count, tuning.exactQueries).flatMap((queries) =>
    spans(train.rows, trainRows).map((span) => ({ queries, train: span })),
  );
}

async function nearestOf(
  all: AllPairs,
  cut: PairCut,
  { pool }: Workers,
  failed: AbortSignal,
): Promise<Nearest> {
  const { k, withoutSelf, fitted, signal } = all;
  const { metric, p, kernel, columnWeights, missing } = all.options;
  const weights = columnWeights && Float64Array.from(columnWeights);
  const rows = sliceRows(all.rows, cut.queries.begin, cut.queries.end);
  const prepare = () => {
    const train = blockOf(all.train, cut.train);
    const queries = blockOf(all.queries, rows);
    const request: NearestTask = {
      options: { metric, p, kernel, columnWeights: weights, missing },
      fitted: { ...fitted, whitening: undefined },
      train,
      firstRow: cut.train.begin,
      queries,
      selves: withoutSelf ? numbersOf(rows) : undefined,
      k: Math.min(k, train.rows),
    };
    return { request, transfer: [train, queries].map(({ data }) => data.buffer as ArrayBuffer) };
  };
  return retried(() => pool.run(nearest, prepare, ...(signal ? [signal, failed] : [failed])));
}

/** Copies a block of rows. */
function blockOf({ data, cols, kinds, gaps }: Matrix, rows: RowSet): Matrix {
  const count = rowCount(rows);
  const copy = { rows: count, cols, kinds, gaps };
  if ("begin" in rows) return { ...copy, data: data.slice(rows.begin * cols, rows.end * cols) };
  const taken = data.slice(0, count * cols);
  rows.forEach((row, at) => taken.set(data.subarray(row * cols, (row + 1) * cols), at * cols));
  return { ...copy, data: taken };
}

function numbersOf(rows: RowSet): Uint32Array {
  return Uint32Array.from({ length: rowCount(rows) }, (_, at) => rowAt(rows, at));
}
