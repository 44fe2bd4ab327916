/**
 * Cuts pairs of rows into slabs of queries, and these into blocks for one task each, within a budget. Pure
 * arithmetic on sizes.
 */
import { OutOfMemoryError } from "../../core/errors.ts";
import { ceilDiv, clamp } from "../../core/math.ts";
import type { Matrix } from "../../core/matrix.ts";
import type { DistancesTuning } from "./options.ts";

export interface Cut {
  /** The queries that are worked on together, and those of a task with its rows. */
  readonly slab: number;
  readonly queries: number;
  readonly rows: number;
  /** The distances of a slab are kept from the ranges to the counts. */
  readonly keeps: boolean;
  /** The bytes that all of it takes at one time, at most. */
  readonly bytes: number;
}

export interface CutProblem {
  readonly train: Matrix;
  readonly queries: Matrix;
  readonly binCount: number;
  /** The distances decide the bins, so that they had better be kept. */
  readonly keeps: boolean;
  readonly budget: number;
  readonly threads: number;
  readonly tuning: DistancesTuning;
}

/** Steps of columns of a task at most, some 50 to 100 ms; its queries, distances and counts. */
const STEPS = 2 ** 24;
const MOST = { queries: 64, distances: 2 ** 20, counts: 2 ** 18 };
/** The queries of a slab, and the bytes of its distances. */
const SLAB = 1024;
const KEPT_BYTES = 2 ** 28;
/** The share of the budget that kept distances may take. */
const KEPT_SHARE = 1 / 2;

/** @throws OutOfMemoryError where not even one pair fits */
export function cutFor({ train, queries, binCount, keeps, budget, threads, tuning }: CutProblem): Cut {
  const most = Math.min(MOST.queries, tuning.queries ?? Infinity, Math.floor(MOST.counts / binCount));
  let size = clamp(most, 1, Math.max(1, queries.rows));
  const wanted = Math.min(
    Math.floor(STEPS / (size * train.cols)),
    Math.floor(MOST.distances / size),
    ceilDiv(train.rows, threads),
    tuning.rows ?? Infinity,
  );
  let rows = clamp(wanted, 1, Math.max(1, train.rows));
  const bytesOf = () => threads * taskBytes(train, queries, binCount, size, rows);
  const room = budget * (1 - KEPT_SHARE);
  while (bytesOf() > room && size * rows > 1) {
    if (rows >= size) rows = Math.ceil(rows / 2);
    else size = Math.ceil(size / 2);
  }
  if (bytesOf() > room) {
    const needed = Math.ceil(bytesOf() / (1 - KEPT_SHARE));
    throw new OutOfMemoryError(
      `${Math.floor(budget)} bytes of memory do not hold one pair of rows for each of ${threads} threads with its bins, ` +
        `which takes about ${needed} bytes; raise memory (--memory) or take fewer threads or bins`,
      needed,
    );
  }
  const queryBytes = train.rows * 8;
  const kept = Math.min(tuning.kept ?? KEPT_BYTES, budget * KEPT_SHARE);
  const holds = Math.floor(kept / Math.max(1, queryBytes));
  const mayKeep = keeps && holds >= 1;
  const slab = clamp(
    Math.min(SLAB, tuning.slab ?? SLAB, mayKeep ? holds : SLAB),
    1,
    Math.max(1, queries.rows),
  );
  return { slab, queries: size, rows, keeps: mayKeep, bytes: bytesOf() + (mayKeep ? slab * queryBytes : 0) };
}

/** Returns the bytes of a task: its rows as they are and as float64, its distances, and its counts twice. */
function taskBytes(train: Matrix, queries: Matrix, binCount: number, size: number, rows: number): number {
  const rowBytes = train.data.BYTES_PER_ELEMENT * train.cols;
  const queryBytes = (queries.data.BYTES_PER_ELEMENT + 8) * queries.cols;
  return rows * rowBytes + 8 * train.cols + size * (queryBytes + rows * 16 + binCount * 8 + 64);
}
