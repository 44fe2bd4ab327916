/** Chamfer and Hausdorff distances on each backend, against all pairs in float64: any difference fails. */
import { describe, expect, it } from "vitest";
import { chamferDistance, hausdorffDistance } from "../../../dist/node.js";
import type { Explanation } from "../../../dist/node.js";
import { naiveChamfer, naiveHausdorff } from "../../oracle/cloud.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { clouds, inputOf } from "../clouds.ts";
import { onEachBackend, oneIn } from "../helpers.ts";

const seed = printedSeed();

describe("how far two clouds are from each other", () => {
  onEachBackend((device, backend) => {
    const names = Object.keys(clouds);
    it.each(backend === "gpu" ? oneIn(2, names, seed) : names)("of points that are %s", async (name) => {
      const random = new Random(seed);
      const { train, queries } = inputOf(name, 150, random.int(1, 4), random, random.pick([true, false]));
      const options = { device: device() };
      const [a, b] = random.pick([true, false]) ? [train, queries] : [queries, train];
      expect(await chamferDistance(a, b, options)).toEqual(naiveChamfer(a, b, false));
      expect(await hausdorffDistance(a, b, options)).toEqual(naiveHausdorff(a, b));
      const squares = await chamferDistance(train, queries, { ...options, metric: "sqeuclidean" });
      expect(squares).toEqual(naiveChamfer(train, queries, true));
    });

    it("of single points, of a cloud and itself, and where pairs tie", async () => {
      const options = { device: device() };
      const none = { distance: 0, forward: 0, backward: 0 };
      expect(await chamferDistance([[3, 4]], [[0, 0]], options)).toEqual({
        distance: 10,
        forward: 5,
        backward: 5,
      });
      const cloud = [[0], [5], [5], [-7]];
      expect(await chamferDistance(cloud, cloud, options)).toEqual(none);
      expect(await hausdorffDistance(cloud, cloud, options)).toEqual({ ...none, a: 0, b: 0 });
      // Both ways are as long: the pair is that of the way there.
      expect(await hausdorffDistance([[0], [10], [11]], [[13], [10], [2]], options)).toEqual({
        distance: 2,
        a: 0,
        b: 2,
        forward: 2,
        backward: 2,
      });
      // Only the way back is so long, and goes to the lowest of two points that are as near.
      expect(await hausdorffDistance([[0], [9], [9]], [[0], [9], [13]], options)).toEqual({
        distance: 4,
        a: 1,
        b: 2,
        forward: 0,
        backward: 4,
      });
    });

    it("tells how each of its two searches was done", async () => {
      const told: string[] = [];
      const onExplanation = ({ operator, backend }: Explanation) => void told.push(`${operator} ${backend}`);
      await hausdorffDistance([[0], [1]], [[0], [3]], { device: device(), onExplanation });
      expect(told).toEqual(Array(2).fill(`knn ${device().info.kind}`));
    });

    it("is not told of points that cannot be compared, nor once the signal is aborted", async () => {
      const options = { device: device() };
      await expect(chamferDistance([[1, 2]], [[1]], options)).rejects.toThrow(/columns/);
      await expect(hausdorffDistance([[1, NaN]], [[1, 2]], options)).rejects.toThrow(/is NaN/);
      await expect(hausdorffDistance([[1, 2, 3, 4]], [[1, 2, 3, 4]], options)).rejects.toThrow(/at most 3/);
      await expect(
        chamferDistance([[1]], [[2]], { ...options, metric: "manhattan" as "euclidean" }),
      ).rejects.toThrow(/metric is "manhattan"/);
      const signal = AbortSignal.abort(new Error("enough"));
      await expect(chamferDistance([[1]], [[2]], { ...options, signal })).rejects.toThrow("enough");
    });
  });
});
