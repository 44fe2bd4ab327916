/** Which points are left out as duplicates, against all pairs in float64: any other choice fails. */
import { describe, expect, it } from "vitest";
import { removeDuplicatePoints } from "../../../dist/node.js";
import { clouds, inputOf, type Rows } from "../../backend/clouds.ts";
import { naiveRepresentatives } from "../../oracle/cloud.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const seed = printedSeed();

async function check(points: Rows, tolerance: number): Promise<void> {
  const { points: left, kept, representatives } = await removeDuplicatePoints(points, { tolerance });
  const expected = naiveRepresentatives(points, tolerance);
  expect([...representatives]).toEqual(expected);
  expect([...kept]).toEqual([...new Set(expected)].sort((a, b) => a - b));
  const rows = [...kept].flatMap((row) => [
    ...points.data.subarray(row * points.cols, (row + 1) * points.cols),
  ]);
  expect([...left.data]).toEqual(rows);
  expect(left.data.constructor).toBe(points.data.constructor);
}

describe("duplicates are left out", () => {
  it.each(Object.keys(clouds))("of points that are %s", async (name) => {
    const random = new Random(seed);
    const { train } = inputOf(name, 200, random.int(1, 4), random, random.pick([true, false]));
    const { data, cols } = train;
    // The distance of two of the points, so that some lie at the tolerance itself.
    const [i, j] = [random.int(0, 200), random.int(0, 200)];
    let sum = 0;
    for (let col = 0; col < cols; col++) sum += (data[i * cols + col] - data[j * cols + col]) ** 2;
    for (const tolerance of [0, 1e-6, 0.02, 0.3, Math.sqrt(sum), 1e200, Infinity]) {
      await check(train, tolerance);
    }
  });

  it("where squares of differences vanish, cells have no numbers of their own, or zeros have signs", async () => {
    const tiny = Float64Array.of(1e-170, 0, -0, 2e-163, 3e-162, -3e-162, 5e-324);
    for (const tolerance of [0, 5e-324, 1e-300, 3e-162]) {
      await check({ data: tiny, rows: 7, cols: 1 }, tolerance);
    }
    const huge = Float64Array.of(2 ** 53, 2 ** 53 + 2, 1e300, -1e300, 1.7e308, -1.7e308, 2 ** 53 - 1);
    for (const tolerance of [0, 1, 2, 1e300, 1.7e308])
      await check({ data: huge, rows: 7, cols: 1 }, tolerance);
  });

  it("in time, though all lie in one place or far more than their tolerance apart", async () => {
    const random = new Random(seed);
    const rows = 100_000;
    const equal = { data: new Float32Array(rows * 3).fill(0.1), rows, cols: 3 };
    expect((await removeDuplicatePoints(equal, { tolerance: 1 })).kept).toEqual(Uint32Array.of(0));
    const far = { data: Float64Array.from({ length: rows * 3 }, () => random.uniform()), rows, cols: 3 };
    expect((await removeDuplicatePoints(far, { tolerance: 1e-300 })).kept.length).toBe(rows);
    expect((await removeDuplicatePoints(far, { tolerance: 0.5 })).kept.length).toBeLessThan(100);
  }, 20_000);

  it("but not of points or by tolerances that mean nothing, nor once the signal is aborted", async () => {
    await expect(removeDuplicatePoints([[1]], { tolerance: -1 })).rejects.toThrow(
      "tolerance is -1; expected a number of at least 0",
    );
    await expect(removeDuplicatePoints([[1]], { tolerance: "1" as never })).rejects.toThrow(/tolerance is 1/);
    await expect(removeDuplicatePoints([[1, NaN]])).rejects.toThrow(/is NaN/);
    await expect(removeDuplicatePoints([[1, 2, 3, 4]])).rejects.toThrow(/at most 3/);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(removeDuplicatePoints([[1]], { signal })).rejects.toThrow("enough");
  });
});
