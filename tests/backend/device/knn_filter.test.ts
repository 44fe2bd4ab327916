/** knn.filter on the GPU against the naive lists of filter.ts. Whole-number data must agree in every bit. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GpuBackend } from "../../../dist/runtime/gpu/backend.js";
import type { DistanceCore } from "../../../dist/ops/knn/contract/filter.js";
import {
  exactProblem,
  filter,
  interval64,
  naiveList,
  rowsIn,
  value64,
  type List,
  type Problem,
} from "./filter.ts";
import { hasGpu, openSharedGpu } from "./gpu.ts";

const exactCores: readonly DistanceCore[] = ["dot", "l2", "l1", "linf"];

describe.skipIf(!hasGpu)("knn.filter on the GPU", () => {
  let backend: GpuBackend;
  beforeAll(async () => {
    backend = await openSharedGpu();
  });
  afterAll(() => backend.dispose());

  async function expectNaive(problem: Problem, tiles?: readonly number[], moved?: boolean): Promise<void> {
    const got = await filter(backend, problem, tiles, moved);
    got.forEach((list, query) => expectSame(problem, list, naiveList(problem, query)));
  }

  describe.each(exactCores)("core %s", (core) => {
    it.each([true, false])("keeps exactly the references the contract names (cut %s)", async (cut) => {
      await expectNaive(exactProblem({ queryRows: 5, refRows: 301, dims: 7, k: 4, seed: 1 }, { core, cut }));
    });

    it.each([
      [1, 1, 1, 1],
      [7, 127, 15, 2],
      [8, 128, 16, 3],
      [9, 129, 17, 5],
    ])("works on %i queries x %i references x %i columns, k = %i", async (queryRows, refRows, dims, k) => {
      await expectNaive(exactProblem({ queryRows, refRows, dims, k, seed: 2 }, { core }));
    });
  });

  it.each([
    [63, 63, 15, 2],
    [64, 64, 16, 3],
    [65, 65, 17, 5],
    [17, 257, 31, 7],
    [67, 1031, 13, 11],
  ])("works on %i queries x %i references x %i columns, k = %i", async (queryRows, refRows, dims, k) => {
    await expectNaive(exactProblem({ queryRows, refRows, dims, k, seed: 2 }));
  });

  it.each([true, false])("keeps everything for k = n (cut %s)", async (cut) => {
    await expectNaive(exactProblem({ queryRows: 3, refRows: 700, dims: 3, k: 700, seed: 3 }, { cut }));
  });

  it.each([true, false])("keeps everything seen for k > n (cut %s)", async (cut) => {
    const problem = exactProblem({ queryRows: 3, refRows: 600, dims: 3, k: 1000, seed: 3 }, { cut });
    await expectNaive(problem);
    await expectNaive(problem, [300, 1, 299]);
  });

  it.each([
    [true, 1],
    [false, 1],
    [true, 400],
    [false, 400],
  ])("gives the same list however the references are cut into tiles (cut %s, k = %i)", async (cut, k) => {
    const problem = exactProblem({ queryRows: 4, refRows: 1100, dims: 5, k, seed: 4 }, { cut, core: "l1" });
    const once = await filter(backend, problem);
    once.forEach((list, query) => expectSame(problem, list, naiveList(problem, query)));
    for (const tiles of [[1099, 1], [1, 1099], [255, 256, 257, 332], Array<number>(11).fill(100)]) {
      expect(await filter(backend, problem, tiles)).toEqual(once);
      expect(await filter(backend, problem, tiles, true)).toEqual(once);
    }
  });

  it("takes the lowest indices among all-equal references with cut, and all of them without", async () => {
    const shape = { queryRows: 2, refRows: 900, dims: 3, k: 10, seed: 6, value: () => 1 };
    const still = { queryMeta: new Float32Array(8), refMeta: new Float32Array(3600) };
    for (const tiles of [[900], [5, 300, 595]]) {
      await expectNaive(exactProblem(shape, { ...still, cut: true, capacity: 10 }), tiles);
      await expectNaive(exactProblem(shape, { ...still, cut: false }), tiles);
    }
  });

  it.each([true, false])(
    "takes what passes where a list has no room for it beside its own (cut %s)",
    async (cut) => {
      // Every reference is nearer than those before it, so that all of a call pass.
      const refs = Float32Array.from({ length: 60 * 4 }, (_, at) => (at % 4 === 0 ? 100 - at / 4 : 0));
      const still = {
        queries: new Float32Array(12),
        queryMeta: new Float32Array(12),
        refMeta: new Float32Array(240),
      };
      const fields: Partial<Problem> = { ...still, refs, core: "l1", slack: 0, cut, stride: 4, capacity: 12 };
      await expectNaive(
        exactProblem({ queryRows: 3, refRows: 60, dims: 1, k: 12, seed: 7 }, fields),
        [12, 20, 1, 27],
      );
    },
  );

  it("keeps ascending order and lowest indices among few distinct values", async () => {
    const shape = { queryRows: 3, refRows: 1500, dims: 1, k: 300, seed: 7 };
    const problem = exactProblem(
      { ...shape, value: (random) => Math.floor(random() * 3) },
      { cut: true, core: "l2" },
    );
    await expectNaive({ ...problem, capacity: 300 }, [700, 800]);
  });

  it("treats -0 and +0 as equal values", async () => {
    const zeros = Float32Array.from({ length: 4 * 8 }, (_, at) => (at % 4 ? 0 : at % 8 ? 0 : -0));
    const problem = exactProblem(
      { queryRows: 1, refRows: 8, dims: 1, k: 3, seed: 8, value: () => 0 },
      { cut: true, queryMeta: new Float32Array([-0, 0, 0, 0]), refMeta: zeros, weight: -1 },
    );
    expect((await filter(backend, problem, [4, 4]))[0].rows).toEqual([0, 1, 2]);
  });

  it("orders negative values below positive ones", async () => {
    const problem = exactProblem(
      { queryRows: 6, refRows: 400, dims: 4, k: 5, seed: 9 },
      { weight: 1, slack: 0 },
    );
    await expectNaive(problem);
    expect(Math.min(...naiveList(problem, 0).lows)).toBeLessThan(0);
  });

  it("reports a count above the capacity for just those lists that overflow", async () => {
    const all = exactProblem(
      { queryRows: 12, refRows: 800, dims: 4, k: 3, seed: 10 },
      { core: "l2", slack: 0.5 },
    );
    const needs = Array.from({ length: 12 }, (_, query) => naiveList(all, query).count).sort((a, b) => a - b);
    const problem = { ...all, capacity: needs[5] };
    const got = await filter(backend, problem);
    got.forEach((list, query) => expectSame(problem, list, naiveList(problem, query)));
    expect(got.some(({ count }) => count > problem.capacity)).toBe(true);
    expect(got.some(({ count }) => count <= problem.capacity)).toBe(true);
  });

  it("leaves an overflowed list alone, even when the next call would need fewer entries", async () => {
    const refs = Float32Array.from({ length: 700 * 4 }, (_, at) => (at % 4 === 0 && at < 1600 ? 50 : 0));
    const fields: Partial<Problem> = { core: "l1", slack: 0, capacity: 399, stride: 4 };
    const data = {
      queries: new Float32Array(4),
      queryMeta: new Float32Array(4),
      refs,
      refMeta: new Float32Array(2800),
    };
    const problem = exactProblem(
      { queryRows: 1, refRows: 700, dims: 1, k: 3, seed: 10 },
      { ...fields, ...data },
    );
    expect((await filter(backend, problem, [400, 300]))[0].count).toBe(400);
    expect((await filter(backend, problem))[0].count).toBe(300);
  });

  it("never overflows with cut, whatever the ties", async () => {
    const shape = { queryRows: 2, refRows: 2000, dims: 2, k: 7, seed: 11, value: () => 2 };
    const problem = exactProblem(shape, { cut: true, capacity: 7, core: "linf" });
    for (const { count } of await filter(backend, problem, [1000, 1000])) expect(count).toBe(7);
  });

  it("reads only its own rows of the buffer of references", async () => {
    const problem = exactProblem(
      { queryRows: 2, refRows: 50, dims: 3, k: 2, seed: 12 },
      { core: "l2", slack: 0 },
    );
    const whole = await filter(backend, problem, [20, 30]);
    const first = await filter(backend, { ...problem, capacity: 50 }, [20]);
    first.forEach((list) => expect(Math.max(...list.rows)).toBeLessThan(20));
    expect(whole).not.toEqual(first);
  });

  it.each([
    ["dot", 0],
    ["l2", 0],
    ["l1", 0],
    ["linf", 0],
    ["lp", 2.5],
    ["lp", 0.5],
    ["lp", 7],
  ] as const)(
    "brackets the float64 values of random numbers and keeps what it must (%s, p %d)",
    async (core, p) => {
      const shape = {
        queryRows: 9,
        refRows: 530,
        dims: 21,
        k: 6,
        seed: 13,
        value: (r: () => number) => r() - 0.5,
      };
      const problem = exactProblem(shape, { core, p, slack: 2 ** -10 });
      const got = await filter(backend, problem, [200, 330]);
      got.forEach((list, query) => expectBracketing(problem, list, query));
    },
  );

  it("gives lp exact zeros for equal rows and padding", async () => {
    const shape = { queryRows: 1, refRows: 5, dims: 3, k: 2, seed: 14, value: () => 0.1 };
    const problem = exactProblem(shape, { core: "lp", p: 0.5, cut: true });
    const [list] = await filter(backend, problem);
    expect(list).toMatchObject({ count: 2, threshold: 0, rows: [0, 1], lows: [0, 0] });
    const tiny = exactProblem(
      { ...shape, value: (random) => random() * 1e-39 },
      { core: "lp", p: 0.5, cut: true },
    );
    expect(await filter(backend, tiny)).toEqual([list]);
  });
});

function expectSame(problem: Problem, got: List, wanted: List): void {
  if (wanted.count > problem.capacity) {
    expect(got.count).toBeGreaterThan(problem.capacity);
    return;
  }
  expect(got.rows).toEqual(wanted.rows);
  expect(got.lows).toEqual(wanted.lows);
  expect(got.highs).toEqual(wanted.highs);
  expect(got.count).toBe(wanted.count);
  if (wanted.count >= problem.k) expect(got.threshold).toBe(wanted.threshold);
}

/**
 * What the contract says whatever the rounding of values: order, threshold, containment, and no reference
 * missed.
 */
function expectBracketing(problem: Problem, got: List, query: number): void {
  expect(got.rows).toEqual([...new Set(got.rows)].sort((a, b) => a - b));
  expect([...got.highs].sort((a, b) => a - b)[problem.k - 1]).toBe(got.threshold);
  const tolerance = 1e-4;
  got.rows.forEach((row, i) => {
    const value = value64(problem, query, row);
    const [low, high] = interval64(problem, query, row);
    expect(got.lows[i]).toBeLessThanOrEqual(value);
    expect(got.highs[i]).toBeGreaterThanOrEqual(value);
    expect(got.lows[i]).toBeLessThanOrEqual(got.threshold);
    expect(Math.abs(got.lows[i] - low) / (1 + Math.abs(value))).toBeLessThan(tolerance);
    expect(Math.abs(got.highs[i] - high) / (1 + Math.abs(value))).toBeLessThan(tolerance);
  });
  const kept = new Set(got.rows);
  for (let row = 0; row < rowsIn(problem.refMeta); row++) {
    const [low] = interval64(problem, query, row);
    if (low < got.threshold - tolerance * (1 + Math.abs(low))) expect(kept.has(row)).toBe(true);
  }
}
