/** GpuPrimitives.knn on buffers and encoders of the caller: against float64 where all arithmetic is exact. */
import { beforeAll, describe, expect, it } from "vitest";
import {
  knnSearchBytes,
  knnSearchPasses,
  knnSearchWantsTraits,
  unpack,
} from "../../../dist/ops/knn/gpu/search/search.js";
import type { KernelLimits, Pass } from "../../../dist/runtime/gpu/passes/pass.js";
import { knnLeastPolicy } from "../../../dist/ops/knn/gpu/policy.js";
import { GpuPrimitives } from "../../../dist/node.js";
import type { GpuKnnParams, KnnSearchMetric, KnnSearchParams } from "../../../dist/node.js";
import { printedSeed } from "../../oracle/random.ts";
import { hasSubgroups, oneIn } from "../helpers.ts";
import { callersGpu, hasGpu, randomizer } from "./gpu.ts";
import { PassRunner } from "./passRunner.ts";

interface Rows {
  readonly data: Float32Array<ArrayBuffer>;
  readonly rows: number;
}

interface Results {
  readonly distances: number[];
  readonly indices: number[];
}

const seed = printedSeed();

const limitsOfTests: KernelLimits = { workgroupsPerDimension: 65_535 };

/** Neighbours at most for which only the least values of groups are stored. */
const leastK = knnLeastPolicy.mostK;

describe.skipIf(!hasGpu)("GpuPrimitives.knn", () => {
  let runner: PassRunner;
  let primitives: GpuPrimitives;
  beforeAll(async () => {
    await unpack();
    const requiredFeatures: GPUFeatureName[] = hasSubgroups ? ["subgroups"] : [];
    runner = new PassRunner(await callersGpu(requiredFeatures));
    primitives = await GpuPrimitives.create(runner.device);
  });

  async function search(params: GpuKnnParams, queries: Rows, references: Rows) {
    const operation = await primitives.knn(params);
    try {
      const words = params.queries * params.k;
      const buffers = { queries: bitsOf(queries), references: bitsOf(references) };
      const results = { distances: words, indices: words, scratch: operation.scratchBytes / 4 };
      const got = await runner.record(
        (encoder, bindings) => operation.encode(encoder, bindings as Parameters<typeof operation.encode>[1]),
        { ...buffers, ...results },
      );
      return { distances: [...new Float32Array(got["distances"].buffer)], indices: [...got["indices"]] };
    } finally {
      operation.dispose();
    }
  }

  async function expectNaive(params: GpuKnnParams, seed: number): Promise<void> {
    const queries = wholeRows(params.queries, params.columns, seed);
    const references = wholeRows(params.references, params.columns, seed + 1);
    const got = await search(params, queries, references);
    expect(got).toEqual(naive(params, queries, references));
  }

  async function expectPasses(
    params: KnnSearchParams,
    limits: KernelLimits,
    queries: Rows,
    references: Rows,
  ): Promise<void> {
    await expectResults(params, knnSearchPasses(params, limits), queries, references, limits);
  }

  async function expectResults(
    params: KnnSearchParams,
    passes: readonly Pass[],
    queries: Rows,
    references: Rows,
    limits: KernelLimits = limitsOfTests,
  ): Promise<void> {
    expect(await resultsOf(params, passes, queries, references, limits)).toEqual(
      naive(params, queries, references),
    );
  }

  async function resultsOf(
    params: KnnSearchParams,
    passes: readonly Pass[],
    queries: Rows,
    references: Rows,
    limits: KernelLimits,
  ) {
    const got = await runner.run(passes, {
      queries: bitsOf(queries),
      references: bitsOf(references),
      distances: params.k * params.queries,
      indices: params.k * params.queries,
      scratch: knnSearchBytes(params, limits).scratch / 4,
    });
    return { distances: [...new Float32Array(got["distances"].buffer)], indices: [...got["indices"]] };
  }

  // Up to eight queries have a variant of their own, and up to 32 another; sixteen columns are a slab, and 32
  // what lanes read at a time.
  const metrics = [
    ["euclidean", 5, 3],
    ["sqeuclidean", 8, 70],
    ["inner_product", 1, 37],
    ["manhattan", 2, 19],
    ["chebyshev", 3, 37],
    ["euclidean", 9, 37],
    ["inner_product", 32, 19],
    ["chebyshev", 17, 3],
    ["euclidean", 9, 16],
    ["sqeuclidean", 32, 128],
    ["manhattan", 20, 32],
    ["inner_product", 12, 13],
    ["euclidean", 33, 64],
    ["euclidean", 33, 3],
    ["inner_product", 33, 3],
    ["manhattan", 33, 3],
  ] as const;
  it.each(oneIn(3, metrics, seed))(
    "finds the neighbours of %s of %i queries with %i columns, nearest first, ties by index",
    async (metric, queries, columns) => {
      await expectNaive({ metric, queries, references: 90, columns, k: 7 }, 1);
    },
  );

  it.each([1, 9])("selects from rows of several pieces of values, of %i queries", async (queries) => {
    await expectNaive({ queries, references: 40_001, columns: 1, k: leastK + 1 }, 8);
  });

  // With one column nearly every group has a reference at the distance of the nearest; with twelve few have.
  const grouped = [
    ["euclidean", 1, 40_001, 1],
    ["sqeuclidean", 5, 3001, 12],
    ["chebyshev", 8, 2817, 5],
    ["inner_product", 9, 20_000, 2],
    ["euclidean", 32, 2849, 12],
    ["manhattan", 20, 5000, 3],
  ] as const;
  it.each(oneIn(3, grouped, seed))(
    "looks into the groups that have the least values: %s of %i queries among %i references of %i columns",
    async (metric, queries, references, columns) => {
      const params = { metric, queries, references, columns, k: 11 };
      expect(labelsOf(params)).toEqual([queries > 8 ? "knn.whole" : "knn.few", "knn.least"]);
      await expectNaive(params, 11);
    },
  );

  it.each([2, 12])("keeps the first of references that are alike (%i queries)", async (queries) => {
    const params = { queries, references: 30_000, columns: 1, k: 20 };
    const got = await search(params, rowsOf(Array<number>(queries).fill(1)), rowsOf(Array(30_000).fill(4)));
    const first = Array.from({ length: 20 }, (_, i) => i);
    expect(got.indices).toEqual(Array.from({ length: queries }, () => first).flat());
    expect(new Set(got.distances)).toEqual(new Set([3]));
  });

  it.each([2, 12])("puts NaN and what is beyond float32 after numbers, of %i queries", async (queries) => {
    const references = Array.from({ length: 4000 }, (_, i) => [NaN, 1e30, -Infinity][i % 3]);
    const near = [77, 1999, 3999];
    for (const [i, at] of near.entries()) references[at] = 10 + i;
    const params = { metric: "sqeuclidean", queries, references: 4000, columns: 1, k: 5 } as const;
    const got = await search(params, rowsOf(Array<number>(queries).fill(9)), rowsOf(references));
    expect(got.indices).toEqual(Array.from({ length: queries }, () => [...near, 1, 2]).flat());
    expect(got.distances).toEqual(
      Array.from({ length: queries }, () => [1, 4, 9, Infinity, Infinity]).flat(),
    );
  });

  it.each([2, 12])(
    "has NaN, of either sign, where there are too few numbers, of %i queries",
    async (queries) => {
      const references = rowsOf(Array<number>(3000).fill(NaN));
      const bits = bitsOf(references);
      bits.forEach((word, at) => (bits[at] = word === 0x7fc00000 ? 0xffc00000 : word));
      [references.data[4 * 2999], references.data[4 * 40]] = [4, 6];
      const params = { metric: "sqeuclidean", queries, references: 3000, columns: 1, k: 5 } as const;
      const got = await search(params, rowsOf(Array<number>(queries).fill(1)), references);
      expect(got.indices).toEqual(Array.from({ length: queries }, () => [2999, 40, 0, 1, 2]).flat());
      expect(got.distances).toEqual(Array.from({ length: queries }, () => [9, 25, NaN, NaN, NaN]).flat());
    },
  );

  it("goes on where lanes have keys for another turn", async () => {
    const references = Array.from({ length: 270_001 }, (_, i) => 100 + i);
    references[270_000] = 1;
    const params = { queries: 1, references: 270_001, columns: 1, k: 3 };
    const got = await search(params, rowsOf([0]), rowsOf(references));
    expect(got).toEqual({ distances: [1, 100, 101], indices: [270_000, 0, 1] });
  });

  // What is stored of groups and what is made of them again must be the same bits: with one more neighbour
  // all values are stored.
  const stored = [
    ["euclidean", 1, 261],
    ["sqeuclidean", 6, 37],
    ["inner_product", 8, 150],
    ["euclidean", 16, 37],
    ["sqeuclidean", 32, 70],
  ] as const;
  it.each(oneIn(3, stored, seed))(
    "has the same values whatever is stored: %s of %i queries",
    async (metric, queries, columns) => {
      const sizes = { metric, queries, references: 9000, columns };
      const [asked, train] = [fractions(queries, columns, 12), fractions(9000, columns, 13)];
      const few = await search({ ...sizes, k: leastK }, asked, train);
      expect(few).toEqual(cut(await search({ ...sizes, k: leastK + 1 }, asked, train)));
    },
  );

  // An H200 has 32 lanes, of which eight share a reference, this software GPU four.
  it.skipIf(!hasSubgroups)("has the same values where parts meet within subgroups", async () => {
    const limits = { ...limitsOfTests, traits: { forwardProgress: false, subgroups: true }, subgroupSize: 4 };
    const [asked, train] = [fractions(7, 150, 14), fractions(9000, 150, 15)];
    const run = async (k: number) => {
      const params = { metric: "sqeuclidean", queries: 7, references: 9000, columns: 150, k } as const;
      const passes = knnSearchPasses(params, limits);
      expect(passes[0].code).toMatch(/subgroupShuffleXor/);
      return resultsOf(params, passes, asked, train, limits);
    };
    expect(await run(leastK)).toEqual(cut(await run(leastK + 1)));
  });

  it("stores all values where the references cannot be bound at once, and for larger k", () => {
    const params = { metric: "euclidean", queries: 2, references: 9000, columns: 4, k: leastK } as const;
    const labels = (bindingBytes: number, k: number) =>
      labelsOf({ ...params, k }, { ...limitsOfTests, bindingBytes });
    expect(labels(144_000, leastK)).toEqual(["knn.few", "knn.least"]);
    expect(labels(143_000, leastK)).toContain("select.filter");
    expect(labels(144_000, leastK + 1)).toContain("select.filter");
  });

  it.each([
    [1024, 32_768, 512],
    [1024, 16_384, 256],
    [256, 32_768, 256],
    [300, 32_768, 256],
  ])(
    "takes no more lanes and memory than there are: of %i lanes and %i bytes %i",
    (lanes, bytes, threads) => {
      const params = { metric: "euclidean", queries: 2, references: 9000, columns: 4, k: 9 } as const;
      const limits = { ...limitsOfTests, workgroupThreads: lanes, workgroupBytes: bytes };
      expect(knnSearchPasses(params, limits)[1].code).toContain(`const THREADS: u32 = ${threads}u;`);
    },
  );

  it("makes all values again where those of groups turn out to be too small", async () => {
    const params = { metric: "sqeuclidean", queries: 3, references: 3000, columns: 4, k: 9 } as const;
    const [first, last] = knnSearchPasses(params, limitsOfTests);
    const lower = first.code.replace(/~(keyOfValue\(\w+\))/, "~($1/2u)");
    expect(lower).not.toBe(first.code);
    const queries = wholeRows(3, 4, 13);
    await expectResults(params, [{ ...first, code: lower }, last], queries, wholeRows(3000, 4, 14));
  });

  it.each([8, 32])("puts last what is beyond float32, of %i queries", async (queries) => {
    const params = { queries, references: 4, columns: 1, k: 3 };
    const got = await search(params, rowsOf(Array<number>(queries).fill(10)), rowsOf([1, 3e38, 2, 3]));
    expect(got.indices).toEqual(Array.from({ length: queries }, () => [3, 2, 0]).flat());
    expect(got.distances).toEqual(Array.from({ length: queries }, () => [7, 8, 9]).flat());
  });

  it.each([{ group: 16 }, { group: 0 }])("goes through queries in batches (%o)", async (variant) => {
    const sizes = { queries: 70, references: 400, columns: 6, k: 20, workPerDispatch: 1 };
    await expectNaive({ ...sizes, variant }, 3);
  });

  // The values of all pairs of one query can be bound, those of three cannot, and with larger bindings those
  // of nine.
  it.each([
    ["knn.few", { queries: 1, columns: 2 }, 4096, 3],
    ["knn.distance", { queries: 3, columns: 2 }, 4096, 3],
    ["knn.whole", { queries: 9, columns: 12 }, 25_600, 2],
  ])("looks at references through windows where a binding holds no more (%s)", async (...each) => {
    const [label, sizes, bindingBytes, windows] = each;
    const params = { metric: "sqeuclidean", references: 701, k: 9, ...sizes } as const;
    const limits = { workgroupsPerDimension: 65_535, bindingBytes };
    const passes = knnSearchPasses(params, limits);
    expect(passes.filter((pass) => pass.label === label).length).toBe(windows);
    const queries = wholeRows(params.queries, params.columns, 6);
    const references = wholeRows(701, params.columns, 7);
    await expectPasses(params, limits, queries, references);
  });

  it.each([
    [2, false],
    [3, true],
    [8, true],
    [9, false],
  ])("asks for the self-test of traits only where subgroups serve: %i queries, %s", (queries, wanted) => {
    const sizes = { metric: "euclidean", references: 100, columns: 4, k: 3 } as const;
    expect(knnSearchWantsTraits({ ...sizes, queries })).toBe(wanted);
  });

  // An H200 has 32 lanes, of which eight share a reference, this software GPU four.
  it.skipIf(!hasSubgroups).each([
    ["sqeuclidean", 3, 70],
    ["chebyshev", 8, 37],
  ] as const)("lets parts meet within subgroups (%s of %i queries)", async (metric, queries, columns) => {
    const params = { metric, queries, references: 301, columns, k: 9 } as const;
    const traits = { forwardProgress: false, subgroups: true };
    const limits = { workgroupsPerDimension: 65_535, traits, subgroupSize: 4 };
    const passes = knnSearchPasses(params, limits);
    expect(passes[0].code).toMatch(/subgroupShuffleXor/);
    await expectPasses(params, limits, wholeRows(queries, columns, 9), wholeRows(301, columns, 10));
  });

  it.each([2, 33])("sorts lists longer than a workgroup sorts, of %i queries", async (queries) => {
    await expectNaive({ queries, references: 1500, columns: 2, k: 1400 }, 5);
  });

  it("refuses what means nothing, naming it", async () => {
    const sizes = { queries: 2, references: 10, columns: 2, k: 3 };
    await expect(primitives.knn({ ...sizes, k: 11 })).rejects.toThrow(/k is 11; expected .* from 1 to 10/);
    await expect(primitives.knn({ ...sizes, columns: 0 })).rejects.toThrow(/columns is 0/);
    await expect(primitives.knn({ ...sizes, metric: "cosine" as KnnSearchMetric })).rejects.toThrow(/cosine/);
    for (const tile of ["round", "constructor", "__proto__"]) {
      await expect(primitives.knn({ ...sizes, variant: { tile } })).rejects.toThrow(`unknown tile "${tile}"`);
    }
    await expect(primitives.knn({ ...sizes, variant: { group: 5 } })).rejects.toThrow(/group is 5/);
    await expect(primitives.knn({ ...sizes, variant: { tile: "wide" } })).rejects.toThrow(
      /wide needs 256 lanes and \d+ bytes/,
    );
    // 64 lists of 300,000 entries of 8 bytes are more than the 128 MiB that every device binds.
    const many = { queries: 64, references: 400_000, columns: 1, k: 300_000 };
    await expect(primitives.knn(many)).rejects.toThrow(/k is 300000: 64 queries would bind \d+ bytes/);
  });
});

/** Numbers whose sums are rounded. */
function fractions(rows: number, columns: number, seed: number): Rows {
  const random = randomizer(seed);
  const stride = Math.ceil(columns / 4) * 4;
  const value = (_: unknown, i: number) => (i % stride < columns ? random() : 0);
  return { data: Float32Array.from({ length: rows * stride }, value), rows };
}

/** Without the last of leastK + 1 neighbours. */
function cut({ distances, indices }: Results): Results {
  const keep = (list: readonly number[]) => list.filter((_, i) => i % (leastK + 1) < leastK);
  return { distances: keep(distances), indices: keep(indices) };
}

function labelsOf(params: KnnSearchParams, limits = limitsOfTests): string[] {
  return knnSearchPasses(params, limits).map(({ label }) => label);
}

/** Rows of one column. */
function rowsOf(values: readonly number[]): Rows {
  return { data: Float32Array.from(values.flatMap((value) => [value, 0, 0, 0])), rows: values.length };
}

function bitsOf({ data }: Rows): Uint32Array<ArrayBuffer> {
  return new Uint32Array(data.buffer);
}

/** Small whole numbers, so that float32 is exact and many distances tie. */
function wholeRows(rows: number, columns: number, seed: number): Rows {
  const random = randomizer(seed);
  const stride = Math.ceil(columns / 4) * 4;
  const data = new Float32Array(rows * stride);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) data[i * stride + j] = Math.floor(random() * 7) - 3;
  }
  return { data, rows };
}

function naive({ metric = "euclidean", columns, k }: GpuKnnParams, queries: Rows, references: Rows) {
  const stride = Math.ceil(columns / 4) * 4;
  const distances: number[] = [];
  const indices: number[] = [];
  const rowOf = ({ data }: Rows, row: number) => [...data.subarray(row * stride, row * stride + columns)];
  for (let query = 0; query < queries.rows; query++) {
    const asked = rowOf(queries, query);
    const each = Float64Array.from({ length: references.rows }, (_, row) =>
      distanceOf(metric, asked, rowOf(references, row)),
    );
    // Numbers are sorted ten times as fast as rows, of which only those up to the k-th are left to sort.
    const limit = each.toSorted()[k - 1];
    const all: { row: number; distance: number }[] = [];
    each.forEach((distance, row) => distance <= limit && all.push({ row, distance }));
    const nearest = all.sort((a, b) => a.distance - b.distance || a.row - b.row).slice(0, k);
    distances.push(...nearest.map(({ distance }) => Math.fround(distance)));
    indices.push(...nearest.map(({ row }) => row));
  }
  return { distances, indices };
}

function distanceOf(metric: KnnSearchMetric, x: readonly number[], y: readonly number[]): number {
  const sum = (term: (a: number, b: number) => number) => x.reduce((total, a, j) => total + term(a, y[j]), 0);
  if (metric === "inner_product") return 0 - sum((a, b) => a * b);
  if (metric === "manhattan") return sum((a, b) => Math.abs(a - b));
  if (metric === "chebyshev") return Math.max(...x.map((a, j) => Math.abs(a - y[j])));
  const square = sum((a, b) => (a - b) ** 2);
  return metric === "euclidean" ? Math.sqrt(square) : square;
}
