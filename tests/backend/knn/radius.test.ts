/** Searches within a radius and searches of rows among themselves, against brute force on every backend. */
import { describe, expect, it } from "vitest";
import { kneighbors, kneighborsGraph, radiusNeighbors } from "../../../dist/node.js";
import { bruteForce, type Question } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, onEachBackend } from "../helpers.ts";
import { inputs, matrix, type Flat } from "../inputs.ts";

const seed = printedSeed();
const NONE = 0xffffffff;
const measures = [
  { metric: "euclidean" },
  { metric: "manhattan" },
  { metric: "cosine" },
  { metric: "inner_product" },
  { metric: "minkowski", p: 3 },
] as const;

/** All rows of train in order, for each query. */
function everything(train: Flat, queries: Flat, measure: Omit<Question, "k">) {
  const { indices, distances } = bruteForce(train, queries, { ...measure, k: train.rows });
  return Array.from({ length: queries.rows }, (_, query) =>
    Array.from({ length: train.rows }, (_, i) => ({
      index: indices[query * train.rows + i],
      distance: distances[query * train.rows + i],
    })),
  );
}

describe("neighbours within a radius", () => {
  const random = new Random(seed);
  const value = () => random.int(0, 12) / 4;
  const [train, queries] = [matrix(311, 14, value), matrix(23, 14, value)];

  onEachBackend((device) => {
    it.each(measures)("are all rows that near, ties included: $metric", async (measure) => {
      const all = everything(train, queries, measure);
      for (const rank of [0, 3, 40, 200]) {
        const radius = all[5][rank].distance;
        const expected = all.map((row) => row.filter(({ distance }) => distance <= radius));
        const found = await radiusNeighbors(train, queries, { ...measure, radius, device: device() });
        expect([...found.offsets]).toEqual(
          expected.reduce((offsets, row) => [...offsets, (offsets.at(-1) ?? 0) + row.length], [0]),
        );
        expect([...found.indices]).toEqual(expected.flat().map(({ index }) => index));
        expect([...found.distances]).toEqual(expected.flat().map(({ distance }) => distance));
      }
    });

    it("are at most k when k is given, with empty places and counts", async () => {
      const all = everything(train, queries, {});
      const radius = all[2][4].distance;
      const found = await kneighbors(train, queries, { k: 9, radius, device: device() });
      all.forEach((row, query) => {
        const expected = row.slice(0, 9).filter(({ distance }) => distance <= radius);
        expect(found.counts?.[query]).toBe(expected.length);
        const places = Array.from(
          { length: 9 },
          (_, i) => expected[i] ?? { index: NONE, distance: Infinity },
        );
        expect([...found.indices.subarray(query * 9, query * 9 + 9)]).toEqual(
          places.map(({ index }) => index),
        );
        expect([...found.distances.subarray(query * 9, query * 9 + 9)]).toEqual(
          places.map(({ distance }) => distance),
        );
      });
    });

    it("may be none, or every row", async () => {
      const none = await radiusNeighbors(train, [Array.from({ length: 14 }, () => 100)], {
        radius: 1,
        device: device(),
      });
      expect([...none.offsets]).toEqual([0, 0]);
      const every = await radiusNeighbors(train, queries, { radius: Infinity, device: device() });
      expect(every.indices).toHaveLength(311 * 23);
    });

    it("explain all the searches that they took", async () => {
      const before = { ...device().counters };
      const { explanation } = await radiusNeighbors(train, queries, { radius: Infinity, device: device() });
      const after = device().counters;
      // With 32 neighbours, with 256, and with all 311 rows.
      expect(explanation.jobs).toBeGreaterThanOrEqual(3);
      expect(explanation).toMatchObject({
        backend: device().info.kind,
        dispatches: after.dispatches - before.dispatches,
        pairs: after.work - before.work,
        refinedPairs: after.hostWork - before.hostWork,
      });
    });
  });

  it("says that a radius is missing", async () => {
    for (const options of [undefined, { backend: "cpu" }]) {
      const nothing = options as unknown as { radius: number };
      await expect(radiusNeighbors([[1]], [[1]], nothing)).rejects.toThrow(
        "radius is missing; expected a distance",
      );
    }
  });

  it("need a radius that is a number, and at least 0 unless distances can be negative", async () => {
    for (const radius of [NaN, -1, -Infinity]) {
      await expect(radiusNeighbors(train, queries, { radius, backend: "cpu" })).rejects.toThrow(
        `radius is ${radius}; expected a number of at least 0`,
      );
    }
    const negative = { radius: -1e9, metric: "inner_product", backend: "cpu" } as const;
    await expect(radiusNeighbors(train, queries, negative)).resolves.toMatchObject({
      indices: new Uint32Array(),
    });
  });
});

describe("the k-NN graph", () => {
  onEachBackend((device) => {
    it.each(inputs.filter(({ name }) => /grid|all equal|1e-3/.test(name)))(
      "has no row as its own neighbour, but its duplicates: $name",
      async ({ make }) => {
        const random = new Random(seed + 1);
        const { train } = make(random, 14);
        for (const k of [4, train.rows - 1]) {
          const all = everything(train, train, {});
          const expected = all.map((row, query) => row.filter(({ index }) => index !== query).slice(0, k));
          const tiles = { queries: 7, axes: random.pick([0, 3]) };
          const found = await kneighborsGraph(train, { k, tiles, device: device() });
          expectSame(
            found,
            {
              indices: Uint32Array.from(expected.flat(), ({ index }) => index),
              distances: Float64Array.from(expected.flat(), ({ distance }) => distance),
            },
            k,
          );
        }
      },
    );
  });

  it("needs k below the number of rows", async () => {
    await expect(kneighborsGraph([[1], [2], [3]], { k: 3, backend: "cpu" })).rejects.toThrow(
      "k is 3, but each row of train has only 2 others; choose k of at most 2",
    );
    await expect(kneighbors([[1], [2]], [[1]], { k: 1, excludeSelf: true, backend: "cpu" })).rejects.toThrow(
      "excludeSelf needs the training rows as queries, but there are 1 query and 2 rows",
    );
  });
});
