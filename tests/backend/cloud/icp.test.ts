/**
 * Registration on each backend, against one that pairs all points with all in float64 and finds rotations by
 * another way, the polar decomposition; and with the same bits whatever the device.
 */
import { describe, expect, it } from "vitest";
import { icp, type IcpOptions, type IcpResult } from "../../../dist/node.js";
import { naiveIcp, type NaiveIcp } from "../../oracle/icp.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import type { Rows } from "../clouds.ts";
import { onEachBackend } from "../helpers.ts";

const seed = printedSeed();

/** A bumpy sheet, and a copy of part of it, turned by `angle` around an axis, moved, and in another order. */
function scans(random: Random, cols: number, angle: number, offset = 0): { source: Rows; target: Rows } {
  const side = cols === 3 ? 14 : 150;
  const count = cols === 3 ? side * side : side;
  const target = new Float64Array(count * cols);
  for (let i = 0; i < count; i++) {
    const [x, y] = [i % side, Math.floor(i / side)].map((at) => at + random.uniform(-0.3, 0.3));
    const height = Math.sin(x / 3) * 2 + Math.cos(y / 2) + x / 7;
    target.set(
      [x, ...(cols === 3 ? [y] : []), height].map((value) => value + offset).slice(0, cols),
      i * cols,
    );
  }
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const rows = Math.floor(count * 0.7);
  const source = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) {
    const from = (i * 37) % count;
    const point = [...target.subarray(from * cols, (from + 1) * cols)].map((value) => value - offset);
    const [x, last] = [point[0], point[cols - 1]];
    point[0] = c * x - s * last + 0.2;
    point[cols - 1] = s * x + c * last - 0.1;
    source.set(
      point.map((value) => value + offset + 0.001 * random.normal()),
      i * cols,
    );
  }
  return { source: { data: source, rows, cols }, target: { data: target, rows: count, cols } };
}

function expectAlike(found: IcpResult, expected: NaiveIcp): void {
  expect([found.iterations, found.pairs, found.converged]).toEqual([
    expected.iterations,
    expected.pairs,
    expected.converged,
  ]);
  expect(Math.abs(found.error - expected.error)).toBeLessThan(1e-9);
  found.transform.forEach((value, at) => {
    expect(Math.abs(value - expected.transform[at]), `entry ${at}`).toBeLessThan(1e-8);
  });
}

describe("registration", () => {
  onEachBackend((device, backend) => {
    // A GPU in software takes a second for each search.
    const ways: readonly IcpOptions[] =
      backend === "gpu"
        ? [{ overlap: 0.8, maxDistance: 2, maxIterations: 2 }]
        : [{}, { overlap: 0.8 }, { maxDistance: 1.5, tolerance: 1e-9 }, { maxIterations: 2 }];
    it.each([2, 3])(
      "of parts of a sheet in %i columns, with all pairs or some",
      async (cols) => {
        const random = new Random(seed + cols);
        const { source, target } = scans(random, cols, random.uniform(-0.06, 0.06));
        for (const options of ways) {
          const found = await icp(source, target, { ...options, device: device() });
          expectAlike(found, naiveIcp(source, target, options));
          expect(await icp(source, target, { ...options, backend: "cpu", threads: 1 })).toEqual(found);
        }
      },
      60_000,
    );

    it("of clouds that leave the rotation open turns nothing, and never mirrors", async () => {
      const options: IcpOptions = { device: device() };
      const one = await icp([[1, 2, 3]], [[4, 6, 8]], options);
      expect([...one.transform]).toEqual([1, 0, 0, 3, 0, 1, 0, 4, 0, 0, 1, 5, 0, 0, 0, 1]);
      expect(one).toMatchObject({ error: 0, pairs: 1, converged: true });
      const equal = Array.from({ length: 5 }, () => [7, 7]);
      expect([...(await icp(equal, [[1, 1]], options)).transform]).toEqual([1, 0, -6, 0, 1, -6, 0, 0, 1]);
      expect([...(await icp([[0], [1], [2]], [[0.25], [1.25], [2.25]], options)).transform]).toEqual([
        1, 0.25, 0, 1,
      ]);
      expect(
        (
          await icp(
            [
              [0, 0],
              [1, 2],
            ],
            [
              [0, 0],
              [1, 2],
              [8, 8],
            ],
            options,
          )
        ).iterations,
      ).toBe(0);
      // Of three pairs that are as far, two count: the first ones.
      const some = { ...options, overlap: 0.7, maxIterations: 1, tolerance: 99 };
      const tied = await icp([[0], [10], [20]], [[1], [11], [19]], some);
      expect([...tied.transform, tied.pairs, tied.error]).toEqual([1, 1, 0, 1, 2, 0]);
      // A flat shape and its mirror image: the best turn in the plane, and not over it.
      const flat = [
        [0, 0],
        [4, 0],
        [4, 1],
      ];
      const { transform: m } = await icp(
        flat,
        flat.map(([x, y]) => [x, -y]),
        options,
      );
      expect(m[0] * m[4] - m[1] * m[3]).toBeGreaterThan(0.999);
    });

    it("is refused for clouds or numbers that mean nothing", async () => {
      const [here, there] = [[[0, 0]], [[9, 0]]];
      const refused = (options: IcpOptions) =>
        expect(icp(here, there, { ...options, device: device() })).rejects;
      await refused({ maxDistance: 1 }).toThrow(
        /no point of source lies within maxDistance, 1, .* is 9 away/,
      );
      await refused({ maxIterations: 0 }).toThrow(
        /maxIterations is 0; expected a whole number of at least 1/,
      );
      await refused({ overlap: 0 }).toThrow(/overlap is 0; expected a number above 0, at most 1/);
      await refused({ tolerance: -1 }).toThrow(/tolerance is -1/);
      await refused({ initial: [1, 0, 0] }).toThrow(/initial is \[1,0,0\]; expected 3 x 3 numbers/);
      await refused({ initial: [1, 0, 0, 0, -1, 0, 0, 0, 1] }).toThrow(/a rotation/);
      await refused({ initial: [2, 0, 0, 0, 1, 0, 0, 0, 1] }).toThrow(/a rotation/);
      await refused({ signal: AbortSignal.abort(new Error("enough")) }).toThrow("enough");
      await expect(icp([[1]], there, { device: device() })).rejects.toThrow(
        /source has 1 column, but target has 2/,
      );
      await expect(icp([[NaN, 1]], there, { device: device() })).rejects.toThrow(
        /source row 0, column 0 is NaN/,
      );
    });
  });

  it("finds the motion back, far from the origin too, and needs no more once it starts there", async () => {
    const random = new Random(seed);
    const { source, target } = scans(random, 3, 0.03, 1e6);
    const { transform, error, converged } = await icp(source, target, { backend: "cpu", tolerance: 0 });
    expect(converged).toBe(true);
    expect(error).toBeLessThan(0.01);
    const [c, s] = [transform[0], transform[2]];
    expect(Math.abs(c - Math.cos(0.03))).toBeLessThan(1e-3);
    expect(Math.abs(s - Math.sin(0.03))).toBeLessThan(1e-3);
    const again = await icp(source, target, { backend: "cpu", initial: transform });
    expect(again).toMatchObject({ iterations: 1, converged: true });
  });
});
