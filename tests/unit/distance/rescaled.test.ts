/**
 * The bound of sums over common columns, scaled for how many those are: whatever a float32 device at its
 * worst computes, the float64 rank lies inside the interval, and rows without a common column come after all
 * others.
 */
import { describe, expect, it } from "vitest";
import { toMatrix, type Matrix } from "../../../src/core/matrix.ts";
import { resolveMetric } from "../../../src/distance/anyMetric.ts";
import type { MetricOptions } from "../../../src/distance/metric.ts";
import { MixedColumns, mixedRangeOf } from "../../../src/distance/rows/mixed.ts";
import { PreparedRows } from "../../../src/distance/rows/prepare.ts";
import * as mixing from "../../../src/distance/forms/mixed.ts";
import { chooseTechnique } from "../../../src/distance/forms/technique.ts";
import { measure } from "../../oracle/measures.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { Device32, roundings, type Habits } from "./device32.ts";
import type { RowPreparation } from "../../../src/distance/rows/preparation.ts";
import { chooseCentre } from "../../../src/distance/fit.ts";
import { fitPlan } from "../../../src/distance/fitPlan.ts";

const seed = printedSeed();
const [TRAIN, QUERIES] = [24, 6];

const habits: Habits[] = roundings.map((rounding, i) => ({
  rounding,
  fused: i % 2 === 0,
  flush: i % 3 !== 1,
  order: (["ascending", "tree", "descending"] as const)[i % 3],
}));

const inputs: readonly (readonly [string, (random: Random) => number])[] = [
  ["normal values", (random) => random.normal()],
  ["few values, so that distances tie", (random) => random.int(1, 3)],
  ["values that hardly differ", (random) => 1e6 + 1e-3 * random.normal()],
  ["huge values", (random) => 1e150 * random.normal()],
  ["tiny values", (random) => 1e-30 * random.normal()],
  ["values of very different size", (random) => random.normal() * 10 ** random.int(-12, 12)],
];

function matrixOf(
  rows: number,
  cols: number,
  gaps: number,
  value: (random: Random) => number,
  random: Random,
) {
  const data = Float64Array.from({ length: rows * cols }, () =>
    random.uniform() < gaps ? NaN : value(random),
  );
  return toMatrix({ data, rows, cols }, "input", "skip");
}

function prepared(of: Matrix, how: RowPreparation) {
  const source = new PreparedRows(of, how, how.mixed && new MixedColumns(how.mixed));
  const part = (name: string, row: number) => {
    const bytes = new Uint8Array(source.rowBytes(name));
    source.fill(name, { begin: row, end: row + 1 }, bytes);
    return new Float32Array(bytes.buffer);
  };
  return Array.from({ length: of.rows }, (_, row) => ({
    values: part("values", row),
    meta: part("meta", row),
  }));
}

/** The first pair whose rank is outside its interval. */
function escapee(options: MetricOptions, train: Matrix, queries: Matrix, habit: Habits, random: Random) {
  const { cols } = train;
  const fitted = { gaps: true };
  const metric = resolveMetric(options, fitted);
  const centre = chooseCentre(
    fitPlan("cpu", { ...train, float32: train.data instanceof Float32Array }, options),
    train,
    fitted,
  );
  const [trainRange, queryRange] = [train, queries].map((each) => mixedRangeOf(each, centre));
  const shape = { trainRows: TRAIN, queryRows: QUERIES, cols, k: 1, metric: metric.name, p: metric.p };
  const how = {
    options,
    fitted,
    precision: "float64",
    centre,
    train: trainRange,
    queries: queryRange,
  } as const;
  const technique = chooseTechnique({ ...shape, ...how }, "cpu", mixing);
  if (technique.form === "none") return technique.why;
  const device = new Device32(habit, random);
  const [a, b] = [prepared(queries, technique.queries), prepared(train, technique.train)];
  for (let q = 0; q < QUERIES; q++) {
    for (let r = 0; r < TRAIN; r++) {
      const { low, high } = device.interval(technique, a[q].values, b[r].values, a[q].meta, b[r].meta);
      const [x, y] = [cellsOf(train, r), cellsOf(queries, q)];
      const { value } = measure(options.metric ?? "", x, y, { missing: "rescale" });
      const half = 2 ** (-technique.rankExponent / 2);
      const rank = (metric.p === 2 ? value * value : value) * half * half;
      // The oracle takes a root, whose square is off by as much.
      const root = metric.p === 2 ? 2 ** -51 * rank : 0;
      const inside = Number.isNaN(rank) ? low > 2 ** 110 : low <= rank + root && rank - root <= high;
      if (!inside) return { query: q, row: r, rank, low, high, habit };
    }
  }
  return undefined;
}

function cellsOf({ data, cols }: Matrix, row: number): (number | null)[] {
  return Array.from(data.slice(row * cols, (row + 1) * cols), (cell) => (Number.isNaN(cell) ? null : cell));
}

describe("the interval of a rescaled sum holds the float64 rank", () => {
  it.each(inputs)("for %s", (_, value) => {
    for (const [m, metric] of (["nan_euclidean", "manhattan"] as const).entries()) {
      for (const [c, cols] of [1, 5, 24].entries()) {
        for (const [h, habit] of habits.entries()) {
          const random = new Random(seed + 100 * m + 10 * c + h);
          const [train, queries] = [TRAIN, QUERIES].map((rows) => matrixOf(rows, cols, 0.4, value, random));
          const options = { metric, missing: "rescale" } as const;
          expect(
            escapee(options, train, queries, habit, random),
            `${metric}, ${cols} columns`,
          ).toBeUndefined();
        }
      }
    }
  });
});
