/**
 * Hard inputs for exact search: rows on which float32, cancellation, overflow, underflow or ties lead a
 * search astray. Every input is made from a seed for a given number of columns. Runs anywhere; imports
 * nothing of Node.
 */
import type { NumericArray } from "../../src/core/matrix.ts";
import type { Random } from "../oracle/random.ts";

export interface Flat {
  readonly data: NumericArray | BigInt64Array | BigUint64Array;
  readonly rows: number;
  readonly cols: number;
}

export interface Pair {
  readonly train: Flat;
  readonly queries: Flat;
}

export interface Input {
  /** Completes "equals brute force for ...". */
  readonly name: string;
  make(random: Random, cols: number): Pair;
}

type Value = (row: number, column: number) => number;

export function matrix(rows: number, cols: number, value: Value): Flat {
  return {
    data: Float64Array.from({ length: rows * cols }, (_, at) => value(Math.floor(at / cols), at % cols)),
    rows,
    cols,
  };
}

function rounded({ data, rows, cols }: Flat): Flat {
  return { data: Float32Array.from(data as Float64Array), rows, cols };
}

/** Train and queries alike. */
function alike(name: string, value: (random: Random, cols: number) => Value, rows = 53): Input {
  return {
    name,
    make(random, cols) {
      const made = value(random, cols);
      return { train: matrix(rows, cols, made), queries: matrix(9, cols, made) };
    },
  };
}

function asFloat32(input: Input): Input {
  return {
    name: `${input.name} in float32`,
    make(random, cols) {
      const { train, queries } = input.make(random, cols);
      return { train: rounded(train), queries: rounded(queries) };
    },
  };
}

const uniform = alike("uniform values", (random) => () => random.uniform());
const offset = alike(
  "differences of 1e-3 at an offset of 1e6",
  (random) => () => 1e6 + 1e-3 * random.normal(),
);
const denormals = alike("subnormal values", (random) => () => random.int(-40, 40) * 2 ** -1074);
const denormals32 = alike("values subnormal in float32", (random) => () => random.int(-40, 40) * 2 ** -149);
const huge = alike("values of 1e30", (random) => () => 1e30 * random.normal());
const largestFloats = alike(
  "values close to the largest float32",
  (random) => () => 3.4e38 * random.uniform(-1, 1),
);
const grid = alike("an integer grid full of ties", (random) => () => random.int(0, 3));
const signedZeros = alike("zeros of both signs", (random) => () => random.pick([0, -0, -0, 1]));
const halfway = alike("values halfway between two float32", (random) => () => {
  const value = Math.fround(random.normal());
  return value * (1 + 2 ** -24);
});
const columnsApart = alike(
  "columns 24 orders of magnitude apart",
  (random, cols) => (_, j) => random.normal() * 10 ** ((24 * j) / Math.max(1, cols - 1) - 12),
);

/** Sums over these round in the same direction at every step, by a whole unit in the last place. */
const dominated = alike(
  "a large first and last column, tiny ones between",
  (random, cols) => (_, j) =>
    j === 0 || j === cols - 1 ? random.pick([1, -1, 2, 0]) : 1e-5 * random.uniform(),
);

const farRow = alike("one row far away from all others", (random) => {
  const row = random.int(0, 53);
  return (i) => random.normal() * (i === row ? 1e12 : 1);
});

const clusters = alike("clusters far apart", (random, cols) => {
  const centres = Array.from({ length: 5 * cols }, () => 1e6 * random.normal());
  return (i, j) => centres[(i % 5) * cols + j] + random.normal();
});

const zeroRows = alike("rows of zeros among others", (random) => (i) => (i % 4 === 0 ? 0 : random.normal()));
const constantRows = alike(
  "constant rows among others",
  (random) => (i) => (i % 3 === 0 ? (i % 7) / 10 : random.normal()),
);
const multiples = alike("multiples of one row", (random, cols) => {
  const row = Array.from({ length: cols }, () => random.normal());
  return (i, j) => row[j] * (i % 5 === 4 ? -3 : 1 + (i % 6) / 3);
});

function scaledQueries(name: string, factor: number): Input {
  return {
    name,
    make: (random, cols) => ({
      train: matrix(53, cols, () => random.normal()),
      queries: matrix(9, cols, () => factor * random.normal()),
    }),
  };
}

const allEqual = alike("rows that are all equal", (random) => {
  const value = random.normal();
  return () => value;
});

const duplicates: Input = {
  name: "thousands of duplicates",
  make(random, cols) {
    const distinct = matrix(7, cols, () => random.normal());
    const copy: Value = (_, j) => Number(distinct.data[j]);
    const order = Array.from({ length: 2503 }, () => random.int(0, 7));
    return {
      train: matrix(2503, cols, (i, j) => Number(distinct.data[order[i] * cols + j])),
      queries: matrix(5, cols, (i, j) => (i === 0 ? copy(i, j) : random.normal())),
    };
  },
};

/** Queries that are rows of train, so that distance 0 and its neighbourhood matter. */
const queriesFromTrain: Input = {
  name: "queries taken from train",
  make(random, cols) {
    const train = matrix(53, cols, () => random.normal());
    return { train, queries: matrix(9, cols, (i, j) => Number(train.data[((i * 17) % 53) * cols + j])) };
  },
};

export const inputs: readonly Input[] = [
  uniform,
  asFloat32(uniform),
  allEqual,
  duplicates,
  queriesFromTrain,
  grid,
  signedZeros,
  offset,
  asFloat32(offset),
  denormals,
  denormals32,
  asFloat32(denormals32),
  huge,
  asFloat32(huge),
  asFloat32(largestFloats),
  alike("values of 1e200, whose squares overflow", (random) => () => 1e200 * random.normal()),
  alike("values of 1e-200, whose squares underflow", (random) => () => 1e-200 * random.normal()),
  alike(
    "values with exponents all over",
    (random) => () => random.uniform(-1, 1) * 2 ** random.int(-400, 400),
  ),
  halfway,
  columnsApart,
  asFloat32(columnsApart),
  dominated,
  farRow,
  clusters,
  zeroRows,
  constantRows,
  multiples,
  scaledQueries("queries 1e10 times larger than train", 1e10),
  scaledQueries("queries 1e10 times smaller than train", 1e-10),
];
