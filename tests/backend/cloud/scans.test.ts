/** The nearest points of real clouds on each backend, against a float64 brute force. */
import { describe, expect, it } from "vitest";
import { hausdorffDistance, icp, meanNearestDistance, PointCloud } from "../../../dist/node.js";
import { naiveHausdorff } from "../../oracle/cloud.ts";
import { bruteForce } from "../../oracle/knn.ts";
import { expectSame, onEachBackend } from "../helpers.ts";
import { bunny, dragon, sample, shifted } from "./scans.ts";

describe("of scans", () => {
  it("the points are all there", async () => {
    expect((await bunny()).rows).toBe(1839);
    const { data, rows, cols } = await dragon("_res4");
    expect([rows, cols]).toEqual([5205, 3]);
    expect([...data.subarray(0, 3)]).toEqual([0.0317083, 0.0557939, -0.049836].map(Math.fround));
  });

  onEachBackend((device) => {
    it("the nearest points of the bunny are found", async () => {
      const points = await bunny();
      const queries = sample(shifted(points, 0.01), 30);
      using cloud = await PointCloud.create(points, { device: device(), tiles: { tree: true } });
      for (const k of [1, 8]) {
        expectSame(await cloud.nearest(queries, { k }), bruteForce(points, queries, { k }), k);
      }
    });

    it("the nearest points of the dragon are found, along its tree", async () => {
      const points = await dragon("_res4");
      using cloud = await PointCloud.create(points, { device: device() });
      for (const [k, every] of [
        [1, 40],
        [8, 100],
        [64, 700],
      ]) {
        const queries = sample(shifted(points, 0.01), every);
        const found = await cloud.nearest(queries, { k });
        expectSame(found, bruteForce(points, queries, { k }), k);
        expect(found.explanation.technique).toMatch(/along a tree of \d+ leaves/);
      }
    });

    it("the distance of the dragon at two resolutions is found", async () => {
      const fine = sample(await dragon("_res4"), 3);
      const coarse = sample(fine, 4);
      const { device: own } = { device: device() };
      expect(await hausdorffDistance(fine, coarse, { device: own })).toEqual(naiveHausdorff(fine, coarse));
    });
  });

  it("the dragon is brought back to where it was", async () => {
    const target = await dragon("_res4");
    const options = { backend: "cpu" } as const;
    const spacing = await meanNearestDistance(target, options);
    const [c, s] = [Math.cos(0.02), Math.sin(0.02)];
    const source = sample(target, 3);
    for (let at = 0; at < source.data.length; at += 3) {
      const [x, , z] = source.data.subarray(at, at + 3);
      source.data[at] = c * x - s * z + spacing / 2;
      source.data[at + 2] = s * x + c * z;
    }
    const { error, converged, transform } = await icp(source, target, { ...options, maxIterations: 200 });
    expect(converged).toBe(true);
    expect(error).toBeLessThan(spacing / 1000);
    expect(Math.abs(transform[2] - s)).toBeLessThan(1e-4);
  });
});
