/**
 * The bound behind every certified result: whatever a float32 device may compute of prepared rows, the rank
 * that float64 gives lies inside the interval. The device is emulated at its worst (device32.ts), the ranks
 * are the oracle's.
 */
import { describe, expect, it } from "vitest";
import { toMatrix } from "../../../src/core/matrix.ts";
import type { Matrix } from "../../../src/core/matrix.ts";
import { PreparedRows } from "../../../src/distance/rows/prepare.ts";
import type { KnnProblem } from "../../../src/ops/knn/plan/problem.ts";
import { chooseTechnique } from "../../../src/distance/forms/technique.ts";
import { inputs, matrix } from "../../backend/inputs.ts";
import type { Flat, Input } from "../../backend/inputs.ts";
import { rankOf, rowOf } from "../../oracle/knn.ts";
import type { ClassicMetric } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { Device32, roundings } from "./device32.ts";
import type { Habits } from "./device32.ts";
import { problemOf } from "./problems.ts";
import { isRunOf } from "../../../src/runtime/primitive.ts";
import { preparePrimitive } from "../../../src/distance/primitives.ts";
import { centreOf } from "../../../src/distance/rows/centre.ts";
import type { Filter } from "../../../src/distance/forms/filter.ts";
import { uploadRows } from "../../../src/distance/prepareSteps.ts";
import type { Side } from "../../../src/distance/assumed.ts";

const seed = printedSeed();

interface Measure {
  readonly metric: ClassicMetric;
  readonly p?: number;
}

const measures: Measure[] = [
  { metric: "sqeuclidean" },
  { metric: "manhattan" },
  { metric: "chebyshev" },
  ...[0.5, 1.5, 3, 7.3, 20].map((p) => ({ metric: "minkowski", p }) as const),
  { metric: "cosine" },
  { metric: "correlation" },
  { metric: "inner_product" },
];

const orders = ["ascending", "descending", "tree"] as const;
const habits: Habits[] = roundings.map((rounding, i) => ({
  rounding,
  fused: i % 2 === 1,
  flush: i % 3 !== 0,
  order: orders[i % 3],
}));

interface Prepared {
  readonly values: Float32Array;
  readonly meta: Float32Array;
}

function prepare(source: PreparedRows, row: number): Prepared {
  const part = (name: string) => {
    const bytes = new Uint8Array(source.rowBytes(name));
    source.fill(name, { begin: row, end: row + 1 }, bytes);
    return new Float32Array(bytes.buffer);
  };
  return { values: part("values"), meta: part("meta") };
}

/** As `device` prepares it, by the step that a plan has for it. */
function prepareOn(
  device: Device32,
  problem: KnnProblem,
  filter: Filter,
  side: Side,
  of: Matrix,
  row: number,
) {
  const step = uploadRows(problem, filter, side, { begin: row, end: row + 1 }, "", "").at(-1);
  if (!step || !isRunOf(step, preparePrimitive)) throw new Error(`${side} is not prepared there`);
  const source = new PreparedRows(of, filter[side]);
  const part = (name: string) => {
    const bytes = new Uint8Array(source.rowBytes(name));
    source.fill(name, { begin: row, end: row + 1 }, bytes);
    return new Float32Array(bytes.buffer);
  };
  return device.prepare(step.params, part("raw"), part("centre"));
}

/** The filter and the rows a search would use; undefined where it uses none. */
function filterOf(train: Matrix, queries: Matrix, options: Measure, device?: Device32) {
  const problem = problemOf(options, {}, train, queries);
  const technique = chooseTechnique(problem, device ? "gpu" : "cpu");
  if (technique.form === "none") return undefined;
  const rows = (of: Matrix, side: Side) => {
    const source = new PreparedRows(of, technique[side]);
    return Array.from({ length: of.rows }, (_, i) =>
      device && technique[side].on === "device"
        ? prepareOn(device, problem, technique, side, of, i)
        : prepare(source, i),
    );
  };
  return { technique, train: rows(train, "train"), queries: rows(queries, "queries") };
}

/** As float32; what lies beyond becomes the largest. */
function asSingle({ data, ...shape }: Flat): Flat {
  const most = (2 - 2 ** -23) * 2 ** 127;
  return {
    ...shape,
    data: Float32Array.from(data as Float64Array, (x) => Math.max(-most, Math.min(most, x))),
  };
}

function firstRows({ data, rows, cols }: Flat, count: number): Matrix {
  const kept = Math.min(rows, count);
  return toMatrix({ data: data.slice(0, kept * cols), rows: kept, cols }, "input");
}

/** 2^exponent may itself be out of range where value * 2^exponent is not. */
function scaled(value: number, exponent: number): number {
  return value * 2 ** (exponent / 2) * 2 ** (exponent / 2);
}

/** The first pair whose rank is outside its interval. */
function escapee(
  input: Input,
  cols: number,
  options: Measure,
  habit: Habits,
  random: Random,
  onDevice = false,
) {
  const made = input.make(random, cols);
  const shape = onDevice ? asSingle : (rows: Flat) => rows;
  const train = firstRows(shape(made.train), 16);
  const queries = firstRows(shape(made.queries), 4);
  const device = new Device32(habit, random);
  const filter = filterOf(train, queries, options, onDevice ? device : undefined);
  if (!filter) return undefined;
  for (let q = 0; q < queries.rows; q++) {
    for (let r = 0; r < train.rows; r++) {
      const [a, b] = [filter.queries[q], filter.train[r]];
      const { low, high, value } = device.interval(filter.technique, a.values, b.values, a.meta, b.meta);
      const rank = scaled(
        rankOf(rowOf(queries, q), rowOf(train, r), options),
        -filter.technique.rankExponent,
      );
      // A root taken afterwards ties ranks that differ by less than this.
      const tie = 2 ** -50 * Math.abs(rank);
      if (low <= rank - tie && rank + tie <= high) continue;
      return `query ${q}, row ${r}: ${rank} is not in [${low}, ${high}] around ${value}, ${JSON.stringify(habit)}`;
    }
  }
  return undefined;
}

describe("the float64 rank lies inside the interval of a float32 device at its worst", () => {
  for (const [i, input] of inputs.entries()) {
    it.each([3, 37])(`for ${input.name}, %i columns`, (cols) => {
      for (const [m, options] of measures.entries()) {
        for (const [h, habit] of habits.entries()) {
          const random = new Random(seed + i * 10_000 + cols * 1000 + m * 100 + h);
          expect(escapee(input, cols, options, habit, random), JSON.stringify(options)).toBeUndefined();
        }
      }
    });

    it.each([37])(`for ${input.name} in float32 that the device prepares, %i columns`, (cols) => {
      for (const [m, options] of measures.entries()) {
        for (const [h, habit] of habits.entries()) {
          const random = new Random(seed + i * 10_000 + cols * 1000 + m * 100 + h);
          expect(escapee(input, cols, options, habit, random, true), JSON.stringify(options)).toBeUndefined();
        }
      }
    });
  }
});

it("holds what a device loses in the sums of squares of long rows", () => {
  const random = new Random(seed);
  const train = asSingle(matrix(6, 3001, () => random.uniform(0.5, 1)));
  // At the centre, where the product of the norms bounds nothing.
  const queries = { ...train, rows: 1, data: Float32Array.from(centreOf(firstRows(train, 6))) };
  const input = { name: "", make: () => ({ train, queries }) };
  const habit = { rounding: "up", fused: false, flush: true, order: "ascending" } as const;
  expect(escapee(input, 3001, { metric: "sqeuclidean" }, habit, random, true)).toBeUndefined();
});

describe("the interval is narrow", () => {
  const random = new Random(seed);
  const values = matrix(40, 32, () => random.normal());
  const worst = { rounding: "random", fused: false, flush: true, order: "tree" } as const;

  it.each(measures.filter(({ p = 1 }) => p < 8))("for normal values by $metric $p", (options) => {
    const rows = toMatrix(values, "input");
    const filter = filterOf(rows, rows, options)!;
    const device = new Device32(worst, random);
    const widths = filter.train.slice(1).map((b, r) => {
      const a = filter.queries[0];
      const { half } = device.interval(filter.technique, a.values, b.values, a.meta, b.meta);
      const product = options.metric === "inner_product";
      const scale = product ? 32 : rankOf(rowOf(values, 0), rowOf(values, r + 1), options);
      return half / scaled(scale, -filter.technique.rankExponent);
    });
    expect(Math.max(...widths)).toBeLessThan(options.metric === "minkowski" ? 2 ** -10 : 2 ** -14);
  });

  it("is there for every metric", () => {
    const rows = toMatrix(values, "input");
    expect(measures.filter((options) => !filterOf(rows, rows, options))).toEqual([]);
  });
});
