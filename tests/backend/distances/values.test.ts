/**
 * Distances counted by float32 values on the CPU, where the rows that these leave open are evaluated in
 * float64: against brute force, with rows that float32 gets wrong, and where float32 does not serve at all.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { distanceHistogram, type Device } from "../../../dist/node.js";
import type { Question } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { openDevice } from "../helpers.ts";
import { matrix, type Flat } from "../inputs.ts";
import { distancesOf, expectCounts, type Options } from "./expected.ts";

type Measure = Pick<Question, "metric" | "p">;

const random = new Random(printedSeed());
let device: Device;
beforeAll(async () => {
  device = await openDevice("cpu");
});
afterAll(() => device.dispose());

const single = (rows: number, cols: number, value: (row: number, column: number) => number): Flat => {
  return { rows, cols, data: Float32Array.from(matrix(rows, cols, value).data as Float64Array) };
};
const uniform = (rows: number, cols: number): Flat => single(rows, cols, () => random.uniform());

/** Counts, compares with brute force, and returns the share of pairs that float32 settled. */
async function settledBy(
  train: Flat,
  queries: Flat,
  { metric, p, ...options }: Measure & Options,
  all = distancesOf(train, queries, { metric, p }),
) {
  const result = await distanceHistogram(train, queries, {
    device,
    tuning: { fewest: 0 },
    metric,
    p,
    ...options,
  });
  expectCounts(result, all, options);
  const { float32, float64 } = result.explanation.settled;
  expect(float32 + float64).toBe(queries.rows * (train.rows - (options.excludeSelf ? 1 : 0)));
  return float32 / (float32 + float64);
}

const [train, queries] = [uniform(5003, 32), uniform(13, 32)];

it.each([
  { metric: "euclidean" },
  { metric: "sqeuclidean" },
  { metric: "manhattan" },
  { metric: "chebyshev" },
  { metric: "minkowski", p: 2 },
] as const)(
  "most of uniform rows are settled in float32, and every count is right: $metric",
  async (measure) => {
    const all = distancesOf(train, queries, measure);
    for (const bins of [1, 100, 700])
      expect(await settledBy(train, queries, { ...measure, bins }, all)).toBeGreaterThan(0.95);
  },
);

it("narrow bins are counted right", async () => {
  const all = distancesOf(train, queries);
  const share = await settledBy(train, queries, { bins: 5000 }, all);
  expect(share).toBeGreaterThan(0.8);
  expect(share).toBeLessThan(0.995);
});

it("numbers outside of a given range lie on their side", async () => {
  const all = distancesOf(train, queries);
  for (const range of [
    [2, 2.3],
    [2.3, 9],
    [-7, 2.2],
    [-7, -2],
    [1e30, 1e31],
    [5, 5],
    [-1e300, 1e300],
  ] as const)
    await settledBy(train, queries, { bins: 50, range }, all);
  expect(await settledBy(train, queries, { bins: 50, range: [2, 2.3] }, all)).toBeGreaterThan(0.95);
});

it("rows themselves do not count, in whichever task they are", async () => {
  const rows = uniform(301, 7);
  const tunings = [{ fewest: 0 }, { fewest: 0, queries: 10, rows: 47, kept: 0 }];
  for (const tuning of tunings)
    expect(await settledBy(rows, rows, { bins: 20, excludeSelf: true, tuning })).toBeGreaterThan(0.9);
});

it("the least and the largest distance are right where float32 takes others for them", async () => {
  // Nearly the same numbers in another order: sums in float32 differ by more than distances do.
  const [near, far] = [0.1, 40].map((size) => Array.from({ length: 16 }, () => size * random.uniform(1, 2)));
  const shuffled = (numbers: number[]) => {
    const keys = new Map(numbers.map((number) => [number, random.uniform()]));
    const moved = [...numbers].sort((a, b) => keys.get(a)! - keys.get(b)!);
    return [moved[0] * (1 + random.int(-2, 3) * 2 ** -23), ...moved.slice(1)];
  };
  const rows = Array.from({ length: 2000 }, (_, at) =>
    at % 100 === 3 ? shuffled(near) : at % 100 === 4 ? shuffled(far) : far.map(() => random.uniform(5, 20)),
  );
  const made = single(rows.length, 16, (row, column) => rows[row][column]);
  for (const metric of ["euclidean", "manhattan"] as const)
    expect(
      await settledBy(
        made,
        single(3, 16, () => 0),
        { metric, bins: 10 },
      ),
    ).toBeGreaterThan(0.9);
});

it("distances lie on edges", async () => {
  const line = single(1001, 1, (row) => row / 8);
  for (const bins of [1, 8, 1000, 1001, 5000])
    await settledBy(
      line,
      single(2, 1, (row) => row * 125),
      { bins },
    );
});

it.each([
  ["float64 rows", matrix(300, 4, () => random.uniform())],
  ["huge rows", single(300, 4, () => random.uniform(-1e30, 1e30))],
  ["subnormal rows", single(300, 4, () => random.uniform(-1e-42, 1e-42))],
  ["rows whose squares are subnormal", single(300, 4, () => random.uniform(-1e-22, 1e-22))],
  ["one row repeated", single(300, 4, () => 0.3)],
  ["far offsets", single(300, 4, () => 1e6 + random.int(0, 9))],
])("%s are counted right, with or without float32", async (_, rows) => {
  for (const metric of ["euclidean", "sqeuclidean", "manhattan"] as const)
    await settledBy(rows, { ...rows, rows: 5, data: rows.data.slice(0, 20) }, { metric, bins: 30 });
});

it("many columns and narrow bins leave float32 out", async () => {
  const [many, few] = [uniform(60, 500), uniform(4, 500)];
  expect(await settledBy(many, few, { bins: 5000 })).toBe(0);
  expect(await settledBy(many, few, { bins: 4 })).toBeGreaterThan(0.9);
});
