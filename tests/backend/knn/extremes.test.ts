/**
 * Where float64 itself loses what a filter would still see: found by a review, each with the answer of brute
 * force.
 */
import { describe, expect, it } from "vitest";
import { kneighbors } from "../../../dist/node.js";
import type { KneighborsOptions } from "../../../dist/node.js";
import { onEachBackend } from "../helpers.ts";

function rowsNear(magnitude: number, rows: number, cols: number) {
  const data = Float64Array.from(
    { length: rows * cols },
    (_, i) => magnitude * (1 + ((i * 7919) % 1000) / 1000),
  );
  return { data, rows, cols };
}

describe("what float64 loses is tied, not ranked", () => {
  onEachBackend((device) => {
    it.each<[number, number, KneighborsOptions]>([
      [1e-170, 3, { columnWeights: [1e300, 1e300, 1e300] }],
      [1e-163, 3, { columnWeights: [1e20, 1e20, 1e20] }],
      [1e-110, 3, { metric: "minkowski", p: 3, columnWeights: [1e300, 1e300, 1e300] }],
      [
        1e-140,
        3,
        {
          metric: "rapidminer:KernelEuclideanDistance",
          kernel: { type: "multiquadric", sigma1: 1e300, shift: 0 },
        },
      ],
    ])("rows of %d, %d columns, %o", async (magnitude, cols, options) => {
      const train = rowsNear(magnitude, 200, cols);
      const queries = { data: new Float64Array(cols).fill(1.5 * magnitude), rows: 1, cols };
      const found = await kneighbors(train, queries, { ...options, k: 5, device: device() });
      expect([...found.distances].map((distance) => distance + 0)).toEqual([0, 0, 0, 0, 0]);
      expect([...found.indices]).toEqual([0, 1, 2, 3, 4]);
    });

    it("repeated rows in float32 take one root", async () => {
      const data = Float64Array.from({ length: 128 }, (_, i) => ((i >> 1) % 4) * 2 + (i & 1));
      const options = { metric: "minkowski", p: 3, k: 3, device: device() } as const;
      const [exact, rough] = [
        await kneighbors({ data, rows: 64, cols: 2 }, [[0.4, 3]], options),
        await kneighbors({ data, rows: 64, cols: 2 }, [[0.4, 3]], { ...options, precision: "float32" }),
      ];
      exact.distances.forEach((distance, i) => expect(rough.distances[i]).toBeCloseTo(distance, 5));
    });
  });
});
