/** Axes: orthonormal up to the defect that is reported, and along what rows differ by most. */
import { describe, expect, it } from "vitest";
import { coordinates, defectOf, principalAxes } from "../../../src/distance/axes.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const seed = printedSeed();

/** Rows that spread by `spread[j]` in column j. */
function rowsOf(random: Random, count: number, spread: readonly number[]): Float32Array {
  return Float32Array.from(
    { length: count * spread.length },
    (_, at) => random.normal() * spread[at % spread.length],
  );
}

function dot(axes: Float64Array, stride: number, a: number, b: number): number {
  let sum = 0;
  for (let j = 0; j < stride; j++) sum += axes[a * stride + j] * axes[b * stride + j];
  return sum;
}

describe("principal axes", () => {
  it("are orthonormal to the last few bits, whatever the spread", () => {
    const random = new Random(seed);
    for (const spread of [
      [1, 1, 1, 1, 1, 1, 1, 1],
      [100, 30, 1, 1e-3, 1e-6, 1, 1, 1],
      [1e-30, 1, 1, 1],
    ]) {
      const stride = spread.length;
      const axes = principalAxes(rowsOf(random, 40, spread), stride, 3);
      expect(defectOf(axes, stride)).toBeLessThan(1e-13);
      for (let a = 0; a < 3; a++) {
        for (let b = 0; b < 3; b++)
          expect(Math.abs(dot(axes, stride, a, b) - Number(a === b))).toBeLessThan(1e-14);
      }
    }
  });

  it("point where rows differ most, the largest first", () => {
    const spread = [0.1, 9, 0.1, 0.2, 40, 0.1, 0.1, 0.3];
    const axes = principalAxes(rowsOf(new Random(seed + 1), 300, spread), 8, 2);
    expect(Math.abs(axes[4])).toBeGreaterThan(0.99);
    expect(Math.abs(axes[8 + 1])).toBeGreaterThan(0.99);
  });

  it("are zero where rows have no further direction", () => {
    const rows = Float32Array.from({ length: 5 * 8 }, (_, at) => (at % 8 === 2 ? at : 0));
    const axes = principalAxes(rows, 8, 3);
    expect(axes.subarray(8).every((x) => x === 0)).toBe(true);
    expect(axes.subarray(0, 8).map(Math.abs)).toEqual(Float64Array.of(0, 0, 1, 0, 0, 0, 0, 0));
  });

  it("follow every row, also where the first ones have no direction", () => {
    const rows = Float32Array.from({ length: 9 * 8 }, (_, at) => (at === 7 * 8 + 5 ? 3 : 0));
    expect(Math.abs(principalAxes(rows, 8, 3)[5])).toBe(1);
  });

  it("give coordinates as plain dot products", () => {
    const random = new Random(seed + 2);
    const rows = rowsOf(random, 3, [1, 1, 1, 1]);
    const axes = Float64Array.from({ length: 8 }, () => random.normal());
    const along = coordinates(rows, axes, 4);
    expect(along[2 * 2 + 1]).toBeCloseTo(
      rows[8] * axes[4] + rows[9] * axes[5] + rows[10] * axes[6] + rows[11] * axes[7],
      12,
    );
  });

  it("have a defect that covers how far any vector's length is from its coordinates'", () => {
    const random = new Random(seed + 3);
    for (let i = 0; i < 50; i++) {
      const skew = 10 ** -random.int(1, 12);
      const axes = principalAxes(rowsOf(random, 20, [1, 1, 1, 1]), 4, 4).map(
        (x) => x + skew * random.normal(),
      );
      const defect = defectOf(axes, 4);
      for (let a = 0; a < 4; a++) {
        expect(Math.abs(dot(axes, 4, a, a) - 1)).toBeLessThanOrEqual(defect);
      }
      expect(defect).toBeLessThan(100 * skew + 1e-13);
    }
  });
});

it("an axis without a direction is none: it leaves no defect", () => {
  // Rows along two columns alone give no third axis.
  const rows = Float32Array.from({ length: 40 * 8 }, (_, at) => (at % 8 < 2 ? ((at * 7919) % 101) - 50 : 0));
  const axes = principalAxes(rows, 8, 3);
  expect([...axes.subarray(16)].every((x) => x === 0)).toBe(true);
  expect(defectOf(axes, 8)).toBeLessThan(1e-12);
  expect(defectOf(Float64Array.of(1, 0, 0.5, 0), 2)).toBeGreaterThan(0.5);
});
