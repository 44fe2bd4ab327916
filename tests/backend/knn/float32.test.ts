/**
 * `precision: "float32"`: the same bits on every run, tile and budget of one device, and close to the exact
 * distances.
 */
import { describe, expect, it } from "vitest";
import { kneighbors } from "../../../dist/node.js";
import type { KneighborsOptions } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import type { ClassicMetric } from "../../oracle/knn.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { expectSame, onEachBackend, openBeside } from "../helpers.ts";
import { inputs, matrix } from "../inputs.ts";

const random = new Random(printedSeed());
const train = matrix(500, 19, () => random.normal());
const queries = matrix(30, 19, () => random.normal());
const k = 6;

const measures: { metric: ClassicMetric; p?: number }[] = [
  { metric: "euclidean" },
  { metric: "manhattan" },
  { metric: "chebyshev" },
  { metric: "minkowski", p: 3 },
  { metric: "cosine" },
  { metric: "inner_product" },
];

describe("float32 distances", () => {
  onEachBackend((device, backend) => {
    it.each(measures)(
      "are close to the exact ones by $metric, ascending, with k different rows",
      async (measure) => {
        const found = await kneighbors(train, queries, {
          ...measure,
          k,
          precision: "float32",
          device: device(),
        });
        const exact = bruteForce(train, queries, { metric: measure.metric, p: measure.p, k });
        for (let q = 0; q < queries.rows; q++) {
          const own = found.distances.slice(q * k, (q + 1) * k);
          expect(new Set(found.indices.slice(q * k, (q + 1) * k)).size).toBe(k);
          expect(own).toEqual(own.toSorted());
          for (const [rank, distance] of own.entries()) {
            const truth = exact.distances[q * k + rank];
            expect(Math.abs(distance - truth)).toBeLessThan(1e-4 * Math.max(1, Math.abs(truth)));
          }
        }
        expect(found.explanation.refinedPairs).toBe(0);
      },
    );

    it("have the same bits whatever the run, the tiles and the budget", async () => {
      const few = { ...queries, data: queries.data.slice(0, 10 * queries.cols), rows: 10 };
      const search = (options: KneighborsOptions) =>
        kneighbors(train, few, { k, precision: "float32", device: device(), ...options });
      const first = await search({});
      for (const tiles of [{}, { queries: 7 }, { references: 16 }, { queries: 1 }, { chunk: 33 }]) {
        expectSame(await search({ tiles }), first, k);
      }
      const small = await openBeside(backend, { memory: 2 ** 15, deviceMemory: 2 ** 15 });
      const streamed = await search({ device: small });
      small.dispose();
      expect(streamed.explanation.references).toMatch(/streamed/);
      expectSame(streamed, first, k);
    });

    it("that tie are ordered by row", async () => {
      const grid = inputs.find(({ name }) => name.includes("integer grid"))!.make(random, 14);
      const found = await kneighbors(grid.train, grid.queries, {
        k: 20,
        precision: "float32",
        device: device(),
      });
      expectSame(found, bruteForce(grid.train, grid.queries, { k: 20 }), 20);
    });

    it("are never negative or NaN where exact ones are not", async () => {
      for (const { name, make } of inputs) {
        const { train: rows, queries: asked } = make(random, 13);
        const { distances } = await kneighbors(rows, asked, { k: 3, precision: "float32", device: device() });
        expect(
          [...distances].every((distance) => distance >= 0),
          name,
        ).toBe(true);
      }
    });
  });
});
