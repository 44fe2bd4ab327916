/**
 * The contract of `knn.filter` (ops/knn/contract/filter.ts) on the CPU backend, for both WASM builds, shared
 * memory and copies.
 */
import { setFlagsFromString } from "node:v8";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CpuBackend } from "../../../dist/runtime/cpu/backend.js";
import { probeWasm } from "../../../dist/runtime/cpu/probe.js";
import { expectCertain, expectExact, integers, reals } from "./filterProblems.ts";
import { filter, generator, open, type Problem, rowsOf, tiny } from "./helpers.ts";
import { naiveFilter } from "./naive.ts";

// Node 20 hides relaxed SIMD behind a flag.
if (!probeWasm().relaxedSimd) setFlagsFromString("--experimental-wasm-relaxed-simd");

const cores = ["dot", "l2", "l1", "linf", "lp"] as const;

const setups = [
  { build: "baseline", shared: true },
  { build: "baseline", shared: false },
  { build: "relaxed", shared: true },
] as const;

describe.each(setups)("$build, shared: $shared", ({ build, shared }) => {
  const relaxed = build === "relaxed";
  let small: CpuBackend;
  let normal: CpuBackend;
  beforeAll(async () => {
    small = await open({ relaxed, shared, tuning: tiny });
    normal = await open({ relaxed, shared });
  });
  afterAll(() => {
    small.dispose();
    normal.dispose();
  });

  test.each(
    cores
      .filter((core) => core !== "lp")
      .flatMap((core) => [1, 3, 4, 5, 129].map((dims) => ({ core, dims }))),
  )("keeps what the k-th high end allows: $core, $dims columns", async ({ core, dims }) => {
    const problem = integers({ core, dims });
    expectExact(await filter(small, problem), problem);
    expectExact(await filter(normal, problem), problem);
  });

  test.each([1, 7, 15, 16, 17, 97].flatMap((refs) => [1, 4, 5, 13].map((queries) => ({ refs, queries }))))(
    "any number of rows: $refs references, $queries queries",
    async ({ refs, queries }) => {
      for (const k of [1, 20]) {
        const problem = integers({ refs, queries, k, capacity: Math.max(refs, k) });
        expectExact(await filter(small, problem), problem);
      }
    },
  );

  test.each([79, 80, 81])("%d references around the tile of the default tuning", async (refs) => {
    const problem = integers({ core: "dot", dims: 784, refs, queries: 3 });
    expectExact(await filter(normal, problem), problem);
  });

  test.each([1, 2, 16, 17, 33, 96, 97, 150])("k = %d of 97 references", async (k) => {
    for (const cut of [false, true]) {
      const problem = integers({ refs: 97, k, capacity: Math.max(97, k), cut });
      expectExact(await filter(small, problem), problem);
      expectExact(await filter(normal, problem), problem);
    }
  });

  test("cut keeps exactly k, of ties the lowest indices, in as little room as k", async () => {
    for (const range of [1, 2, 5]) {
      for (const k of [1, 7, 40]) {
        const problem = integers({ refs: 97, k, capacity: k, cut: true, range });
        const lists = await filter(small, problem);
        expect(lists.map(({ count }) => count)).toEqual(Array(9).fill(k));
        expectExact(lists, problem);
        expectExact(await filter(small, problem, { cuts: [1, 50, 51] }), problem);
      }
    }
  });

  test("cut ignores slack, product and margin", async () => {
    const problem = integers({ cut: true, half: 3, core: "l1" });
    const wide = { ...problem, params: { ...problem.params, slack: 0.5 } };
    expectExact(await filter(small, wide), problem);
  });

  test("a list that needs more than its capacity is marked, for good, and others are not", async () => {
    let overflows = 0;
    for (const capacity of [3, 4, 6, 8, 12]) {
      const problem = integers({ refs: 97, k: 3, capacity, queries: 23, dims: 3 });
      const expected = naiveFilter(problem).filter(({ count }) => count === Infinity).length;
      overflows += expected;
      expectExact(await filter(small, problem), problem);
      expectExact(await filter(normal, problem), problem);
      expectExact(await filter(small, problem, { cuts: [30, 31, 64] }), problem);
    }
    expect(overflows).toBeGreaterThan(10);
    expect(overflows).toBeLessThan(5 * 23 - 10);
  });

  test("all references equal", async () => {
    for (const capacity of [52, 53]) {
      const problem = integers({ range: 1, capacity });
      const lists = await filter(small, problem);
      expectExact(lists, problem);
      expect(lists[0].count > capacity).toBe(capacity === 52);
    }
  });

  test("several calls over ascending references equal one call", async () => {
    for (const core of cores) {
      const problem = reals(core, 17, 1.5, 3);
      const once = await filter(normal, problem);
      for (const cuts of [[1], [8, 16], [50], [3, 4, 5, 100]]) {
        expect(await filter(normal, problem, { cuts })).toEqual(once);
        expect(await filter(small, problem, { cuts })).toEqual(once);
      }
    }
  });

  test("rows around the visited ones are not read, and indices count from refOffset", async () => {
    const problem = integers({ core: "dot" });
    const refOffset = 4_000_000_000;
    expectExact(await filter(small, problem, { fringe: 3, refOffset }), problem, refOffset);
    expectExact(await filter(normal, problem, { fringe: 1, cuts: [20], refOffset }), problem, refOffset);
  });

  test.each([
    ...cores.flatMap((core) => [1, 5, 129].map((dims) => ({ core, dims, p: core === "lp" ? 3 : 2 }))),
    ...[0.125, 0.5, 1.5, 2, 4, 7.3, 32].map((p) => ({ core: "lp" as const, dims: 5, p })),
  ])("intervals hold the float64 value: $core, $dims columns, p = $p", async ({ core, dims, p }) => {
    const problem = reals(core, dims, p, 7);
    for (const backend of [small, normal]) expectCertain(await filter(backend, problem), problem);
  });

  test.each([0.125, 0.5, 1, 1.5, 3, 7.3, 32])(
    "x^%d is within (p + 150) 2^-23 for results in [2^-126, 2^126], and near 1 within (p + 2) 2^-23",
    async (p) => {
      const random = generator(5);
      const largest = 126 / Math.max(p, 1);
      const refs = rowsOf(
        4000,
        1,
        () => 2 ** ((random() * 2 - 1) * largest),
        () => [0, 0, 0, 0],
      );
      const near = Float32Array.from(refs.values, (x, i) =>
        i % 2 ? x : 2 ** ((random() - 0.5) * 2 ** -(i % 20)),
      );
      const problem: Problem = {
        params: { core: "lp", p, weight: 0, slack: 0, cut: false, k: 4000, capacity: 4000, dims: 1 },
        queries: rowsOf(
          1,
          1,
          () => 0,
          () => [0, 0, 0, 0],
        ),
        refs: { ...refs, values: near },
      };
      const [list] = await filter(normal, problem);
      const exact = Array.from(near, (x) => x ** Math.fround(p));
      const errors = list.entries.map(({ low }, i) => (Math.abs(low - exact[i]) / exact[i]) * 2 ** 23);
      expect(Math.max(...errors)).toBeLessThan(p + 150);
      expect(Math.max(...errors.filter((_, i) => i % 2 === 0))).toBeLessThan(p + 2);
    },
  );

  test("lp counts a difference below the smallest normal float32 as zero", async () => {
    const tiniest = 2 ** -126;
    const value = [0, tiniest / 2, tiniest * 0.99, tiniest, 1, 2][Symbol.iterator]();
    const problem: Problem = {
      params: { core: "lp", p: 0.5, weight: 0, slack: 0, cut: false, k: 6, capacity: 6, dims: 1 },
      queries: rowsOf(
        1,
        1,
        () => 0,
        () => [0, 0, 0, 0],
      ),
      refs: rowsOf(
        6,
        1,
        () => value.next().value!,
        () => [0, 0, 0, 0],
      ),
    };
    const [list] = await filter(normal, problem);
    const values = list.entries.map(({ low }) => low);
    expect(values.slice(0, 3)).toEqual([0, 0, 0]);
    expect(values[3] / 2 ** -63).toBeCloseTo(1, 4);
    expect(values[4]).toBeCloseTo(1, 6);
    expect(values[5]).toBeCloseTo(Math.SQRT2, 6);
  });
});
