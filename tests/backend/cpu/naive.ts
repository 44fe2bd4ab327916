/**
 * `knn.filter` as its contract words it, in float64, one reference after the other. Shares nothing with src/
 * but types; the intervals it makes are exact when the data is (small integers), and else a yardstick.
 */
import type { Entry, List, Problem, Rows } from "./helpers.ts";

export function naiveValue({ params, queries, refs }: Problem, query: number, ref: number): number {
  const { core, p, weight, dims } = params;
  let sum = 0;
  for (let d = 0; d < dims; d++) {
    const q = queries.values[query * dims + d];
    const r = refs.values[ref * dims + d];
    const difference = Math.abs(q - r);
    if (core === "dot") sum += q * r;
    else if (core === "l2") sum += difference ** 2;
    else if (core === "l1") sum += difference;
    else if (core === "linf") sum = Math.max(sum, difference);
    else if (difference >= 2 ** -126) sum += difference ** p;
  }
  return core === "dot" ? queries.meta[query * 4] + refs.meta[ref * 4] + weight * sum : sum;
}

export function naiveEntry(problem: Problem, query: number, ref: number, refOffset: number): Entry {
  const value = naiveValue(problem, query, ref);
  const { slack, cut } = problem.params;
  const product = (rows: Rows, i: number): number => rows.meta[i * 4 + 1];
  const margin = (rows: Rows, i: number): number => rows.meta[i * 4 + 2];
  const { queries, refs } = problem;
  const half = cut
    ? 0
    : slack * Math.abs(value) +
      product(queries, query) * product(refs, ref) +
      margin(queries, query) +
      margin(refs, ref);
  return { index: refOffset + ref, low: value - half, high: value + half };
}

/** The list after every single reference; an overflow at any of them is final, and its count is Infinity. */
export function naiveFilter(problem: Problem, refOffset = 0): List[] {
  const { k, capacity, cut } = problem.params;
  return Array.from({ length: problem.queries.rows }, (_, query) => {
    let entries: Entry[] = [];
    let limit = NaN;
    for (let ref = 0; ref < problem.refs.rows; ref++) {
      entries.push(naiveEntry(problem, query, ref, refOffset));
      if (entries.length < k) continue;
      const nearest = [...entries].sort((a, b) => a.high - b.high || a.index - b.index);
      limit = nearest[k - 1].high;
      if (cut) entries = nearest.slice(0, k).sort((a, b) => a.index - b.index);
      else entries = entries.filter(({ low }) => low <= limit);
      if (entries.length > capacity) return { count: Infinity, limit: NaN, entries: [] };
    }
    return { count: entries.length, limit, entries };
  });
}
