/**
 * This puts back the rows that repeat, after only one of each was searched (distance/rows/distinct.ts). The k
 * nearest rows are always among the k nearest distinct ones by (distance, first row), since each of these
 * brings at least one row.
 */
import type { RowGroups } from "../../distance/rows/distinct.ts";

interface DistinctNeighbors {
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
}

/**
 * Writes the k nearest rows of each query into `into`.
 * @param found the `size` nearest distinct rows of each query with what they are ordered by; size is k, or
 *   all there are
 * @param without the row that is left out for each query; undefined leaves out none
 */
export function putBack(
  groups: RowGroups,
  found: DistinctNeighbors,
  size: number,
  queries: number,
  k: number,
  without: ((query: number) => number) | undefined,
  into: DistinctNeighbors,
): void {
  for (let query = 0; query < queries; query++) {
    const left = without?.(query);
    let at = query * k;
    const end = at + k;
    for (let from = query * size; at < end;) {
      let to = from + 1;
      while (to < (query + 1) * size && ties(found.distances[from], found.distances[to])) to++;
      // Each query takes one row more than there is room for, in case one of them is left out.
      for (const { row, key } of lowest(groups, found, from, to, end - at + 1)) {
        if (row === left || at === end) continue;
        into.indices[at] = row;
        into.distances[at++] = key;
      }
      from = to;
    }
  }
}

/** Tells whether two keys tie in the order of neighbours: zeros of both signs do, and NaN with NaN. */
function ties(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

interface Member {
  readonly row: number;
  readonly key: number;
}

/**
 * Returns the `count` lowest members of the groups found at [from, to), ascending, each with the key of its
 * group.
 */
function lowest(
  { begins, members }: RowGroups,
  { indices, distances }: DistinctNeighbors,
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
