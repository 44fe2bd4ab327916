/**
 * Distances counted exactly on a GPU by rows of whole numbers, against brute force. Intervals are wrong
 * where they do not hold the distance: so there are narrow bins, and no entry is spared.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { distanceHistogram, type Device } from "../../../dist/node.js";
import { distancesPolicy } from "../../../dist/ops/distances/gpu/policy.js";
import { Random, printedSeed } from "../../oracle/random.ts";
import { isAbsent, oneIn, sharedGpu } from "../helpers.ts";
import { matrix, type Flat } from "../inputs.ts";
import { exactDistances, expectCounts, rounded, type Options } from "./onGpu.ts";

const seed = printedSeed();
const random = new Random(seed);
const uniform = () => random.uniform();
const rows = (count: number, cols: number, draw: () => number = uniform) =>
  rounded(matrix(count, cols, draw));

describe.skipIf(isAbsent("gpu"))("rows of whole numbers", () => {
  let device: Device;
  beforeAll(async () => {
    device = await sharedGpu();
  });

  async function count(train: Flat, queries: Flat, options: Options, whole: boolean | undefined = true) {
    const tuning = { whole, ...options.tuning };
    const result = await distanceHistogram(train, queries, { device, ...options, tuning });
    const { technique, settled } = result.explanation;
    expect(technique).toContain(whole === false ? "in float32" : "whole numbers, then");
    return { result, settled };
  }

  const many = 5000;
  const draws: Record<string, () => number> = {
    uniform,
    signed: () => random.uniform() - 0.5,
    "of many sizes": () => (random.uniform() - 0.4) * 2 ** random.int(-30, 5),
    "away from the origin": () => 0.3 + random.uniform(),
    bytes: () => random.int(0, 256),
    "of two values": () => random.int(0, 2) * 2 ** -10,
    "just below a power of two": () => random.int(0, 2) * (2 - 2 ** -23 * random.int(1, 5)),
    "just above one, of either sign": () => (2 * random.int(0, 2) - 1) * (1 + 2 ** -23 * random.int(0, 4)),
  };

  it.each(Object.keys(draws))("%s", async (name) => {
    for (const [cols, asked] of [
      [130, 9],
      [3, 67],
    ]) {
      const [train, queries] = [rows(131, cols, draws[name]), rows(asked, cols, draws[name])];
      const { result } = await count(train, queries, { bins: many });
      expectCounts(result, exactDistances(train, queries), { bins: many });
    }
  });

  it.each([300, 784, 999])("%i columns", async (cols) => {
    // Rows of so many columns stay where they are only if they are near the origin.
    const near = () => random.uniform() - 0.25;
    const [train, queries] = [rows(40, cols, near), rows(5, cols, near)];
    const { result } = await count(train, queries, { bins: many });
    expectCounts(result, exactDistances(train, queries), { bins: many });
  });

  it("are left alone where a browser cannot multiply packed bytes", async () => {
    const own = Object.getOwnPropertyDescriptor(globalThis, "navigator");
    const value = { gpu: { wgslLanguageFeatures: new Set() } };
    Object.defineProperty(globalThis, "navigator", { value, configurable: true });
    try {
      await count(rows(40, 128), rows(5, 128), { bins: many, tuning: { whole: true } }, false);
    } finally {
      if (own) Object.defineProperty(globalThis, "navigator", own);
      else Reflect.deleteProperty(globalThis, "navigator");
    }
  });

  it("leave far fewer pairs open than float32, and are chosen where that pays", async () => {
    const [train, queries] = [rows(400, 128), rows(20, 128)];
    const all = exactDistances(train, queries);
    const [fine, coarse] = [{ bins: 10_000 }, { bins: 5 }];
    const [float32, whole] = [
      await count(train, queries, fine, false),
      await count(train, queries, fine, true),
    ];
    expectCounts(whole.result, all, fine);
    expect(whole.settled.fixed).toBeLessThan(0.03 * float32.settled.fixed);
    expect((await count(train, queries, fine, undefined)).settled).toEqual(whole.settled);
    const few = await distanceHistogram(train, queries, { device, ...coarse });
    expect(few.explanation.technique).toContain("in float32");
  });

  it("a few entries that do not fit cost only rows next to them", async () => {
    const [train, queries] = [rows(700, 16), rows(30, 16)];
    // No sample of 256 rows shows these.
    train.data[1 * 16 + 3] = -0.25;
    train.data[3 * 16 + 5] = -0.001;
    const { result, settled } = await count(train, queries, { bins: 500 });
    expectCounts(result, exactDistances(train, queries), { bins: 500 });
    expect(settled.fixed + settled.float64).toBeLessThan(0.04 * 700 * 30);
  });

  it("in chunks, windows, twice, without themselves, by shared edges", async () => {
    const train = rows(100, 19);
    const all = exactDistances(train, train);
    const asked = [
      { bins: 100, tuning: { slab: 45, rows: 64, chunk: 70 } },
      { bins: 100, tuning: { kept: 0, rows: 40 } },
      { bins: 1000, excludeSelf: true },
      { bins: 100, range: "all" },
      { edges: [0.3, 1, 1.5, 1.50001, 2.5] },
      { bins: 5000, range: [1.1, 1.9], metric: "sqeuclidean" },
    ] as const;
    for (const options of oneIn(2, asked, seed)) {
      const { result } = await count(train, train, options);
      const metric = "metric" in options ? options.metric : undefined;
      expectCounts(result, metric ? exactDistances(train, train, { metric }) : all, options);
    }
  });

  it("workgroups make several tiles one after the other", async () => {
    // Elsewhere they do so where a hundred thousand rows are compared.
    const policy = distancesPolicy as { enoughGroups: number };
    const before = policy.enoughGroups;
    policy.enoughGroups = 1;
    try {
      const [train, queries] = [rows(1301, 35), rows(70, 35)];
      for (const whole of [true, false]) {
        const { result } = await count(train, queries, { bins: 500 }, whole);
        expectCounts(result, exactDistances(train, queries), { bins: 500 });
      }
    } finally {
      policy.enoughGroups = before;
    }
  });

  it("stay in float32 where rows do not stay on the device", async () => {
    const [train, queries] = [rows(301, 19), rows(9, 19)];
    const options = { bins: 500, tuning: { budget: 45_000, whole: true } };
    const result = await distanceHistogram(train, queries, { device, ...options });
    expectCounts(result, exactDistances(train, queries), options);
    expect(result.explanation.technique).toContain("in float32");
  });
});
