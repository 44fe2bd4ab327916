/**
 * Searches over rows that repeat: only one of each is searched, and its like are put back afterwards. The k nearest rows are
 * always among the k nearest distinct ones by (distance, first row), since each of these brings at least one row.
 */
import { firstRows, groupRows, repeatedShare, type RowGroups } from "../core/distinct.ts";
import type { Matrix } from "../core/matrix.ts";

/** Distinct rows in the order of their first rows, and which rows each stands for. */
export interface DistinctRows {
  readonly rows: Matrix;
  readonly groups: RowGroups;
}

/** A sample that repeats itself this much makes it worth to look at all rows; half as many rows, worth to search them. */
const REPEATED_SHARE = 0.5;

/** Undefined where too few rows repeat. */
export function distinctOf(train: Matrix): DistinctRows | undefined {
  if (repeatedShare(train) < REPEATED_SHARE) return undefined;
  const groups = groupRows(train);
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
  { begins, members }: RowGroups,
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
      const key = found.distances[from];
      let to = from + 1;
      while (to < (query + 1) * size && found.distances[to] === key) to++;
      const groups = found.indices.subarray(from, to);
      // One more of each than there is room for, in case one of them is left out.
      for (const row of lowest(groups, begins, members, end - at + 1)) {
        if (row === left || at === end) continue;
        into.indices[at] = row;
        into.distances[at++] = key;
      }
      from = to;
    }
  }
}

/** The `count` lowest members of some groups, ascending. */
function lowest(groups: Uint32Array, begins: Uint32Array, members: Uint32Array, count: number): Uint32Array {
  const parts = Array.from(groups, (group) =>
    members.subarray(begins[group], Math.min(begins[group] + count, begins[group + 1])),
  );
  if (parts.length === 1) return parts[0];
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.sort().subarray(0, count);
}
