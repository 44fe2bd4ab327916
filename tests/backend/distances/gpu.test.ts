/**
 * Distances counted by bins on a GPU: exactly, against brute force, and in float32, against the float32
 * distances that a search reports.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { distanceHistogram, kneighbors, type Device } from "../../../dist/node.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { isAbsent, oneIn, openBeside, openDevice, sharedGpu } from "../helpers.ts";
import { matrix, type Flat } from "../inputs.ts";
import { exactDistances, expectCounts, inOrder, rounded, type Options, type Result } from "./onGpu.ts";

const seed = printedSeed();

describe.skipIf(isAbsent("gpu"))("on a GPU", () => {
  let device: Device;
  beforeAll(async () => {
    device = await sharedGpu();
  });
  const random = new Random(seed);
  const uniform = (rows: number, cols: number) => rounded(matrix(rows, cols, () => random.uniform()));
  const [train, queries] = [uniform(301, 19), uniform(21, 19)];

  async function countOnGpu(train: Flat, queries: Flat, options: Options): Promise<Result> {
    const result = await distanceHistogram(train, queries, { device, ...options });
    expect(result.explanation.dispatches).toBeGreaterThan(2);
    expect(result.explanation.technique).not.toContain("float64 throughout");
    return result;
  }

  describe("in float32", () => {
    const float32 = { precision: "float32" } as const;
    async function float32Distances(train: Flat, queries: Flat, options: object): Promise<number[][]> {
      const found = await kneighbors(train, queries, { ...options, ...float32, device, k: train.rows });
      return inOrder(found, train.rows);
    }

    const measures = [
      { metric: "euclidean" },
      { metric: "sqeuclidean" },
      { metric: "manhattan" },
      { metric: "chebyshev" },
      { metric: "cosine" },
      { metric: "correlation" },
    ] as const;
    it.each(oneIn(3, measures, seed))(
      "every count is that of the device's own distances: $metric",
      async (measure) => {
        const all = await float32Distances(train, queries, measure);
        for (const bins of [1, 5, 64]) {
          const options = { ...measure, ...float32, bins };
          expectCounts(await countOnGpu(train, queries, options), all, options);
        }
      },
    );
  });

  it("float32: rows of windows, of chunks, made twice and kept have the same counts", async () => {
    const first = await countOnGpu(train, queries, { precision: "float32", bins: 40 });
    for (const tuning of [{ kept: 0, rows: 64 }, { slab: 5, rows: 100, chunk: 90 }, { slab: 1 }]) {
      const again = await countOnGpu(train, queries, { precision: "float32", bins: 40, tuning });
      expect([...again.counts]).toEqual([...first.counts]);
      expect([...again.min, ...again.max]).toEqual([...first.min, ...first.max]);
    }
  });

  describe("exactly", () => {
    const minkowski = (p: number) => ({ metric: "minkowski", p }) as const;

    const numbersOfBins = [1, 2, 5, 63, 64, 65, 1000, 1024, 5000, 65_536];
    it.each(oneIn(2, numbersOfBins, seed))("%i bins", async (bins) => {
      const some = bins > 5000 ? uniform(2, 19) : queries;
      const result = await countOnGpu(train, some, { bins, tuning: { whole: false } });
      expectCounts(result, exactDistances(train, some), { bins });
      const { float32, fixed, float64 } = result.explanation.settled;
      const pairs = train.rows * some.rows;
      expect(float32 + fixed + float64).toBe(pairs);
      // Narrow bins leave more open; nearly all of it is settled by whole numbers.
      expect(float64).toBeLessThan((bins > 5000 ? 0.2 : 0.02) * pairs);
      if (bins === 65_536) expect(fixed).toBeGreaterThan(0.2 * pairs);
    });

    const others = [{ metric: "sqeuclidean" } as const, ...[1, 2, Infinity].map(minkowski)];
    it.each(oneIn(2, others, seed))("by %o, also of few columns", async (measure) => {
      const [train, queries] = [uniform(150, 3), uniform(7, 3)];
      const all = exactDistances(train, queries, measure);
      const options = { ...measure, bins: 100 };
      expectCounts(await countOnGpu(train, queries, options), all, options);
    });

    // They share all shaders but one snippet.
    const sums = [{ metric: "manhattan" }, { metric: "chebyshev" }] as const;
    describe.each(oneIn(2, sums, seed))("by $metric", (measure) => {
      it.each(oneIn(2, [1, 5, 64, 1000, 5000], seed >> 1))("%i bins", async (bins) => {
        const options = { ...measure, bins };
        const result = await countOnGpu(train, queries, options);
        expectCounts(result, exactDistances(train, queries, measure), options);
        const { fixed, float64 } = result.explanation.settled;
        expect(float64).toBeLessThan(0.05 * train.rows * queries.rows);
        // Sums of differences have whole numbers too.
        if (bins === 5000 && measure.metric === "manhattan") expect(fixed).toBeGreaterThan(float64);
      });

      it("ties, rows of zeros, tiny and large values, the row itself, tiles and ranges", async () => {
        const grid = rounded(matrix(53, 7, () => random.int(-2, 2)));
        const tiny = () => random.int(-9, 9) * 2 ** random.int(-149, -100);
        const mixed = rounded(matrix(45, 5, () => (random.int(0, 2) > 0 ? tiny() : random.int(0, 3) / 7)));
        for (const rows of [grid, mixed])
          for (const tuning of [
            { slab: 25, rows: 24, chunk: 30 },
            { kept: 0, room: 1 },
          ])
            for (const range of ["query", [0.25, 3]] as const) {
              const options = { ...measure, bins: 12, range, excludeSelf: true, tuning };
              expectCounts(
                await countOnGpu(rows, rows, options),
                exactDistances(rows, rows, measure),
                options,
              );
            }
      });

      it.each([-5, -15])("subnormal entries beside 2^%i", async (exponent) => {
        const column = (...data: number[]) =>
          rounded({ data: Float64Array.from(data), rows: data.length, cols: 1 });
        const [rows, zero] = [column(2 ** -140, 2 ** exponent, 3 * 2 ** -149), column(0)];
        const options = { ...measure, edges: [0, 2 ** -145, 1] };
        const result = await distanceHistogram(rows, zero, { device, ...options });
        expectCounts(result, exactDistances(rows, zero, measure), options);
      });

      it("edges on which references lie, and distances one ulp apart", async () => {
        const zero = rounded({ data: Float64Array.of(0), rows: 1, cols: 1 });
        const tenths = { data: Float64Array.from({ length: 1001 }, (_, i) => i / 10), rows: 1001, cols: 1 };
        const ulp = { data: Float64Array.of(1, 1 + 2 ** -23, 1, 1 + 2 ** -22), rows: 4, cols: 1 };
        for (const rows of [rounded(tenths), rounded(ulp)])
          for (const bins of [1, 7, 10, 1000]) {
            const options = { ...measure, bins };
            expectCounts(await countOnGpu(rows, zero, options), exactDistances(rows, zero, measure), options);
          }
      });
    });

    it("ranges of all queries, given ranges and edges", async () => {
      const all = exactDistances(train, queries);
      for (const options of [
        { bins: 37, range: "all" },
        { bins: 37, range: [1.1, 1.9] },
        { bins: 3, range: [0, 0] },
        { edges: [-1, 0, 0.9, 1.5, 1.50000001, 2, Infinity] },
        { edges: [1, 2] },
      ] as const)
        expectCounts(await countOnGpu(train, queries, options), all, options);
    });

    const tunings = [
      { slab: 4, rows: 64 },
      { kept: 0, rows: 64 },
      { kept: 0, slab: 3, chunk: 77 },
      { slab: 8, chunk: 50 },
      { budget: 30_000 },
    ];
    it.each(tunings)("whatever the tiles are: %o", async (tuning) => {
      const all = exactDistances(train, queries);
      for (const range of oneIn(2, ["query", "all"] as const, seed + tunings.indexOf(tuning))) {
        const options = { bins: 100, range, tuning };
        const result = await countOnGpu(train, queries, options);
        expectCounts(result, all, options);
        const passes = range === "all" || tuning.kept === 0 ? "twice" : "kept";
        if (!tuning.budget) expect(result.explanation.passes).toBe(passes);
      }
    });

    it("rows themselves do not count where excludeSelf says so", async () => {
      const train = uniform(60, 19);
      const all = exactDistances(train, train);
      for (const tuning of [{}, { slab: 25, rows: 24, chunk: 35 }])
        for (const precision of ["float64", "float32"] as const) {
          const options = { bins: 9, excludeSelf: true, precision, tuning };
          const result = await countOnGpu(train, train, options);
          if (precision === "float64") expectCounts(result, all, options);
          const sums = Array.from({ length: train.rows }, (_, query) =>
            result.counts.subarray(query * 9, query * 9 + 9).reduce((sum, count) => sum + count, 0),
          );
          expect(new Set(sums)).toEqual(new Set([train.rows - 1]));
          expect(result.min.every((least) => least > 0.1)).toBe(true);
        }
    });

    it("edges on which references lie, where the floor formula fails", async () => {
      const line = rounded({
        data: Float64Array.from({ length: 1001 }, (_, i) => i / 10),
        rows: 1001,
        cols: 1,
      });
      const zero = rounded({ data: Float64Array.of(0), rows: 1, cols: 1 });
      const all = exactDistances(line, zero);
      for (const bins of [7, 10, 49, 1000, 5000])
        expectCounts(await countOnGpu(line, zero, { bins }), all, { bins });
      // The last edge, 100, and those before it are references.
      const options = { bins: 1000, range: [0, Math.fround(99.9)] } as const;
      expectCounts(await countOnGpu(line, zero, options), all, options);
    });

    it("distances one ulp apart, equal distances, one row, a query that is a row", async () => {
      const one = rounded({ data: Float64Array.of(0), rows: 1, cols: 1 });
      const ulp = rounded({ data: Float64Array.of(1, 1 + 2 ** -23, 1, 1 + 2 ** -22), rows: 4, cols: 1 });
      const equal = rounded({ data: new Float64Array(40).fill(3), rows: 40, cols: 1 });
      const own = { data: (train.data as Float32Array).slice(0, 38), rows: 2, cols: 19 };
      for (const bins of oneIn(2, [1, 2, 5, 5000], seed)) {
        expectCounts(await countOnGpu(ulp, one, { bins }), exactDistances(ulp, one), { bins });
        expectCounts(await countOnGpu(equal, one, { bins }), exactDistances(equal, one), { bins });
        expectCounts(await countOnGpu(ulp, ulp, { bins }), exactDistances(ulp, ulp), { bins });
        expectCounts(await countOnGpu(train, own, { bins }), exactDistances(train, own), { bins });
      }
    });

    it("more distances are open than have room to wait", async () => {
      const grid = rounded(matrix(903, 16, () => random.int(0, 2)));
      const few = rounded(matrix(3, 16, () => random.int(0, 2)));
      for (const bins of [3, 1000])
        for (const tuning of [{ rows: 700 }, { room: 7 }, { room: 1, rows: 64 }]) {
          const result = await countOnGpu(grid, few, { bins, tuning });
          expectCounts(result, exactDistances(grid, few), { bins });
        }
      const options = { bins: 20_000, excludeSelf: true, tuning: { room: 3, whole: false } };
      const result = await countOnGpu(queries, queries, options);
      expectCounts(result, exactDistances(queries, queries), options);
      expect(result.explanation.settled.fixed).toBeGreaterThan(3 * queries.rows);
    });

    it("the nearest and the farthest are in any of the blocks that are looked at", async () => {
      const many = uniform(12_301, 5);
      const some = uniform(5, 5);
      const all = exactDistances(many, some);
      for (const tuning of [{}, { slab: 2, rows: 9001 }]) {
        const result = await countOnGpu(many, some, { bins: 30, tuning });
        expectCounts(result, all, { bins: 30 });
        // The extremes of blocks rule out nearly all pairs.
        expect(result.explanation.evaluated - result.explanation.settled.float64).toBeLessThan(100);
      }
    });
  });

  it("counts by workers, and says why, what a GPU cannot count", async () => {
    const [few, some] = [uniform(40, 4), uniform(3, 4)];
    for (const options of [
      { metric: "minkowski", p: 3, bins: 6 },
      { metric: "minkowski", p: 3, bins: 6, precision: "float32" },
      { metric: "inner_product", bins: 6, precision: "float32" },
    ] as const) {
      const result = await distanceHistogram(few, some, { device, ...options });
      const { metric } = options;
      const p = "p" in options ? options.p : undefined;
      const all = exactDistances(few, some, { metric, p });
      expectCounts(result, all, options);
      expect(result.explanation.technique).toContain("float64 throughout");
      expect(result.explanation.why).toMatch(/GPU.*slow/s);
    }
    const far = matrix(50, 3, () => 2 ** 30 + random.int(0, 9) / 16);
    const result = await distanceHistogram(far, far, { device, bins: 9 });
    expectCounts(result, exactDistances(far, far), { bins: 9 });
    expect(result.explanation.why).toContain("near the origin");
  });

  it("little memory is used in smaller tiles, and too little is an error that says so", async () => {
    const all = exactDistances(train, queries);
    const small = await openBeside("gpu", { deviceMemory: 2 ** 15 });
    try {
      const result = await distanceHistogram(train, queries, { device: small, bins: 50 });
      expectCounts(result, all, { bins: 50 });
      expect(small.counters.peakBytes).toBeLessThanOrEqual(2 ** 15);
      const tiny = distanceHistogram(train, queries, { device: small, bins: 50_000 });
      await expect(tiny).rejects.toThrow(/raise deviceMemory/);
    } finally {
      small.dispose();
    }
  });

  it("a device lost in the middle is opened again; an abort is heard", async () => {
    const own = await openDevice("gpu");
    try {
      let left = 1;
      const result = await distanceHistogram(train, queries, {
        ...{ device: own, bins: 5, tuning: { slab: 6 } },
        onProgress: ({ done }) => {
          if (done >= 6 && left-- > 0) (own.backend as unknown as { device: GPUDevice }).device.destroy();
        },
      });
      expectCounts(result, exactDistances(train, queries), { bins: 5 });
      expect(result.explanation.timesDeviceLost).toBe(1);
      const abort = new AbortController();
      const aborted = distanceHistogram(train, queries, {
        ...{ device: own, bins: 5, tuning: { slab: 1 }, signal: abort.signal },
        onProgress: ({ done }) => {
          if (done >= 2) abort.abort(new Error("enough"));
        },
      });
      await expect(aborted).rejects.toThrow("enough");
    } finally {
      own.dispose();
    }
  });
});
