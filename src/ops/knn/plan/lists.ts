/**
 * This reads for a plan the candidate lists that a job left: which of them overflowed, and what is to be done
 * with their queries. It also says what is left to do after a job. This is pure.
 */
import type { KnnProblem } from "./problem.ts";
import type { SearchTask } from "./knnPlan.ts";
import { rowAt, rowCount, sliceRows } from "../../../runtime/source.ts";

/**
 * Lists grow by this factor. They are hardly ever too short by a little: either a few dozen suffice, or rows
 * tie by the thousand.
 */
const CAPACITY_GROWTH = 64;
/** A list holds at most this share of all references. */
const LARGEST_SHARE = 1 / 4;
/**
 * A listed pair costs the main thread this many times what a pair costs each thread that evaluates all: 0.66
 * over 0.26 us for 64 columns.
 */
const LISTED_COST = 2.5;

/** Returns the counts of lists, of whose heads each has two words and begins with its count. */
export function countsOf(heads: ArrayBuffer | undefined): Uint32Array {
  const words = new Uint32Array(heads ?? []);
  const counts = new Uint32Array(words.length / 2);
  for (let i = 0; i < counts.length; i++) counts[i] = words[2 * i];
  return counts;
}

/** Returns the positions in the job's rows whose list needed more than its capacity. */
export function overflowed({ capacity = Infinity }: SearchTask, counts: Uint32Array): number[] {
  const over: number[] = [];
  for (let i = 0; i < counts.length; i++) if (counts[i] > capacity) over.push(i);
  return over;
}

/**
 * Returns a task of the same queries with room for more candidates, or one without lists where that room
 * would take longer than all pairs in float64.
 */
export function enlarged(
  { trainRows, keepAll = false, evaluators = 1 }: KnnProblem,
  task: SearchTask,
  over: readonly number[],
  counts: Uint32Array,
): SearchTask {
  const rows = Uint32Array.from(over, (i) => rowAt(task.rows, i));
  const needed = over.reduce((most, i) => Math.max(most, counts[i]), 0);
  // The main thread replays heaps in any case.
  const share = keepAll ? LARGEST_SHARE : Math.min(LARGEST_SHARE, 1 / (LISTED_COST * evaluators));
  const most = Math.floor(trainRows * share);
  const before = task.capacity ?? 0;
  const capacity = Math.max(Math.min(before * CAPACITY_GROWTH, most), needed);
  return { ...task, rows, capacity: capacity > before && capacity <= most ? capacity : undefined };
}

/** Returns what is left to do after the first queries. */
export function withoutFirst(todo: readonly SearchTask[], count: number): SearchTask[] {
  const [first, ...rest] = todo;
  if (!first) return rest;
  const left = rowCount(first.rows) - count;
  return left > 0 ? [{ ...first, rows: sliceRows(first.rows, count, count + left) }, ...rest] : rest;
}
