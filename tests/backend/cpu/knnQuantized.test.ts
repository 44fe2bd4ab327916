/**
 * `knn.filter` on the CPU backend where rows are first compared by integers of 16 bits: lists must be what
 * the contract says of whole rows.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CpuBackend } from "../../../dist/runtime/cpu/backend.js";
import { Device, kneighbors } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame } from "../helpers.ts";
import { inputs } from "../inputs.ts";
import { expectCertain, expectExact, integers, reals } from "./filterProblems.ts";
import { filter, generator, type List, open, type Problem, rowsOf, tiny } from "./helpers.ts";

const core = "dot";
const seed = printedSeed();

describe.each([true, false])("shared: %s", (shared) => {
  let small: CpuBackend;
  let normal: CpuBackend;
  beforeAll(async () => {
    small = await open({ shared, tuning: { ...tiny, depth: 4096, fewestQuantized: 1 } });
    normal = await open({ shared, tuning: { fewestQuantized: 1 } });
  });
  afterAll(() => {
    small.dispose();
    normal.dispose();
  });

  test.each([1, 2, 3, 4, 5, 8, 129])("keeps what the k-th high end allows: %d columns", async (dims) => {
    for (const range of [2, 5, 100]) {
      const problem = integers({ core, dims, refs: 301, range, k: 2 });
      expectExact(await filter(small, problem), problem);
      expectExact(await filter(normal, problem), problem);
    }
  });

  test.each([1, 7, 8, 9, 16, 17, 97].flatMap((refs) => [1, 4, 5, 13].map((queries) => ({ refs, queries }))))(
    "any number of rows: $refs references, $queries queries",
    async ({ refs, queries }) => {
      for (const k of [1, 20]) {
        const problem = integers({ core, refs, queries, k, capacity: Math.max(refs, k) });
        expectExact(await filter(small, problem), problem);
      }
    },
  );

  test("several calls, rows around the visited ones, and an offset of the indices", async () => {
    const problem = integers({ core, refs: 203, dims: 6 });
    const refOffset = 4_000_000_000;
    for (const cuts of [[], [20], [3, 4, 5, 100]]) {
      expectExact(await filter(small, problem, { cuts, fringe: 3, refOffset }), problem, refOffset);
      expectExact(await filter(normal, problem, { cuts, fringe: 1, refOffset }), problem, refOffset);
    }
  });

  test("intervals of no width: ties stay, and nothing else", async () => {
    const problem = integers({ core, half: 0, refs: 303, range: 3, dims: 7, k: 1 });
    expectExact(await filter(small, problem), problem);
  });

  test("lists that overflow", async () => {
    for (const capacity of [3, 6, 12]) {
      const problem = integers({ core, refs: 97, k: 3, capacity, queries: 23, dims: 3 });
      expectExact(await filter(small, problem), problem);
      expectExact(await filter(small, problem, { cuts: [30, 31, 64] }), problem);
    }
  });

  test.each([1, 5, 33, 129, 784, 2048])("intervals hold the float64 value: %d columns", async (dims) => {
    const problem = reals(core, dims, 2, 7);
    for (const backend of [small, normal]) expectCertain(await filter(backend, problem), problem);
  });

  /** Rows of lengths that differ by 2^40, some of them zero, one entry far larger than the others. */
  test.each([
    ["lengths", (row: number) => 2 ** ((row * 7) % 41)],
    ["zeros", (row: number) => (row % 3 ? 1 : 0)],
    ["one far row", (row: number) => (row === 70 ? 2 ** 30 : 1)],
    ["short rows", () => 2 ** -62],
    ["rows too short for their squares", () => 2 ** -80],
    ["long rows", () => 2 ** 55],
    ["rows too long to quantize", (row: number) => (row === 70 ? Infinity : 1)],
    ["a row of NaN", (row: number) => (row === 70 ? NaN : 1)],
  ] as const)("hard rows: %s", async (_, scale) => {
    for (const weight of [-2, -1, 1]) {
      const problem = scaled(reals(core, 13, 2, 11), scale, weight);
      const plain = await open({ shared, tuning: { fewestQuantized: Infinity } });
      try {
        const whole = await filter(plain, problem);
        for (const backend of [small, normal]) expectSameLists(await filter(backend, problem), whole);
      } finally {
        plain.dispose();
      }
    }
  });
});

/**
 * Rows of train as queries, since few queries are not quantized, and chunks, since lists that are not full
 * rule nothing out.
 */
describe("hard inputs equal brute force", () => {
  let device: Device;
  beforeAll(async () => {
    device = await Device.create({ backend: "cpu", threads: 1 });
  });
  afterAll(() => device.dispose());

  const measures = ["euclidean", "cosine", "inner_product"] as const;
  test.each(inputs.flatMap(({ name, make }) => measures.map((metric) => ({ name, make, metric }))))(
    "$name, $metric",
    async ({ make, metric }) => {
      const random = new Random(seed);
      const { train } = make(random, 13);
      const rows = Math.min(train.rows, 53);
      const queries = { ...train, rows, data: train.data.slice(0, rows * train.cols) };
      const tiles = { chunk: 16, axes: random.pick([0, 8]), tree: false };
      const found = await kneighbors(train, queries, { metric, k: 3, tiles, device });
      expectSame(found, bruteForce(train, queries, { metric, k: 3 }), 3);
    },
  );
});

/**
 * Of rows [1, r, r, ..] with r just below half a step all but the 1 is rounded off, so that two of them are
 * nearer than their integers say, by all that the bound allows: of the query, of the worst reference of a
 * tile, or of both.
 */
describe("what is rounded off points the same way", () => {
  const dims = 64;
  const rest = 0.499 / 32766;
  const offOf = { query: [1, 0], reference: [0, 1], both: [1, 1] } as const;

  test.each(["query", "reference", "both"] as const)("of the %s", async (whose) => {
    const backend = await open({ tuning: { fewestQuantized: 1, tileRows: 16, tileBytes: 2 ** 16 } });
    try {
      const [ofQuery, ofReference] = offOf[whose];
      const row = (first: number, others: number) => [first, ...Array<number>(dims - 1).fill(others)];
      const query = row(1, ofQuery ? rest : 0.3);
      // The reference that all depends on stands late in the second tile, the first that is quantized.
      const near = row(1, ofReference ? rest : 0.3);
      const dot = (x: readonly number[]) =>
        x.reduce((sum, value, at) => sum + Math.fround(value) * Math.fround(query[at]), 0);
      const far = row(1 - 2e-7, ofReference ? 0 : 0.3);
      const refs = Array.from({ length: 48 }, (_, at) => (at === 27 ? near : far));
      expect(dot(near)).toBeGreaterThan(dot(far));
      const rows = (of: readonly (readonly number[])[]) => {
        const values = of.flat()[Symbol.iterator]();
        return rowsOf(
          of.length,
          dims,
          () => values.next().value!,
          () => [0, 0, 0, 0],
        );
      };
      const problem: Problem = {
        params: { core, p: 2, weight: -1, slack: 2 ** -16, cut: false, k: 1, capacity: 48, dims },
        queries: rows([query]),
        refs: rows(refs),
      };
      const [list] = await filter(backend, problem);
      expect(list.entries.map(({ index }) => index)).toContain(27);
    } finally {
      backend.dispose();
    }
  });
});

function scaled(problem: Problem, scale: (row: number) => number, weight: number): Problem {
  const { dims } = problem.params;
  const random = generator(3);
  const lengths = (row: Float32Array) => Math.hypot(...row);
  const meta = (row: Float32Array) => [lengths(row) ** 2, 2 ** -10 * lengths(row), 0, NaN];
  const refs = 301;
  let at = 0;
  return {
    params: { ...problem.params, weight, slack: 2 ** -18, capacity: refs },
    queries: problem.queries,
    refs: rowsOf(refs, dims, () => (random() - 0.5) * scale(Math.floor(at++ / dims)), meta),
  };
}

/**
 * The same references, with intervals and limits that differ by what summing in another order does, but for
 * those at the very edge.
 */
function expectSameLists(lists: List[], others: List[]): void {
  lists.forEach((list, query) => {
    const other = others[query];
    const blur = Math.max(Math.abs(list.limit), Math.abs(other.limit)) * 2 ** -16;
    const isAlike = (a: number, b: number) => Object.is(a, b) || Math.abs(a - b) <= blur;
    expect(isAlike(list.limit, other.limit)).toBe(true);
    expectHolds(list, other, isAlike);
    expectHolds(other, list, isAlike);
  });
}

/** What is not at the edge of `wanted` is in `list`, too, and alike. */
function expectHolds(list: List, wanted: List, isAlike: (a: number, b: number) => boolean): void {
  const found = new Map(list.entries.map((entry) => [entry.index, entry]));
  expect(list.entries.length).toBeGreaterThan(0);
  for (const { index, low, high } of wanted.entries) {
    const entry = found.get(index);
    if (entry) expect([isAlike(entry.low, low), isAlike(entry.high, high)]).toEqual([true, true]);
    else expect(isAlike(low, wanted.limit)).toBe(true);
  }
}
