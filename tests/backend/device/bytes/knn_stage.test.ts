/**
 * Whole searches with bytes first, forced, on rows made to mislead them, against the naive oracle of float64:
 * no neighbour may differ.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kneighbors, type Device } from "../../../../dist/node.js";
import { printedSeed, Random } from "../../../oracle/random.ts";
import { openBeside } from "../../helpers.ts";
import { hasGpu } from "../gpu.ts";

const random = new Random(printedSeed());
/** The first 4096 rows are compared in float32 always. */
const [ROWS, COLS, QUERIES, K] = [4700, 20, 9, 6];

type Rows = readonly (readonly number[])[];
const rowsOf = (count: number, entry: (row: number, column: number) => number): Rows =>
  Array.from({ length: count }, (_, i) => Array.from({ length: COLS }, (_, j) => Math.fround(entry(i, j))));
const far = rowsOf(8, () => 1000 * random.normal());

const cases: Record<string, (count: number) => Rows> = {
  uniform: (count) => rowsOf(count, () => random.uniform()),
  "far clusters": (count) => rowsOf(count, (i, j) => far[i % far.length][j] + random.normal()),
  "one huge entry": (count) => rowsOf(count, (i, j) => (i === 3 && j === 1 ? 1e9 : random.normal())),
  "all equal but one": (count) => rowsOf(count, (i) => (i === 5 ? 2 : 1)),
  "cancelling products": (count) => rowsOf(count, (_, j) => (j % 2 ? 1 : -1) * (100 + random.uniform())),
  "bytes with ties by the hundred": (count) => rowsOf(count, () => Math.floor(2 * random.uniform())),
  "24 orders of magnitude": (count) => rowsOf(count, (i) => random.normal() * 10 ** ((i % 25) - 12)),
  "subnormal beside ordinary": (count) => rowsOf(count, (i) => (i % 3 ? random.normal() : 1e-40)),
  "a few huge entries": (count) => rowsOf(count, () => random.normal() * (random.uniform() < 0.02 ? 30 : 1)),
  "parts of a step apart": (count) => rowsOf(count, (i, j) => (j + (16 * ((i * 7919) % ROWS)) / ROWS) / 127),
};

/** The nearest rows by the sum of squares in float64, ties by row. */
function naive(train: Rows, query: readonly number[]): number[] {
  const sums = train.map((row) => row.reduce((sum, x, j) => sum + (x - query[j]) * (x - query[j]), 0));
  return sums
    .map((_, row) => row)
    .sort((a, b) => sums[a] - sums[b] || a - b)
    .slice(0, K);
}

const matrix = (rows: Rows) => ({ data: Float32Array.from(rows.flat()), rows: rows.length, cols: COLS });

describe.skipIf(!hasGpu)("k-NN with bytes first", () => {
  it.each(Object.entries(cases))("finds the same rows: %s", async (name, make) => {
    const device = await openBeside("gpu");
    const [train, queries] = [make(ROWS), make(QUERIES)];
    const options = { k: K, device, tiles: { bytes: true, group: 8, assumeFrom: 1 } } as const;
    const { indices, explanation } = await kneighbors(matrix(train), matrix(queries), options);
    const wanted = queries.flatMap((query) => naive(train, query));
    expect([...indices]).toEqual(wanted);
    const { why, technique } = explanation;
    expect(why).toMatch(/bytes first, as was asked|no bytes first|float64/);
    if (/; bytes first/.test(why)) expect(technique).toMatch(/after bytes/);
    if (name === "a few huge entries") expect(why).toMatch(/bytes first, as was asked; rows are turned/);
    device.dispose();
  });
});

/** Values of these rows are squares of distances. */
const isSquared = new Set(["uniform", "far clusters", "one huge entry", "a few huge entries"]);

describe.skipIf(!hasGpu)("k-NN of few queries that reads bytes", () => {
  let device: Device;
  beforeAll(async () => void (device = await openBeside("gpu")));
  afterAll(() => device.dispose());

  it.each(Object.entries(cases))("finds the same rows: %s", async (name, make) => {
    const [train, queries] = [make(ROWS), make(QUERIES)];
    const options = { k: K, device, tiles: { few: "bytes", chunk: 3000 } } as const;
    for (const asked of [queries, queries.slice(2, 3)]) {
      const { indices, explanation } = await kneighbors(matrix(train), matrix(asked), options);
      expect([...indices]).toEqual(asked.flatMap((query) => naive(train, query)));
      if (name === "uniform") expect(explanation).toMatchObject({ jobs: 1, repeatedQueries: 0 });
      if (isSquared.has(name)) expect(explanation.why).toMatch(/, as bytes$/);
    }
  });
});
