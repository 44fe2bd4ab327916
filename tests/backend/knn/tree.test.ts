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
import { clouds, inputOf } from "../clouds.ts";
import { expectSame, onEachBackend } from "../helpers.ts";

const seed = printedSeed();

const metrics: readonly ClassicMetric[] = ["euclidean", "sqeuclidean", "manhattan", "chebyshev"];

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
      const { train, queries } = inputOf("uniform", 150, 3, new Random(seed + 7));
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
