/**
 * The k-NN cases that every backend must answer like the oracle, bit for bit: in Node and, a part of them, in
 * the browser. Each case has random numbers of its own, so that leaving some out changes no other. Runs
 * anywhere; imports nothing of Node.
 */
import type { TileCaps } from "../../../src/ops/knn/plan/tile.ts";
import type { ClassicMetric } from "../../oracle/knn.ts";
import { Random } from "../../oracle/random.ts";
import { inputs, matrix } from "../inputs.ts";
import type { Flat, Pair } from "../inputs.ts";

export interface KnnCase extends Pair {
  /** Completes "equals brute force for ...". */
  readonly name: string;
  readonly options: {
    readonly metric?: ClassicMetric;
    readonly p?: number;
    readonly k: number;
    readonly tiles?: TileCaps;
  };
}

type Measure = Pick<KnnCase["options"], "metric" | "p">;

const metrics = [
  "euclidean",
  "sqeuclidean",
  "manhattan",
  "chebyshev",
  "cosine",
  "correlation",
  "inner_product",
] as const;
const exponents = [0.5, 1, 1.5, 2, 3, 7.3, Infinity];

/** Every metric, with two exponents of minkowski that differ from input to input. */
function measuresOf(input: number): Measure[] {
  const exponent = (at: number) => exponents[(input + at) % exponents.length];
  return [
    ...metrics.map((metric) => ({ metric })),
    { metric: "minkowski", p: exponent(0) },
    { metric: "minkowski", p: exponent(3) },
  ];
}

/**
 * Sketches and trees where the CPU has them, neighbours that the host or a GPU puts in order, and caps that
 * cut any input into a few tiles and chunks: the software GPU takes milliseconds for each.
 */
function capsFor(random: Random, { train, queries }: Pair): TileCaps {
  const part = (rows: number) => Math.ceil(rows / random.int(2, 5));
  const tiles = random.pick<TileCaps>([
    {},
    { queries: part(queries.rows), references: part(train.rows), chunk: part(train.rows) },
    { references: part(train.rows) },
    { queries: part(queries.rows), chunk: part(train.rows) },
  ]);
  const choices = { tree: random.pick([true, false]), orders: random.pick([true, false]) };
  return { ...tiles, axes: random.pick([0, 1, 3, 8, 64]), ...choices };
}

const describeMeasure = ({ metric, p }: Measure) =>
  p === undefined ? `${metric}` : `${metric} with p = ${p}`;

export function knnCases(seed: number): KnnCase[] {
  return [...hardInputs(seed), ...shapes(seed), ...kinds(seed)];
}

/** Every hard input by every metric; with few columns for the direct form of the Euclidean distance too. */
export function hardInputs(seed: number): KnnCase[] {
  return inputs.flatMap((input, i) => {
    const wide = measuresOf(i).map((measure) => ({ measure, cols: 13 }));
    const narrow = { measure: { metric: "euclidean" } as const, cols: 3 };
    return [...wide, narrow].map(({ measure, cols }, m) => {
      const random = new Random(seed + 1000 * i + m);
      const pair = input.make(random, cols);
      return {
        name: `${input.name}, ${describeMeasure(measure)}, ${cols} columns`,
        ...pair,
        options: { ...measure, k: 5, tiles: capsFor(random, pair) },
      };
    });
  });
}

/** Sizes at and around the tiles of both backends, for k = 1, some, all. Half of the values tie. */
export function shapes(seed: number): KnnCase[] {
  const sizes = [1, 2, 5, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 127, 128, 129, 251];
  const columns = [1, 2, 3, 4, 5, 8, 9, 13, 16, 17, 31, 32, 33, 64, 65];
  return sizes.flatMap((rows, i) =>
    [1, Math.ceil(rows / 3), rows].map((k, m) => {
      const random = new Random(seed + 1_000_000 + 10 * i + m);
      const cols = columns[(3 * i + m) % columns.length];
      const queryRows = sizes[(5 * i + 3 * m) % sizes.length];
      const value = () => (random.int(0, 2) === 0 ? random.int(0, 3) : random.normal());
      const pair = { train: matrix(rows, cols, value), queries: matrix(queryRows, cols, value) };
      const metric = random.pick(["euclidean", "manhattan", "cosine"] as const);
      return {
        name: `${queryRows} queries in ${rows} rows of ${cols} columns, k = ${k}`,
        ...pair,
        options: { metric, k, tiles: capsFor(random, pair) },
      };
    }),
  );
}

const integers = [Uint8Array, Uint8ClampedArray, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array];

/** Every kind of typed array, over its whole range. */
export function kinds(seed: number): KnnCase[] {
  const random = new Random(seed + 2_000_000);
  const fill = <T extends Flat["data"]>(data: T, value: () => T[number]): T => {
    for (let at = 0; at < data.length; at++) data[at] = value();
    return data;
  };
  const ofKind = (make: (length: number) => Flat["data"]): KnnCase => ({
    name: `values in a ${make(0).constructor.name}`,
    train: { data: make(47 * 10), rows: 47, cols: 10 },
    queries: { data: make(6 * 10), rows: 6, cols: 10 },
    options: { k: 4 },
  });
  const signed = () => BigInt(random.int(-(2 ** 53), 2 ** 53));
  const unsigned = () => BigInt(random.int(0, 2 ** 53));
  return [
    ...integers.map((Kind) => ofKind((length) => fill(new Kind(length), () => random.bits()))),
    ofKind((length) => fill(new Float32Array(length), () => random.normal())),
    ofKind((length) => fill(new Float64Array(length), () => random.normal())),
    ofKind((length) => fill(new BigInt64Array(length), signed)),
    ofKind((length) => fill(new BigUint64Array(length), unsigned)),
  ];
}
