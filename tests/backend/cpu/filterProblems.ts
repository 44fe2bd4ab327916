/** Problems for `knn.filter` and what is expected of the lists, which naive.ts says. */
import { expect } from "vitest";
import type { DistanceCore } from "../../../src/ops/knn/contract/filter.ts";
import { generator, type List, type Problem, rowsOf } from "./helpers.ts";
import { naiveEntry, naiveFilter, naiveValue } from "./naive.ts";

export interface Shape {
  readonly core?: DistanceCore;
  readonly dims?: number;
  readonly queries?: number;
  readonly refs?: number;
  readonly k?: number;
  readonly capacity?: number;
  readonly cut?: boolean;
  /** Small integers come from [0, range). */
  readonly range?: number;
  /** Half the width of every interval, a multiple of 1/2. */
  readonly half?: number;
  readonly seed?: number;
}

/** Small integers: every float32 operation on them is exact, and ties abound. */
export function integers(shape: Shape): Problem {
  const { core = "l2", dims = 5, queries = 9, refs = 53, k = 3, capacity = refs, range = 5 } = shape;
  const { cut = false, half = 1, seed = 1 } = shape;
  const random = generator(seed);
  const value = (): number => Math.floor(random() * range);
  const meta = (row: Float32Array): number[] => [
    core === "dot" ? row.reduce((sum, x) => sum + x * x, 0) : -777,
    half === 0 ? 0 : 0.5,
    half === 0 ? 0 : half / 2 - 0.125,
    NaN,
  ];
  return {
    params: { core, p: 1, weight: -2, slack: 0, cut, k, capacity, dims },
    queries: rowsOf(queries, dims, value, meta),
    refs: rowsOf(refs, dims, value, meta),
  };
}

/** Arbitrary float32, with a bound wide enough for their rounding. */
export function reals(core: DistanceCore, dims: number, p: number, seed: number): Problem {
  const random = generator(seed);
  const meta = (row: Float32Array): number[] => {
    const norm = row.reduce((sum, x) => sum + x * x, 0);
    return [
      core === "dot" ? Math.fround(norm) : NaN,
      2 ** -10 * Math.sqrt(norm),
      core === "dot" ? 2 ** -20 * norm : 2 ** -100,
      NaN,
    ];
  };
  return {
    params: {
      core,
      p,
      weight: -2,
      slack: (dims + 6 * p + 700) * 2 ** -23,
      cut: false,
      k: 5,
      capacity: 101,
      dims,
    },
    queries: rowsOf(7, dims, () => random() * 4 - 2, meta),
    refs: rowsOf(101, dims, () => random() * 4 - 2, meta),
  };
}

export function expectExact(lists: List[], problem: Problem, refOffset = 0): void {
  const { capacity } = problem.params;
  const expected = naiveFilter(problem, refOffset);
  const readable = lists.map((list) => ({ ...list, count: list.count > capacity ? Infinity : list.count }));
  expect(readable).toEqual(expected);
}

/**
 * Intervals contain the float64 value and are no wider than the formula allows; who clearly belongs is in,
 * who clearly does not is out.
 */
export function expectCertain(lists: List[], problem: Problem): void {
  const { k } = problem.params;
  lists.forEach((list, query) => {
    const all = Array.from({ length: problem.refs.rows }, (_, ref) => naiveEntry(problem, query, ref, 0));
    const limit = all.map(({ high }) => high).sort((a, b) => a - b)[k - 1];
    const blur = Math.max(...all.map(({ low, high }) => high - low)) / 2 + Math.abs(limit) * 2 ** -20;
    expect(Math.abs(list.limit - limit)).toBeLessThanOrEqual(blur);
    const indices = list.entries.map(({ index }) => index);
    expect(indices).toEqual([...new Set(indices)].sort((a, b) => a - b));
    for (const { index, low, high } of list.entries) {
      const value = naiveValue(problem, query, index);
      expect(low).toBeLessThanOrEqual(value);
      expect(high).toBeGreaterThanOrEqual(value);
      expect(high - low).toBeLessThanOrEqual(
        2.01 * (all[index].high - all[index].low) + Math.abs(value) * 2 ** -20,
      );
    }
    const kept = new Set(indices);
    for (const { index, low } of all) {
      if (low < limit - blur) expect(kept).toContain(index);
      if (low > limit + blur) expect(kept).not.toContain(index);
    }
  });
}
