/** The mean nearest distance on each backend, against all pairs in float64: any difference of a bit fails. */
import { describe, expect, it } from "vitest";
import { meanNearestDistance } from "../../../dist/node.js";
import { naiveMeanNearest } from "../../oracle/cloud.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { clouds, inputOf } from "../clouds.ts";
import { oneIn, onEachBackend } from "../helpers.ts";

const seed = printedSeed();

describe("the mean nearest distance", () => {
  onEachBackend((device, backend) => {
    const names = oneIn(backend === "gpu" ? 4 : 1, Object.keys(clouds), seed);
    it.each(names)("of points that are %s", async (name) => {
      const random = new Random(seed);
      const { train } = inputOf(name, 150, random.int(1, 4), random, random.pick([true, false]));
      expect(await meanNearestDistance(train, { device: device() })).toBe(naiveMeanNearest(train));
    });

    it("counts a point that coincides with another with 0, and itself never", async () => {
      expect(await meanNearestDistance([[0], [0], [4]], { device: device() })).toBe(4 / 3);
    });

    it("needs two points of at most three columns", async () => {
      await expect(meanNearestDistance([[1]], { device: device() })).rejects.toThrow(
        /points are 1 row; the nearest other one needs at least 2/,
      );
      const wide = [
        [1, 2, 3, 4],
        [1, 2, 3, 5],
      ];
      await expect(meanNearestDistance(wide, { device: device() })).rejects.toThrow(/at most 3/);
    });
  });
});
