/**
 * Searches along a tree, which both backends have for few columns, against a float64 brute force: clouds of
 * every shape that makes cells, boxes or lists long. Small caps make queries go on in several dispatches, or
 * be given up and answered without the tree.
 */
import { describe, expect, it } from "vitest";
import { kneighbors, radiusNeighbors } from "../../../dist/node.js";
import { KnnIndex } from "../../../dist/ops/knn/knnIndex.js";
import { bruteForce, type ClassicMetric } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, onEachBackend } from "../helpers.ts";

const seed = printedSeed();

/** Makes one coordinate of a point, whose number is given. */
type Coordinate = (random: Random, point: number, column: number) => number;

const clouds: Readonly<Record<string, Coordinate>> = {
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

const metrics: readonly ClassicMetric[] = ["euclidean", "sqeuclidean", "manhattan", "chebyshev"];

type Values = Float32Array | Float64Array;

interface Rows {
  readonly data: Values;
  readonly rows: number;
  readonly cols: number;
}

/** Queries: some of the points, some near them, the first one far out. */
function inputOf(name: string, rows: number, cols: number, random: Random, isSingle = false) {
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

describe("search along a tree equals brute force", () => {
  onEachBackend((device, backend) => {
    it.each(Object.keys(clouds))("for points that are %s", async (name) => {
      for (const cols of [1, 2, 3]) {
        const random = new Random(seed + cols);
        const isSingle = random.pick([true, false]);
        const { train, queries } = inputOf(name, random.int(300, 900), cols, random, isSingle);
        const k = random.pick([1, 2, 8, 40]);
        const options = { metric: random.pick(metrics), k };
        const references = random.pick([undefined, 50]);
        const tiles = { tree: true, queries: random.pick([undefined, 17]), references };
        const found = await kneighbors(train, queries, { ...options, tiles, device: device() });
        expectSame(found, bruteForce(train, queries, options), k);
        if (!/equal|corners/.test(name)) expect(found.explanation.technique).toMatch(/tree/);
      }
    });

    it.each([1, 2, 15, 16, 17, 33, 255, 257])("for %i points, all of them", async (rows) => {
      const { train, queries } = inputOf("uniform", rows, 3, new Random(seed + rows));
      const k = Math.min(rows, 64);
      const found = await kneighbors(train, queries, { k, tiles: { tree: true }, device: device() });
      expectSame(found, bruteForce(train, queries, { k }), k);
      expect(found.explanation.technique).toMatch(/tree/);
    });

    it("is given up where it takes too many dispatches", async () => {
      const { train, queries } = inputOf("uniform", 300, 3, new Random(seed + 7));
      // A GPU then takes a step down the tree in each dispatch, which are too few to reach a leaf and return.
      const tiles = { tree: true, references: 1 };
      const found = await kneighbors(train, queries, { k: 8, tiles, device: device() });
      expectSame(found, bruteForce(train, queries, { k: 8 }), 8);
      if (backend === "gpu") expect(found.explanation.dispatches).toBeGreaterThan(300);
    });

    it("leaves out most pairs", async () => {
      const { train, queries } = inputOf("uniform", 5000, 3, new Random(seed));
      const found = await kneighbors(train, queries, { k: 1, tiles: { tree: true }, device: device() });
      expect(found.explanation.pairs).toBeGreaterThan(queries.rows);
      expect(found.explanation.pairs).toBeLessThan(queries.rows * (backend === "gpu" ? 300 : 500));
    });

    it("finds all points within a radius", async () => {
      const { train, queries } = inputOf("a crowded part", 700, 3, new Random(seed + 5));
      const [radius, tiles] = [0.004, { tree: true }];
      const found = await radiusNeighbors(train, queries, { radius, tiles, device: device() });
      const { indices, distances } = bruteForce(train, queries, { k: 700 });
      for (let query = 0; query < 41; query++) {
        const within = distances.subarray(query * 700, query * 700 + 700).filter((d) => d <= radius).length;
        const [begin, end] = found.offsets.subarray(query, query + 2);
        expect([...found.indices.subarray(begin, end)]).toEqual([
          ...indices.subarray(query * 700, query * 700 + within),
        ]);
      }
      expect(found.indices.length).toBeGreaterThan(41 * 32);
    });

    it("answers search after search of one index, whatever k and the queries", async () => {
      const random = new Random(seed + 6);
      const { train, queries } = inputOf("clusters of clusters", 800, 3, random);
      const index = await KnnIndex.create(device(), train, { tiles: { tree: true } });
      try {
        for (const k of [3, 64, 1]) {
          const { train: others } = inputOf("uniform", 5 + k, 3, random);
          expectSame(await index.search(queries, k), bruteForce(train, queries, { k }), k);
          expectSame(await index.search(others, k), bruteForce(train, others, { k }), k);
        }
      } finally {
        index.dispose();
      }
    });
  });
});
