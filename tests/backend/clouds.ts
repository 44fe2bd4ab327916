/**
 * Point clouds of every shape that makes cells, boxes or lists long, with queries in, near and far from them.
 */
import type { Random } from "../oracle/random.ts";

/** Makes one coordinate of a point, whose number is given. */
type Coordinate = (random: Random, point: number, column: number) => number;

export const clouds: Readonly<Record<string, Coordinate>> = {
  uniform: (random) => random.uniform(),
  "a crowded part": (random, point) => (point % 10 === 0 ? random.uniform() : 0.01 * random.uniform()),
  "two clusters far apart": (random, point) => (point % 2) * 1e6 + random.uniform(),
  "clusters of clusters": (random, point) => 10 ** -(point % 6) * (1 + 1e-3 * random.uniform()),
  "one point far out": (random, point) => (point === 7 ? 1e15 : random.uniform()),
  collinear: (_, point, column) => (column + 1) * ((point * 37) % 101),
  planar: (random, _, column) => (column === 1 ? 3 : random.int(0, 20)),
  "all equal": () => 0.1,
  "all equal but one": (_, point) => (point === 11 ? 1 : 0.1),
  "on the corners of a grid": (random) => random.int(0, 4) / 4,
  "far from the origin": (random) => 1e6 + random.int(0, 50) / 16,
  subnormal: (random) => random.int(0, 9) * 1e-41,
  "of both signs, with zeros": (random) => random.pick([-1, 1]) * random.int(0, 3),
};

type Values = Float32Array | Float64Array;

export interface Rows {
  readonly data: Values;
  readonly rows: number;
  readonly cols: number;
}

/** Queries: some of the points, some near them, the first one far out. */
export function inputOf(name: string, rows: number, cols: number, random: Random, isSingle = false) {
  const data: Values = isSingle ? new Float32Array(rows * cols) : new Float64Array(rows * cols);
  for (let at = 0; at < data.length; at++) data[at] = clouds[name](random, Math.floor(at / cols), at % cols);
  const queries: Rows = { data: new Float64Array(41 * cols).fill(-3e5), rows: 41, cols };
  for (let query = 1; query < 41; query++) {
    const point = random.int(0, rows);
    const by = query % 2 === 0 ? 0 : 1e-3;
    for (let j = 0; j < cols; j++) {
      queries.data[query * cols + j] = data[point * cols + j] * (1 + by * random.normal());
    }
  }
  const train: Rows = { data, rows, cols };
  return { train, queries };
}
