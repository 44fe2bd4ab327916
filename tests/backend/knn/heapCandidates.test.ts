/**
 * With `compat: "rapidminer"` a device finds the rows that may enter the heap, and the host evaluates few of
 * them: whatever the order of the rows, the cuts and the kind of filter, the neighbours are those of a heap
 * that saw every row.
 */
import { describe, expect, it } from "vitest";
import { NearestNeighbors } from "../../../dist/node.js";
import type { KnnOptions } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { heapOrder } from "../../oracle/rapidminer.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";
import { matrix } from "../inputs.ts";
import type { Flat } from "../inputs.ts";

const random = new Random(printedSeed());
const [ROWS, QUERIES, COLS] = [1500, 7, 3];

const uniform = (rows: number) => matrix(rows, COLS, () => random.uniform(-1, 1));

/** Nearest to the origin last. */
function approaching(): Flat {
  return matrix(ROWS, COLS, (row) => (2 * (ROWS - row)) / ROWS + random.uniform(0, 1e-4));
}

function heapsOf(train: Flat, queries: Flat, k: number) {
  const { indices, distances } = bruteForce(train, queries, { k: train.rows });
  const expected = Array.from({ length: queries.rows }, (_, q) => {
    const byRow: number[] = [];
    for (let at = q * train.rows; at < (q + 1) * train.rows; at++) byRow[indices[at]] = distances[at];
    return heapOrder(byRow, k).map((row) => ({ row, distance: byRow[row] }));
  }).flat();
  return { indices: expected.map(({ row }) => row), distances: expected.map(({ distance }) => distance) };
}

onEachBackend((device) => {
  async function expectHeaps(train: Flat, queries: Flat, k: number, options: KnnOptions = {}) {
    const nn = await new NearestNeighbors({ ...options, compat: "rapidminer", device: device() }).fit(train);
    const { indices, distances, explanation } = await nn.kneighbors(queries, { nNeighbors: k });
    nn.dispose();
    const expected = heapsOf(train, queries, k);
    expect([...indices]).toEqual(expected.indices);
    expect([...distances]).toEqual(expected.distances);
    return explanation;
  }

  describe("the rows that may enter the heap", () => {
    it("are found on the device, and few of them evaluated in float64", async () => {
      const before = device().counters.work;
      for (const k of [1, 5]) {
        const { technique, pairs, refinedPairs, exhaustiveQueries } = await expectHeaps(
          uniform(ROWS),
          uniform(QUERIES),
          k,
        );
        expect(technique).toMatch(/certified in float64, with all rows that may enter a heap/);
        expect(pairs).toBe(ROWS * QUERIES);
        expect(refinedPairs).toBeLessThanOrEqual(QUERIES * 4 * k);
        expect(exhaustiveQueries).toBe(0);
      }
      expect(device().counters.work - before).toBe(2 * ROWS * QUERIES);
    });

    it.each([{ chunk: 70, references: 33 }, { chunk: 7 }, { queries: 2, budget: 2 ** 17 }])(
      "are the same however rows are cut: %o",
      async (tiles) => {
        await expectHeaps(uniform(700), uniform(5), 4, { tiles });
      },
    );

    it("are those of float32 rows, too", async () => {
      const train = uniform(ROWS);
      const rounded = { ...train, data: Float32Array.from(train.data as Float64Array) };
      await expectHeaps(rounded, uniform(3), 3);
    });

    it("are all rows where each is nearer than the ones before", async () => {
      await expectHeaps(
        approaching(),
        matrix(2, COLS, () => 0),
        3,
      );
    });

    it("are those of a filter whose last step ties rows", async () => {
      const options = { metric: "rapidminer:KernelEuclideanDistance", kernel: { type: "radial" } } as const;
      const [train, queries] = [matrix(600, COLS, () => random.int(0, 40)), uniform(3)];
      const nn = await new NearestNeighbors({ ...options, compat: "rapidminer", device: device() }).fit(
        train,
      );
      const { indices, distances } = await nn.kneighbors(queries, { nNeighbors: 4 });
      const everyone = await nn.kneighbors(queries, { nNeighbors: train.rows });
      nn.dispose();
      for (let q = 0; q < queries.rows; q++) {
        const byRow: number[] = [];
        for (let at = q * train.rows; at < (q + 1) * train.rows; at++)
          byRow[everyone.indices[at]] = everyone.distances[at];
        const order = heapOrder(byRow, 4);
        expect([...indices.subarray(4 * q, 4 * q + 4)]).toEqual(order);
        expect([...distances.subarray(4 * q, 4 * q + 4)]).toEqual(order.map((row) => byRow[row]));
      }
    });
  });
});
