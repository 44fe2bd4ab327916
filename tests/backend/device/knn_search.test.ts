/** GpuPrimitives.knn on buffers and encoders of the caller: against float64 where all arithmetic is exact. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { knnSearchBytes, knnSearchPasses, knnSearchWantsTraits } from "../../../dist/kernels/knnSearch.js";
import type { KernelLimits } from "../../../dist/kernels/pass.js";
import { GpuPrimitives } from "../../../dist/node.js";
import type { GpuKnnParams, KnnSearchMetric, KnnSearchParams } from "../../../dist/node.js";
import { hasSubgroups } from "../helpers.ts";
import { gpu, hasGpu, randomizer } from "./gpu.ts";
import { PassRunner } from "./passRunner.ts";

interface Rows {
  readonly data: Float32Array<ArrayBuffer>;
  readonly rows: number;
}

describe.skipIf(!hasGpu)("GpuPrimitives.knn", () => {
  let runner: PassRunner;
  let primitives: GpuPrimitives;
  beforeAll(async () => {
    const requiredFeatures: GPUFeatureName[] = hasSubgroups ? ["subgroups"] : [];
    runner = new PassRunner(await (await gpu.requestAdapter())!.requestDevice({ requiredFeatures }));
    primitives = await GpuPrimitives.create(runner.device);
  });
  afterAll(() => runner.device.destroy());

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
    const got = await runner.run(knnSearchPasses(params, limits), {
      queries: bitsOf(queries),
      references: bitsOf(references),
      distances: params.k * params.queries,
      indices: params.k * params.queries,
      scratch: knnSearchBytes(params, limits).scratch / 4,
    });
    const { distances, indices } = naive(params, queries, references);
    expect([...new Float32Array(got["distances"].buffer)]).toEqual(distances);
    expect([...got["indices"]]).toEqual(indices);
  }

  // Up to eight queries go a way of their own, and up to 32 another; sixteen columns are a slab, and 32 what lanes read at a time.
  it.each([
    ["euclidean", 5, 3],
    ["sqeuclidean", 8, 70],
    ["inner_product", 1, 37],
    ["manhattan", 2, 19],
    ["chebyshev", 3, 37],
    ["euclidean", 9, 37],
    ["inner_product", 32, 19],
    ["chebyshev", 17, 3],
    ["euclidean", 33, 3],
    ["inner_product", 33, 3],
    ["manhattan", 33, 3],
  ] as const)(
    "finds the neighbours of %s of %i queries with %i columns, nearest first, ties by index",
    async (metric, queries, columns) => {
      await expectNaive({ metric, queries, references: 90, columns, k: 7 }, 1);
    },
  );

  it.each([1, 9])("selects from rows of several pieces of values, of %i queries", async (queries) => {
    await expectNaive({ queries, references: 40_001, columns: 1, k: 12 }, 8);
  });

  it.each([8, 32])("puts last what is beyond float32, of %i queries", async (queries) => {
    const rows = (values: readonly number[]) => ({
      data: Float32Array.from(values.flatMap((value) => [value, 0, 0, 0])),
      rows: values.length,
    });
    const params = { queries, references: 4, columns: 1, k: 3 };
    const got = await search(params, rows(Array<number>(queries).fill(10)), rows([1, 3e38, 2, 3]));
    expect(got.indices).toEqual(Array.from({ length: queries }, () => [3, 2, 0]).flat());
    expect(got.distances).toEqual(Array.from({ length: queries }, () => [7, 8, 9]).flat());
  });

  it.each([{ group: 16 }, { group: 0 }])("goes through queries in batches (%o)", async (variant) => {
    const sizes = { queries: 70, references: 400, columns: 6, k: 20, workPerDispatch: 1 };
    await expectNaive({ ...sizes, variant }, 3);
  });

  // The values of all pairs of one query can be bound, those of three cannot, and with larger bindings those of nine.
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
    await expect(primitives.knn({ ...sizes, variant: { tile: "round" } })).rejects.toThrow(/"round"/);
    await expect(primitives.knn({ ...sizes, variant: { group: 5 } })).rejects.toThrow(/group is 5/);
    await expect(primitives.knn({ ...sizes, variant: { tile: "wide" } })).rejects.toThrow(
      /wide needs 256 lanes and \d+ bytes/,
    );
    // 64 lists of 300,000 entries of 8 bytes are more than the 128 MiB that every device binds.
    const many = { queries: 64, references: 400_000, columns: 1, k: 300_000 };
    await expect(primitives.knn(many)).rejects.toThrow(/k is 300000: 64 queries would bind \d+ bytes/);
  });
});

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
  for (let query = 0; query < queries.rows; query++) {
    const all = Array.from({ length: references.rows }, (_, row) => {
      const pairs = Array.from({ length: columns }, (_, j) => [
        queries.data[query * stride + j],
        references.data[row * stride + j],
      ]);
      return { row, distance: distanceOf(metric, pairs) };
    });
    const nearest = all.sort((a, b) => a.distance - b.distance || a.row - b.row).slice(0, k);
    distances.push(...nearest.map(({ distance }) => Math.fround(distance)));
    indices.push(...nearest.map(({ row }) => row));
  }
  return { distances, indices };
}

function distanceOf(metric: KnnSearchMetric, pairs: number[][]): number {
  const sum = (term: (a: number, b: number) => number) =>
    pairs.reduce((total, [a, b]) => total + term(a, b), 0);
  if (metric === "inner_product") return 0 - sum((a, b) => a * b);
  if (metric === "manhattan") return sum((a, b) => Math.abs(a - b));
  if (metric === "chebyshev") return Math.max(...pairs.map(([a, b]) => Math.abs(a - b)));
  const square = sum((a, b) => (a - b) ** 2);
  return metric === "euclidean" ? Math.sqrt(square) : square;
}
