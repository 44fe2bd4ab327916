/**
 * The filters of measures whose value is not their rank: a row left out by the intervals of a float32 device
 * at its worst neither precedes nor ties with a row kept, in the float64 distances of the oracle. Where a
 * kernel flattens it may tie beyond `ties.from`, and NaN is the refinement's business.
 */
import { describe, expect, it } from "vitest";
import { toMatrix } from "../../../src/core/matrix.ts";
import { fitMetric } from "../../../src/distance/metric.ts";
import type { MetricOptions } from "../../../src/distance/metric.ts";
import { PreparedRows } from "../../../src/distance/rows/prepare.ts";
import type { Matrix } from "../../../src/core/matrix.ts";
import * as rare from "../../../src/distance/measures/rare/index.ts";
import { atOnce } from "../../../src/core/async/yielding.ts";
import { isMixed } from "../../../src/distance/forms/forms.ts";
import * as mixing from "../../../src/distance/forms/mixed.ts";
import { chooseTechnique } from "../../../src/distance/forms/technique.ts";
import { measure } from "../../oracle/measures.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { Device32, roundings } from "./device32.ts";
import type { Habits } from "./device32.ts";
import { problemOf } from "./problems.ts";
import type { RowPreparation } from "../../../src/distance/rows/preparation.ts";

const seed = printedSeed();
const [TRAIN, QUERIES] = [40, 4];

const kernel = (kernel: MetricOptions["kernel"]): MetricOptions => ({
  metric: "rapidminer:KernelEuclideanDistance",
  kernel,
});
const columnWeights = [0.5, 2, 1, 0, 3, 0.1, 7, 1, 1, 2, 5, 1, 0.25, 9];

const measures: MetricOptions[] = [
  { metric: "euclidean", columnWeights },
  { metric: "manhattan", columnWeights },
  { metric: "rapidminer:CosineSimilarity" },
  { metric: "rapidminer:CorrelationSimilarity" },
  { metric: "rapidminer:KLDivergence" },
  { metric: "rapidminer:GeneralizedIDivergence" },
  { metric: "rapidminer:MahalanobisDistance" },
  kernel({ type: "dot" }),
  kernel({ type: "polynomial", degree: 1, shift: 30 }),
  ...[-2, 0, 1, 1e6].map((shift) => kernel({ type: "polynomial", degree: 2, shift })),
  kernel({ type: "polynomial" }),
  kernel({ type: "polynomial", degree: 6.5, shift: -0.1 }),
  kernel({ type: "polynomial", degree: 20 }),
  ...[0.01, 1, 30].map((gamma) => kernel({ type: "radial", gamma })),
  ...[0.5, 60].map((sigma1) => kernel({ type: "epanechnikov", sigma1, degree: 0.5 })),
  kernel({ type: "epanechnikov", sigma1: 20 }),
  ...[0, 1.25, 1000].map((shift) => kernel({ type: "multiquadric", sigma1: 4, shift })),
];

interface Input {
  readonly name: string;
  readonly value: (random: Random, row: number, column: number) => number;
}

const inputs: Input[] = [
  { name: "uniform values", value: (random) => random.uniform(0.01, 1) },
  { name: "normal values", value: (random) => random.normal() },
  { name: "few values, so that distances tie", value: (random) => random.int(1, 3) },
  { name: "values that hardly differ", value: (random) => 1000 + random.int(0, 4) * 2 ** -30 },
  { name: "some zero rows", value: (random, row) => (row % 5 === 2 ? 0 : random.normal()) },
  { name: "some constant rows", value: (random, row) => (row % 5 === 2 ? 0.1 * row : random.normal()) },
  {
    name: "rows of very different size",
    value: (random, row) => random.uniform(0.5, 1) * 2 ** (60 * (row % 9) - 240),
  },
];

const habits: Habits[] = roundings.map((rounding, i) => ({
  rounding,
  fused: i % 2 === 0,
  flush: i % 3 !== 1,
  order: (["ascending", "tree", "descending"] as const)[i % 3],
}));

function matrixOf(rows: number, cols: number, value: (row: number, column: number) => number): Matrix {
  const data = Float64Array.from({ length: rows * cols }, (_, at) => value(Math.floor(at / cols), at % cols));
  return toMatrix({ data, rows, cols }, "input");
}

function rowsOf({ data, rows, cols }: Matrix): number[][] {
  return Array.from({ length: rows }, (_, i) => Array.from(data.slice(i * cols, (i + 1) * cols)));
}

function filterOf(options: MetricOptions, train: Matrix, queries: Matrix) {
  const fitted = atOnce(fitMetric(options, train, rare));
  const technique = chooseTechnique(
    problemOf(options, fitted, train, queries),
    "cpu",
    isMixed(options, fitted) ? mixing : undefined,
  );
  if (technique.form === "none") return undefined;
  const prepared = (of: Matrix, how: RowPreparation) => {
    const source = new PreparedRows(of, how);
    return Array.from({ length: of.rows }, (_, row) => {
      const part = (name: string) => {
        const bytes = new Uint8Array(source.rowBytes(name));
        source.fill(name, { begin: row, end: row + 1 }, bytes);
        return new Float32Array(bytes.buffer);
      };
      return { values: part("values"), meta: part("meta") };
    });
  };
  return {
    technique,
    train: prepared(train, technique.train),
    queries: prepared(queries, technique.queries),
  };
}

/**
 * A row that is left out although it is no farther than one kept; undefined where all is well or there is no
 * filter.
 */
function wronglyLeftOut(input: Input, cols: number, given: MetricOptions, habit: Habits, random: Random) {
  const options = given.columnWeights ? { ...given, columnWeights: columnWeights.slice(0, cols) } : given;
  const positive = given.metric === "rapidminer:GeneralizedIDivergence";
  const value = (row: number, column: number) => {
    const made = input.value(random, row, column);
    return positive ? Math.abs(made) + 2 ** -40 : made;
  };
  const train = matrixOf(TRAIN, cols, value);
  const queries = matrixOf(QUERIES, cols, value);
  const filter = filterOf(options, train, queries);
  if (!filter) return undefined;
  const { technique } = filter;
  const device = new Device32(habit, random);
  const setting = {
    training: rowsOf(train),
    ...(options.kernel ? { kernel: options.kernel as Record<string, number> } : {}),
    ...(options.columnWeights ? { weights: Array.from(options.columnWeights) } : {}),
  };
  for (const [q, query] of rowsOf(queries).entries()) {
    const rows = rowsOf(train).map((row, r) => {
      const [a, b] = [filter.queries[q], filter.train[r]];
      const interval = device.interval(technique, a.values, b.values, a.meta, b.meta);
      return { ...interval, distance: measure(options.metric ?? "", row, query, setting).value };
    });
    for (const kept of rows) {
      if (Number.isNaN(kept.distance)) continue;
      for (const other of rows) {
        if (other.low <= kept.high || Number.isNaN(other.distance) || other.distance > kept.distance)
          continue;
        if (technique.ties && other.distance === kept.distance && kept.distance >= technique.ties.from)
          continue;
        return { query: q, kept, other, ties: technique.ties, habit };
      }
    }
  }
  return undefined;
}

describe("what the intervals leave out is farther in float64", () => {
  for (const [i, input] of inputs.entries()) {
    it.each([1, 3, 14])(`for ${input.name}, %i columns`, (cols) => {
      for (const [m, options] of measures.entries()) {
        // The covariance is singular, or its inverse is noise.
        if (options.metric === "rapidminer:MahalanobisDistance" && i > 1) continue;
        const random = new Random(seed + i * 1000 + cols * 100 + m);
        const found = wronglyLeftOut(input, cols, options, habits[(i + m) % habits.length], random);
        expect(found, JSON.stringify(options)).toBeUndefined();
      }
    });
  }
});

describe("the interval of a power of inner products holds the float64 distance", () => {
  const powers = measures.filter(({ kernel }) => kernel?.type === "polynomial" && kernel.degree !== 1);

  /** The first pair whose distance is outside. */
  function escapee(input: Input, cols: number, options: MetricOptions, habit: Habits, random: Random) {
    const value = (row: number, column: number) => input.value(random, row, column);
    const train = matrixOf(12, cols, value);
    const queries = matrixOf(QUERIES, cols, (row, column) => 3 * value(row, column));
    const filter = filterOf(options, train, queries);
    if (!filter) return undefined;
    const { technique } = filter;
    const device = new Device32(habit, random);
    const setting = { kernel: options.kernel as Record<string, number> };
    for (const [q, query] of rowsOf(queries).entries()) {
      for (const [r, row] of rowsOf(train).entries()) {
        const [a, b] = [filter.queries[q], filter.train[r]];
        const { low, high } = device.interval(technique, a.values, b.values, a.meta, b.meta);
        const { value } = measure(options.metric ?? "", row, query, setting);
        const half = 2 ** (-technique.rankExponent / 2);
        const rank = value * half * half;
        if (!(low <= rank && rank <= high)) return { query: q, row: r, rank, low, high, habit };
      }
    }
    return undefined;
  }

  for (const [i, input] of inputs.entries()) {
    it.each([1, 14])(`for ${input.name}, %i columns`, (cols) => {
      for (const [m, options] of powers.entries()) {
        for (const habit of habits) {
          const random = new Random(seed + i * 1000 + cols * 100 + m);
          expect(escapee(input, cols, options, habit, random), JSON.stringify(options)).toBeUndefined();
        }
      }
    });
  }
});

describe("a filter", () => {
  it("is there for each of these measures on usual data", () => {
    const random = new Random(seed);
    const usual = matrixOf(TRAIN, 14, () => random.uniform(0.1, 1));
    expect(measures.filter((options) => !filterOf(options, usual, usual))).toEqual([]);
  });
});
