/**
 * Bounds of lists: never below what they bound, whatever is rounded on the way, and only where they can be
 * given.
 */
import { describe, expect, it } from "vitest";
import { resolveMetric } from "../../../src/distance/anyMetric.ts";
import { metricNames, rankBound, type Metric, type MetricOptions } from "../../../src/distance/metric.ts";
import { boundsSource } from "../../../src/ops/knn/plan/bounds.ts";
import { inRanks, isSeeded } from "../../../src/ops/knn/plan/seedSteps.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const random = new Random(printedSeed());

/** Of any size that float64 has, and those next to each other. */
function anyRank(): number {
  const rank = random.uniform() * 2 ** random.int(-1074, 1023);
  return random.pick([rank, 0, 5e-324 * random.int(0, 9), random.int(0, 99)]);
}

describe("rankBound", () => {
  it.each([
    [{ metric: "euclidean" }],
    [{ metric: "sqeuclidean" }],
    [{ metric: "minkowski", p: 3 }],
    [{ metric: "cosine" }],
    [{ metric: "inner_product" }],
  ] as [MetricOptions][])("is no rank that comes before the key, by %o", (options) => {
    const metric = resolveMetric(options);
    const keyOf = (rank: number) => (metric.ordersByRank ? rank : metric.distance(rank));
    for (let i = 0; i < 20_000; i++) {
      const key = keyOf(anyRank());
      expect(keyOf(rankBound(metric)!(key))).toBeGreaterThanOrEqual(key);
    }
  });

  it("is known of every metric whose distances are ranks or their roots", () => {
    const rootless = (metric: Metric) =>
      [0.1, 0.5, 2, 7].some((rank) => ![rank, Math.sqrt(rank)].includes(metric.distance(rank)));
    for (const name of metricNames) {
      const metric = resolveMetric({ metric: name }, { inverse: Float64Array.of(1), kinds: undefined });
      if (!metric.ordersByRank)
        expect([name, rankBound(metric) === undefined]).toEqual([name, rootless(metric)]);
    }
  });

  it("is unknown where the last step is neither nothing nor a root", () => {
    const metric = { ...resolveMetric({ metric: "euclidean" }), distance: Math.exp };
    expect(rankBound(metric)).toBeUndefined();
    expect(inRanks({ kth: () => 1 }, metric)).toBeUndefined();
  });
});

describe("isSeeded", () => {
  const problem = { bounded: true, precision: "float64" };
  const technique = { form: "direct", isRank: true, ties: undefined, points: false, rankExponent: -20 };
  const says = (changes: Readonly<Record<string, object | undefined>>) =>
    isSeeded({ problem, technique, tree: undefined, ...changes } as unknown as Parameters<
      typeof isSeeded
    >[0]);

  it("is so where bounds are known and values are ranks", () => {
    expect(says({})).toBe(true);
  });

  it.each([
    ["no bound is known", { problem: { ...problem, bounded: undefined } }],
    ["distances are float32's", { problem: { ...problem, precision: "float32" } }],
    ["lists keep all", { problem: { ...problem, keepAll: true } }],
    ["a tree is searched", { tree: {} }],
    ["nothing is filtered", { technique: { form: "none" } }],
    ["values are no ranks", { technique: { ...technique, isRank: false } }],
    ["a last step ties ranks", { technique: { ...technique, ties: { from: 1, ceiling: 2 } } }],
    ["lists are cut by row", { technique: { ...technique, points: true } }],
    ["ranks are no power of two from values", { technique: { ...technique, rankExponent: -12.5 } }],
  ])("is not so where %s", (_, changes) => {
    expect(says(changes)).toBe(false);
  });
});

describe("boundsSource", () => {
  const boundsOf = (keys: readonly number[], exponent: number, rows = Uint32Array.from(keys.keys())) => {
    const out = new Float32Array(rows.length);
    const { bounds: source } = boundsSource({ kth: (query) => keys[query] }, keys.length, exponent);
    expect([source.rows, source.rowBytes("all")]).toEqual([keys.length, 4]);
    source.fill("all", rows, new Uint8Array(out.buffer));
    return out;
  };

  it.each([0, 30, -30, 200, -200])("rounds no rank down, in units of 2^%i", (exponent) => {
    const keys = Array.from({ length: 2000 }, () => (random.uniform() - 0.3) * 2 ** random.int(-140, 120));
    boundsOf(keys, exponent).forEach((bound, query) => {
      expect(bound * 2 ** exponent).toBeGreaterThanOrEqual(
        Math.min(keys[query], (2 - 2 ** -23) * 2 ** (127 + exponent)),
      );
    });
  });

  it("is the next float32, or the largest where there is none", () => {
    expect([...boundsOf([1, 1 + 2 ** -40, -1 - 2 ** -40, 0], 0)]).toEqual([1, 1 + 2 ** -23, -1, 0]);
    const largest = (2 - 2 ** -23) * 2 ** 127;
    expect([...boundsOf([NaN, Infinity, 1e300], 0)]).toEqual([largest, largest, largest]);
    expect([...boundsOf([4, 12], 2)]).toEqual([1, 3]);
  });

  it("knows the rows it is asked for, as they are by then", () => {
    const keys = [5, 6, 7];
    const { bounds: source } = boundsSource({ kth: (query) => keys[query] }, 3, 0);
    keys[2] = 1;
    const out = new Float32Array(2);
    source.fill("all", { begin: 1, end: 3 }, new Uint8Array(out.buffer));
    expect([...out]).toEqual([6, 1]);
  });
});
