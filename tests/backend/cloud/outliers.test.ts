/** Which points are outliers on each backend, against all pairs in float64: any difference fails. */
import { describe, expect, it } from "vitest";
import { removeOutlierPoints } from "../../../dist/node.js";
import { naiveInliers } from "../../oracle/cloud.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { clouds, inputOf } from "../clouds.ts";
import { oneIn, onEachBackend } from "../helpers.ts";

const seed = printedSeed();

describe("outliers are left out", () => {
  onEachBackend((device, backend) => {
    const names = oneIn(backend === "gpu" ? 6 : 1, Object.keys(clouds), seed);
    it.each(names)("of points that are %s", async (name) => {
      const random = new Random(seed);
      const { train } = inputOf(name, 120, random.int(1, 4), random, random.pick([true, false]));
      const [k, deviations] = [random.int(1, 12), random.pick([-0.5, 0, 0.5, 1, 2])];
      const found = await removeOutlierPoints(train, { k, deviations, device: device() });
      const expected = naiveInliers(train, k, deviations);
      expect([...found.distances]).toEqual(expected.distances);
      expect(found.threshold).toBe(expected.threshold);
      expect(found.threshold).toBe(found.mean + deviations * found.deviation);
      expect([...found.kept]).toEqual(expected.kept);
      expect(found.points.rows).toBe(expected.kept.length);
    });

    it("but none where all are equal, or of the two that there are", async () => {
      const options = { k: 1, device: device() };
      const equal = Array.from({ length: 9 }, () => [0.1, 7]);
      expect((await removeOutlierPoints(equal, options)).kept.length).toBe(9);
      expect(await removeOutlierPoints([[0], [5]], options)).toMatchObject({ mean: 5, deviation: 0 });
    });

    it("but not by numbers that mean nothing", async () => {
      const three = [[0], [1], [2]];
      await expect(removeOutlierPoints(three, { device: device() })).rejects.toThrow(
        /k is 8, but each row of train has only 2 others/,
      );
      await expect(removeOutlierPoints(three, { k: 0, device: device() })).rejects.toThrow(
        /k is 0; expected/,
      );
      await expect(removeOutlierPoints(three, { k: 1, deviations: NaN, device: device() })).rejects.toThrow(
        /deviations is NaN; expected a finite number/,
      );
    });
  });
});
