/**
 * This cuts pairs of rows into slabs of queries, and these into blocks, one for each task, within a budget.
 * This is pure arithmetic on sizes.
 */
import { OutOfMemoryError } from "../../core/errors.ts";
import { ceilDiv, clamp, roundUp } from "../../core/math.ts";
import type { Matrix } from "../../core/matrix.ts";
import type { DistanceBuffer, DistancesTuning } from "./options.ts";

export interface BlockCut {
  /** `slab` queries are worked on together; a task takes `queries` of them, with `rows` rows. */
  readonly slab: number;
  readonly queries: number;
  readonly rows: number;
  /** True gives a task all rows, so that it finds the range of its queries itself before it counts. */
  readonly whole: boolean;
  /** True keeps the distances of a slab from the ranges to the counts. */
  readonly keeps: boolean;
  /** All tasks together hold at most these arrays at a time. */
  readonly buffers: readonly DistanceBuffer[];
}

/** Adds up the bytes of arrays. */
export function bytesOf(buffers: readonly DistanceBuffer[]): number {
  return buffers.reduce((sum, { bytes }) => sum + bytes, 0);
}

export interface CutProblem {
  readonly train: Matrix;
  readonly queries: Matrix;
  readonly binCount: number;
  /** The distances of each query decide its bins, or those of all queries do, or none does. */
  readonly decides: "each" | "all" | "none";
  /** Says whether the WASM module evaluates the metric, several times as fast as other code. */
  readonly isFast: boolean;
  readonly budget: number;
  readonly threads: number;
  readonly tuning: DistancesTuning;
}

/**
 * A task takes at most this many steps of columns, some 50 to 100 ms; and this many queries, distances and
 * counts.
 */
const STEPS = { fast: 2 ** 28, slow: 2 ** 24 };
const MOST = { queries: 64, distances: 2 ** 20, counts: 2 ** 18 };
/** A task that has all rows, which is cut by queries alone, takes at most these. */
const MOST_WHOLE = { steps: { fast: 2 ** 30, slow: 2 ** 26 }, queries: 256, counts: 2 ** 22 };
/** A slab has at most this many queries, and this many bytes of distances that are kept. */
const SLAB = 1024;
const KEPT_BYTES = 2 ** 28;
/** Kept distances may take this share of the budget. */
const KEPT_SHARE = 1 / 2;

/**
 * Cuts a problem: by queries alone where that serves, else into blocks.
 * @throws OutOfMemoryError where not even one pair fits
 */
export function cutFor(problem: CutProblem): BlockCut {
  return wholeCut(problem) ?? blockCut(problem);
}

/** Cuts by queries alone, where tasks of all rows fit and there is one for each thread. */
function wholeCut(problem: CutProblem): BlockCut | undefined {
  const { train, queries, binCount, decides, isFast, budget, threads, tuning } = problem;
  if (decides !== "each" || (tuning.rows ?? Infinity) < train.rows || queries.rows < threads)
    return undefined;
  const kept = Math.min(tuning.kept ?? KEPT_BYTES, budget * KEPT_SHARE);
  const steps = MOST_WHOLE.steps[isFast ? "fast" : "slow"];
  const most = Math.min(
    MOST_WHOLE.queries,
    tuning.queries ?? Infinity,
    Math.floor(MOST_WHOLE.counts / binCount),
    Math.floor(kept / threads / (8 * train.rows)),
    Math.floor(steps / (train.rows * train.cols)),
  );
  if (most < 1) return undefined;
  const tasks = roundUp(ceilDiv(queries.rows, most), threads);
  const size = ceilDiv(queries.rows, tasks);
  const buffers = taskBuffers(train, queries, binCount, size, train.rows, threads);
  if (bytesOf(buffers) > budget) return undefined;
  return { slab: queries.rows, queries: size, rows: train.rows, whole: true, keeps: true, buffers };
}

function blockCut(problem: CutProblem): BlockCut {
  const { train, queries, binCount, decides, isFast, budget, threads, tuning } = problem;
  const most = Math.min(MOST.queries, tuning.queries ?? Infinity, Math.floor(MOST.counts / binCount));
  let size = clamp(most, 1, Math.max(1, queries.rows));
  const wanted = Math.min(
    Math.floor(STEPS[isFast ? "fast" : "slow"] / (size * train.cols)),
    Math.floor(MOST.distances / size),
    ceilDiv(train.rows, threads),
    tuning.rows ?? Infinity,
  );
  let rows = clamp(wanted, 1, Math.max(1, train.rows));
  const ofTasks = () => taskBuffers(train, queries, binCount, size, rows, threads);
  const bytesOfTasks = () => bytesOf(ofTasks());
  const room = budget * (1 - KEPT_SHARE);
  while (bytesOfTasks() > room && size * rows > 1) {
    if (rows >= size) rows = Math.ceil(rows / 2);
    else size = Math.ceil(size / 2);
  }
  if (bytesOfTasks() > room) {
    const needed = Math.ceil(bytesOfTasks() / (1 - KEPT_SHARE));
    throw new OutOfMemoryError(
      `${Math.floor(budget)} bytes of memory do not hold one pair of rows for each of ${threads} threads with its bins, ` +
        `which takes about ${needed} bytes; raise memory (option memory) or take fewer threads or bins`,
      needed,
    );
  }
  const queryBytes = train.rows * 8;
  const kept = Math.min(tuning.kept ?? KEPT_BYTES, budget * KEPT_SHARE);
  const holds = Math.floor(kept / Math.max(1, queryBytes));
  const keeps = decides !== "none" && holds >= 1;
  const slab = clamp(Math.min(SLAB, tuning.slab ?? SLAB, keeps ? holds : SLAB), 1, Math.max(1, queries.rows));
  const between = keeps ? [{ name: "distances kept between tasks", bytes: slab * queryBytes }] : [];
  return { slab, queries: size, rows, whole: false, keeps, buffers: [...ofTasks(), ...between] };
}

/** Returns the arrays of the tasks of all threads: rows, queries, distances, and counts twice. */
function taskBuffers(
  train: Matrix,
  queries: Matrix,
  binCount: number,
  size: number,
  rows: number,
  threads: number,
): DistanceBuffer[] {
  const rowBytes = train.data.BYTES_PER_ELEMENT * train.cols;
  const queryBytes = (queries.data.BYTES_PER_ELEMENT + 8) * queries.cols;
  return [
    { name: "rows of tasks", bytes: threads * (rows * rowBytes + 8 * train.cols) },
    { name: "queries of tasks", bytes: threads * size * queryBytes },
    { name: "distances of tasks", bytes: threads * size * rows * 16 },
    { name: "counts of tasks", bytes: threads * size * (binCount * 8 + 64) },
  ];
}
