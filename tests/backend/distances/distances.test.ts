/** Distances counted by bins, against brute force and plain loops, by workers and by the main thread. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distanceHistogram, type Device } from "../../../dist/node.js";
import { binned, edgesBetween } from "../../oracle/distances.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { openDevice } from "../helpers.ts";
import { matrix } from "../inputs.ts";
import { distancesOf, expectExact, type Options } from "./expected.ts";

const seed = printedSeed();
describe.each(["workers", "the main thread"])("by %s", (who) => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice("cpu");
  });
  afterAll(() => device.dispose());
  const tuned = (tuning: Options["tuning"] = {}) => {
    return { device, tuning: { ...tuning, fewest: who === "workers" ? 0 : Infinity } };
  };

  const random = new Random(seed);
  const value = () => random.int(-40, 40) / 8;
  const [train, queries] = [matrix(211, 5, value), matrix(9, 5, value)];

  it.each([
    { metric: "euclidean" },
    { metric: "sqeuclidean" },
    { metric: "manhattan" },
    { metric: "chebyshev" },
    { metric: "minkowski", p: 3 },
    { metric: "cosine" },
    { metric: "correlation" },
    { metric: "inner_product" },
  ] as const)("every count equals brute force: $metric $p", async (measure) => {
    const all = distancesOf(train, queries, measure);
    for (const bins of [1, 2, 5, 64])
      await expectExact(all, train, queries, { ...measure, bins, ...tuned() });
  });

  it.each([63, 65, 1000, 1024, 5000, 65_536])("%i bins", async (bins) => {
    const few = matrix(3, 5, value);
    await expectExact(distancesOf(train, few), train, few, { bins, ...tuned() });
  });

  it("ranges of all queries, given ranges and edges", async () => {
    const all = distancesOf(train, queries);
    await expectExact(all, train, queries, { bins: 37, range: "all", ...tuned() });
    await expectExact(all, train, queries, { bins: 37, range: [3, 7.7], ...tuned() });
    await expectExact(all, train, queries, { bins: 3, range: [5, 5], ...tuned() });
    await expectExact(all, train, queries, { edges: [2, 2.5, 4, 9, Infinity], ...tuned() });
  });

  it.each([
    { kept: 0, queries: 2, rows: 7 },
    { kept: 2000, queries: 4, rows: 100 },
    { slab: 1, queries: 1, rows: 211 },
  ])("whatever the tiles are: %o", async (tuning) => {
    const all = distancesOf(train, queries);
    for (const range of ["query", "all"] as const)
      await expectExact(all, train, queries, { bins: 100, range, ...tuned(tuning) });
  });

  it("rows themselves do not count where excludeSelf says so", async () => {
    const all = distancesOf(train, train);
    const tuning = { queries: 10, rows: 50 };
    for (const range of ["query", "all"] as const)
      await expectExact(all, train, train, { bins: 9, range, excludeSelf: true, ...tuned(tuning) });
  });

  it("edges on which references lie, where the floor formula fails", async () => {
    const line = { data: Float64Array.from({ length: 1001 }, (_, i) => i / 10), rows: 1001, cols: 1 };
    const zero = { data: Float64Array.of(0), rows: 1, cols: 1 };
    const all = distancesOf(line, zero);
    for (const bins of [7, 10, 49, 1000, 5000]) await expectExact(all, line, zero, { bins, ...tuned() });
    const right = binned(all[0], edgesBetween(0, 100, 1000)).counts;
    const floors = new Array<number>(1000).fill(0);
    for (const distance of all[0]) floors[Math.min(999, Math.floor(distance / (100 / 1000)))]++;
    expect(floors).not.toEqual(right);
  });

  it("distances one ulp apart, equal distances, one row, far offsets", async () => {
    const one = { data: Float64Array.of(0), rows: 1, cols: 1 };
    const ulp = { data: Float64Array.of(1, 1 + 2 ** -52, 1), rows: 3, cols: 1 };
    for (const bins of [1, 2, 5, 65_536])
      await expectExact(distancesOf(ulp, one), ulp, one, { bins, ...tuned() });
    const equal = { data: new Float64Array(40).fill(3), rows: 40, cols: 1 };
    await expectExact(distancesOf(equal, one), equal, one, { bins: 10, ...tuned() });
    await expectExact(distancesOf(one, one), one, one, { bins: 10, ...tuned() });
    const far = matrix(100, 3, () => 2 ** 40 + random.int(0, 9) / 16);
    await expectExact(distancesOf(far, far), far, far, { bins: 1000, ...tuned() });
  });

  it("infinite distances are above and set no range, in both directions", async () => {
    const large = { data: Float64Array.of(1e200, 0, 3, -1e200), rows: 4, cols: 1 };
    const at = { data: Float64Array.of(1e200, 1), rows: 2, cols: 1 };
    for (const measure of [{ metric: "sqeuclidean" }, { metric: "inner_product" }] as const)
      for (const range of ["query", "all"] as const)
        await expectExact(distancesOf(large, at, measure), large, at, {
          ...measure,
          bins: 4,
          range,
          ...tuned(),
        });
    const edges = [-Infinity, 0, Infinity];
    await expectExact(distancesOf(large, at, { metric: "inner_product" }), large, at, {
      metric: "inner_product",
      edges,
      ...tuned(),
    });
  });

  it("gaps without a common column are NaN", async () => {
    const gappy = { data: Float64Array.of(1, NaN, NaN, 2, 4, 4), rows: 3, cols: 2 };
    const query = { data: Float64Array.of(NaN, 0, NaN, NaN), rows: 2, cols: 2 };
    const result = await distanceHistogram(gappy, query, { bins: 2, missing: "skip", ...tuned() });
    expect([...result.nan]).toEqual([1, 3]);
    expect([...result.counts]).toEqual([1, 1, 0, 0]);
    expect([...result.edges(1)]).toEqual([NaN, NaN, NaN]);
    expect(result.min[1]).toBeNaN();
  });

  it("a row that is alone and does not count itself has no distance and no range", async () => {
    const result = await distanceHistogram([[4]], [[4]], { bins: 2, excludeSelf: true, ...tuned() });
    expect([...result.counts, ...result.nan, ...result.constant]).toEqual([0, 0, 0, 0]);
    expect([result.min[0], result.max[0], ...result.edges(0)]).toEqual([NaN, NaN, NaN, NaN, NaN]);
    expect(() => result.edges(1)).toThrow("query 1 is out of range; there are 1");
  });

  it("an array of the caller's is written and what lies past the counts is left alone", async () => {
    const out = new Uint32Array(9 * 4 + 3).fill(0xdeadbeef);
    const { counts } = await distanceHistogram(train, queries, { bins: 4, out, ...tuned() });
    expect(counts).toBe(out);
    expect([...out.subarray(36)]).toEqual([0xdeadbeef, 0xdeadbeef, 0xdeadbeef]);
    const fresh = await distanceHistogram(train, queries, { bins: 4, ...tuned() });
    expect([...out.subarray(0, 36)]).toEqual([...fresh.counts]);
  });

  it("explains itself, and progress never goes back", async () => {
    const seen: number[] = [];
    const { explanation } = await distanceHistogram(train, queries, {
      bins: 4,
      ...tuned(),
      onProgress: ({ done }) => seen.push(done),
    });
    // Workers evaluate in float64 the nearest and the farthest row, for the range and for their bin.
    const { float32, float64, fixed } = explanation.settled;
    expect([float32 > 1800, fixed, float32 + float64]).toEqual([who === "workers", 0, 211 * 9]);
    expect(explanation.evaluated < 2 * 211).toBe(who === "workers");
    expect(explanation.passes).toBe("kept");
    expect(explanation.technique).toContain(who === "workers" ? "2 threads" : "main thread");
    expect(explanation.dispatches > 0).toBe(who === "workers");
    const twice = await distanceHistogram(train, queries, { bins: 4, ...tuned({ kept: 0 }) });
    expect([twice.explanation.evaluated > 211 * 9, twice.explanation.passes]).toEqual([
      who !== "workers",
      "twice",
    ]);
    const once = await distanceHistogram(train, queries, { bins: 4, range: [0, 1], ...tuned() });
    expect([once.explanation.evaluated === 211 * 9, once.explanation.passes]).toEqual([
      who !== "workers",
      "once",
    ]);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(9);
  });

  it("hears an abort soon, and works again afterwards", async () => {
    const many = matrix(6000, 64, value);
    const abort = new AbortController();
    const running = distanceHistogram(many, many, { bins: 10, ...tuned(), signal: abort.signal });
    setTimeout(() => abort.abort(new Error("enough")), 60);
    await expect(running).rejects.toThrow("enough");
    const few = matrix(2, 5, value);
    await expectExact(distancesOf(train, few), train, few, { bins: 4, ...tuned() });
  });
});

it("little memory is used in smaller tiles, and too little is an error that says so", async () => {
  const random = new Random(seed);
  const [train, queries] = [matrix(300, 4, () => random.int(0, 50)), matrix(7, 4, () => random.int(0, 50))];
  const all = distancesOf(train, queries);
  await expectExact(all, train, queries, { bins: 50, backend: "cpu", memory: 2 ** 16, threads: 2 });
  const tiny = distanceHistogram(train, queries, { bins: 50, backend: "cpu", memory: 100 });
  await expect(tiny).rejects.toThrow(/raise memory/);
});

it("more counts than an array holds are refused with the form that counts some at a time", async () => {
  const queries = { data: new Float32Array(70_000), rows: 70_000, cols: 1 };
  const many = distanceHistogram([[1]], queries, { bins: 65_536, backend: "cpu" });
  await expect(many).rejects.toThrow(
    "70000 queries of 65536 bins have more than 4294967295 counts; count some queries at a time, " +
      "as distanceHistogramStream does",
  );
});

it("wrong bins, ranges and arrays are refused by name", async () => {
  const rows = [[0], [1]];
  const refused = (options: object) =>
    distanceHistogram(rows, rows, options as Options).then(String, (error: unknown) => String(error));
  expect(await refused({})).toContain("either bins");
  expect(await refused({ bins: 2, edges: [0, 1] })).toContain("either bins");
  expect(await refused({ bins: 65_537 })).toContain("from 1 to 65536");
  expect(await refused({ edges: [0, 1], range: "all" })).toContain("edges say the range");
  expect(await refused({ edges: [0, 2, 1] })).toContain("edge 2 breaks the order: 2, 1");
  expect(await refused({ bins: 2, range: [1, 0] })).toContain("range is [1,0]");
  expect(await refused({ bins: 2, range: "each" })).toContain('range is "each"');
  expect(await refused({ bins: 2, range: [-1.7e308, 1.7e308] })).toContain("too wide");
  expect(await refused({ bins: 2, out: new Uint32Array(3) })).toContain("at least 4");
  expect(await refused({ bins: 2, mode: "valid" })).toContain('no option "mode"');
  const data = new Uint32Array(4);
  const shared = { data, rows: 2, cols: 2 };
  const aliased = distanceHistogram(shared, shared, { bins: 2, out: data });
  await expect(aliased).rejects.toThrow("shares memory");
  const other = distanceHistogram(rows, [[0]], { bins: 2, excludeSelf: true });
  await expect(other).rejects.toThrow("1 query and 2 rows");
});
