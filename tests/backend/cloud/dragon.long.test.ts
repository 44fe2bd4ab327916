/** The dragon with all of its 437,645 points on each backend, a sample against a float64 brute force. */
import { describe, expect, it } from "vitest";
import { meanNearestDistance, PointCloud, removeDuplicatePoints } from "../../../dist/node.js";
import { bruteForce } from "../../oracle/knn.ts";
import { expectSame, onEachBackend } from "../helpers.ts";
import { dragon, sample, shifted } from "./scans.ts";

describe("of the dragon", () => {
  onEachBackend((device) => {
    it.each([1, 8, 30])("the %i nearest points are found", async (k) => {
      const points = await dragon("");
      expect(points.rows).toBe(437_645);
      using cloud = await PointCloud.create(points, { device: device() });
      const every = 15_000;
      const queries = shifted(points, 0.01);
      const { indices, distances, explanation } = await cloud.nearest(queries, { k });
      const some = sample(queries, every);
      const taken = <T extends Uint32Array | Float64Array>(from: T) =>
        Array.from({ length: some.rows }, (_, i) => [
          ...from.subarray(i * every * k, (i * every + 1) * k),
        ]).flat();
      const found = {
        indices: Uint32Array.from(taken(indices)),
        distances: Float64Array.from(taken(distances)),
      };
      expectSame(found, bruteForce(points, some, { k }), k);
      expect(explanation.pairs / queries.rows).toBeLessThan(1000 + 100 * k);
    });
  });

  it("points that coincide are left out, and thinning leaves none within its tolerance", async () => {
    const points = await dragon("");
    const places = new Set(
      Array.from({ length: points.rows }, (_, i) => points.data.slice(3 * i, 3 * i + 3).join()),
    );
    expect((await removeDuplicatePoints(points)).kept.length).toBe(places.size);
    expect(places.size).toBe(435_545);
    const tolerance = 2 * (await meanNearestDistance(points, { backend: "cpu" }));
    const { points: thin } = await removeDuplicatePoints(points, { tolerance });
    expect(thin.rows).toBeLessThan(points.rows / 2);
    using cloud = await PointCloud.create(thin, { backend: "cpu" });
    const { distances } = await cloud.nearest(thin, { excludeSelf: true });
    expect(distances.reduce((least, each) => Math.min(least, each))).toBeGreaterThan(tolerance);
  });
});
