/** Searches over rows that repeat: the same answers as brute force, from one of each. */
import { describe, expect, it } from "vitest";
import { kneighbors, kneighborsGraph } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, onEachBackend } from "../helpers.ts";
import { matrix } from "../inputs.ts";

const seed = printedSeed();
const measures = [
  {},
  { metric: "minkowski", p: 3 },
  { metric: "cosine" },
  { metric: "inner_product" },
] as const;

describe("rows that repeat", () => {
  const random = new Random(seed);
  const few = matrix(40, 3, () => random.int(0, 2));
  const train = matrix(400, 3, (row, column) => Number(few.data[(((row * 7) % 40) * 3 + column) % 120]));
  const queries = matrix(9, 3, () => random.int(0, 3) / 2);

  it("tie at zeros of both signs and at NaN by their rows, and keep their own distances", async () => {
    const [minus, plus] = [-1e-200, 1e-200];
    const signs = {
      data: Float64Array.of(minus, plus, minus, plus, minus, plus, plus, minus),
      rows: 8,
      cols: 1,
    };
    const tiny = { data: Float64Array.of(1e-200), rows: 1, cols: 1 };
    const options = { metric: "inner_product", backend: "cpu" } as const;
    for (const k of [3, 8]) {
      expectSame(
        await kneighbors(signs, tiny, { ...options, k }),
        bruteForce(signs, tiny, { metric: "inner_product", k }),
        k,
      );
    }
    const gaps = Float64Array.of(NaN, 1, NaN, 2, 1, NaN, NaN, 2, NaN, 3, NaN, 3, 1, NaN, NaN, 2);
    const found = await kneighbors({ data: gaps, rows: 8, cols: 2 }, [[5, NaN]], {
      k: 8,
      missing: "skip",
      backend: "cpu",
    });
    expect([...found.indices]).toEqual([2, 6, 0, 1, 3, 4, 5, 7]);
  });

  onEachBackend((device) => {
    it.each(measures)("are searched once each, and all of them are found: %o", async (measure) => {
      for (const k of [1, 7, 150, 400]) {
        const found = await kneighbors(train, queries, { ...measure, k, device: device() });
        expectSame(found, bruteForce(train, queries, { ...measure, k }), k);
        expect(found.explanation.references).toMatch(/one of each of 400 rows$/);
      }
    });

    it("are neighbours of each other, not of themselves", async () => {
      const k = 60;
      const all = bruteForce(train, train, { k: train.rows });
      const kept = Array.from({ length: train.rows }, (_, query) => {
        const begin = query * train.rows;
        return [...all.indices.subarray(begin, begin + train.rows).keys()]
          .filter((i) => all.indices[begin + i] !== query)
          .slice(0, k)
          .map((i) => begin + i);
      }).flat();
      const found = await kneighborsGraph(train, { k, device: device() });
      expectSame(
        found,
        {
          indices: Uint32Array.from(kept, (at) => all.indices[at]),
          distances: Float64Array.from(kept, (at) => all.distances[at]),
        },
        k,
      );
    });
  });
});
