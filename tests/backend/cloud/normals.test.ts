/**
 * Normals on each backend: eigenvectors of a covariance that is computed by all pairs, as far as float64
 * holds them, and with the same bits whatever the device.
 */
import { describe, expect, it } from "vitest";
import { estimateNormals, type NormalsResult } from "../../../dist/node.js";
import { naiveMoments } from "../../oracle/cloud.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { clouds, inputOf, type Rows } from "../clouds.ts";
import { oneIn, onEachBackend } from "../helpers.ts";

const seed = printedSeed();
const epsilon = 1e-13;

/** Fails unless the normal is a unit eigenvector, and that of the least eigenvalue. */
function checkNormals(points: Rows, k: number, { normals, variations }: NormalsResult): void {
  const { rows, cols } = points;
  for (let point = 0; point < rows; point++) {
    const moments = naiveMoments(points, point, k);
    const total = moments.reduce((sum, row, j) => sum + row[j], 0);
    const normal = [...normals.subarray(point * cols, (point + 1) * cols)];
    if (total === 0) {
      expect([...normal, variations[point]].every(Number.isNaN)).toBe(true);
      continue;
    }
    const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, j) => sum + x * b[j], 0);
    expect(Math.abs(dot(normal, normal) - 1)).toBeLessThan(epsilon);
    const along = moments.map((row) => dot(row, normal));
    const least = dot(along, normal);
    const rest = along.map((value, j) => value - least * normal[j]);
    expect(Math.sqrt(dot(rest, rest))).toBeLessThanOrEqual(epsilon * total);
    // No direction of many has less variance.
    const random = new Random(seed + point);
    for (let i = 0; i < 50; i++) {
      const any = normal.map(() => random.normal());
      const its =
        dot(
          moments.map((row) => dot(row, any)),
          any,
        ) / dot(any, any);
      expect(its).toBeGreaterThanOrEqual(least - epsilon * total);
    }
    expect(Math.abs(variations[point] - least / total)).toBeLessThan(epsilon);
    expect(variations[point]).toBeGreaterThanOrEqual(0);
  }
}

describe("normals", () => {
  onEachBackend((device, backend) => {
    const names = oneIn(backend === "gpu" ? 6 : 1, Object.keys(clouds), seed);
    it.each(names)("of points that are %s", async (name) => {
      const random = new Random(seed);
      const { train } = inputOf(name, 90, random.pick([2, 3]), random, random.pick([true, false]));
      const k = random.int(train.cols, 20);
      const found = await estimateNormals(train, { k, device: device() });
      checkNormals(train, k, found);
      expect(await estimateNormals(train, { k, backend: "cpu", threads: 1 })).toEqual(found);
      for (let at = 0; at < found.normals.length; at += train.cols) {
        const normal = [...found.normals.subarray(at, at + train.cols)];
        const largest = Math.max(...normal.map(Math.abs));
        if (!Number.isNaN(largest)) expect(normal.find((each) => Math.abs(each) === largest)).toBe(largest);
      }
    });

    it("have a positive largest component where nothing else decides", async () => {
      const points = [
        [4, 1, 0],
        [1, 1, 2],
        [1, 4, 3],
        [2, 3, 4],
        [2, 0, 3],
        [1, 0, 0],
      ];
      const { normals } = await estimateNormals(points, { k: 6, device: device() });
      const one = [...normals.subarray(0, 3)];
      expect(Math.max(...one)).toBe(Math.max(...one.map(Math.abs)));
    });

    it("of a plane are exact, and point to the viewpoint", async () => {
      const grid = Array.from({ length: 49 }, (_, i) => [i % 7, 1e6 + 0.5, Math.floor(i / 7)]);
      const options = { k: 9, device: device() };
      const up = await estimateNormals(grid, options);
      const of = (normal: readonly number[]) => grid.flatMap(() => normal);
      expect([...up.normals]).toEqual(of([0, 1, 0]));
      expect([...up.variations]).toEqual(grid.map(() => 0));
      const down = await estimateNormals(grid, { ...options, viewpoint: [3, -5, 3] });
      expect([...down.normals]).toEqual(of([0, -1, 0]));
      // A viewpoint within the plane decides nothing.
      const aside = await estimateNormals(grid, { ...options, viewpoint: [99, 1e6 + 0.5, 3] });
      expect(aside.normals).toEqual(up.normals);
    });

    it("of points that are not to be had are refused", async () => {
      const options = { device: device() };
      const corner = [
        [0, 0],
        [1, 0],
        [0, 1],
      ];
      await expect(estimateNormals([[1], [2]], options)).rejects.toThrow(/1 column; a normal needs 2 or 3/);
      await expect(estimateNormals(corner, { ...options, k: 1 })).rejects.toThrow(
        /k is 1; expected at least 2/,
      );
      await expect(estimateNormals(corner, options)).rejects.toThrow(/k is 30, but/);
      await expect(estimateNormals(corner, { ...options, k: 2, viewpoint: [1] })).rejects.toThrow(
        /viewpoint is \[1\]; expected 2 finite numbers/,
      );
      const far = [
        [1.7e308, 0],
        [-1.7e308, 0],
        [0, 1],
      ];
      await expect(estimateNormals(far, { ...options, k: 3 })).rejects.toThrow(/too far apart for float64/);
    });
  });
});
