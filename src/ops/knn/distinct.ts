/**
 * Searches over rows that repeat: only one of each is searched, and its like are put back afterwards. The k nearest rows are
 * always among the k nearest distinct ones by (distance, first row), since each of these brings at least one row.
 */
import { firstRows, groupRows, repeatedShare, type RowGroups } from "../../distance/rows/distinct.ts";
import type { Matrix } from "../../core/matrix.ts";
import type { Yielding } from "../../core/async/yielding.ts";

/** Distinct rows in the order of their first rows, and which rows each stands for. */
export interface DistinctRows {
  readonly rows: Matrix;
  readonly groups: RowGroups;
}

/** A sample that repeats itself this much makes it worth to look at all rows; half as many rows, worth to search them. */
const REPEATED_SHARE = 0.5;

/** Whether a sample of some rows repeats itself so that all are worth a look. */
export function mayRepeatThemselves(rows: Matrix): boolean {
  return repeatedShare(rows) >= REPEATED_SHARE;
}

/** Undefined where too few rows repeat. */
export function* distinctOf(train: Matrix): Yielding<DistinctRows | undefined> {
  if (!mayRepeatThemselves(train)) return undefined;
  const groups = yield* groupRows(train);
  if (groups.begins.length - 1 > train.rows * (1 - REPEATED_SHARE)) return undefined;
  return { rows: firstRows(train, groups), groups };
}

interface Found {
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
}

/**
 * Writes the k nearest rows of each query into `into`.
 * @param found the `size` nearest distinct rows of each query with what they are ordered by; size is k, or all there are
 * @param without a row that is left out, by query; undefined: none
 */
export function putBack(
  groups: RowGroups,
  found: Found,
  size: number,
  queries: number,
  k: number,
  without: ((query: number) => number) | undefined,
  into: Found,
): void {
  for (let query = 0; query < queries; query++) {
    const left = without?.(query);
    let at = query * k;
    const end = at + k;
    for (let from = query * size; at < end;) {
      let to = from + 1;
      while (to < (query + 1) * size && ties(found.distances[from], found.distances[to])) to++;
      // One more of each than there is room for, in case one of them is left out.
      for (const { row, key } of lowest(groups, found, from, to, end - at + 1)) {
        if (row === left || at === end) continue;
        into.indices[at] = row;
        into.distances[at++] = key;
      }
      from = to;
    }
  }
}

/** Equal in the order of neighbours, where zeros of both signs tie, and NaN with NaN. */
function ties(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

interface Member {
  readonly row: number;
  readonly key: number;
}

/** The `count` lowest members of the groups found at [from, to), ascending, each with the key of its group. */
function lowest(
  { begins, members }: RowGroups,
  { indices, distances }: Found,
  from: number,
  to: number,
  count: number,
): Member[] {
  const all: Member[] = [];
  for (let at = from; at < to; at++) {
    const begin = begins[indices[at]];
    const end = Math.min(begin + count, begins[indices[at] + 1]);
    for (let i = begin; i < end; i++) all.push({ row: members[i], key: distances[at] });
  }
  return to === from + 1 ? all : all.sort((a, b) => a.row - b.row).slice(0, count);
}
