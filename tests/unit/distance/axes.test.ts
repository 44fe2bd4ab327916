/** Axes: orthonormal up to the defect that is reported, and along what rows differ by most. */
import { describe, expect, it } from "vitest";
import { defectOf, principalAxes, products } from "../../../src/distance/axes.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const seed = printedSeed();

/** Rows that spread by `spread[j]` in column j. */
function rowsOf(random: Random, count: number, spread: readonly number[]): Float64Array {
  return Float64Array.from(
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
    const rows = Float64Array.from({ length: 5 * 8 }, (_, at) => (at % 8 === 2 ? at : 0));
    const axes = principalAxes(rows, 8, 3);
    expect(axes.subarray(8).every((x) => x === 0)).toBe(true);
    expect(axes.subarray(0, 8).map(Math.abs)).toEqual(Float64Array.of(0, 0, 1, 0, 0, 0, 0, 0));
  });

  it("follow every row, also where the first ones have no direction", () => {
    const rows = Float64Array.from({ length: 9 * 8 }, (_, at) => (at === 7 * 8 + 5 ? 3 : 0));
    expect(Math.abs(principalAxes(rows, 8, 3)[5])).toBe(1);
  });

  it("come from dot products of every row with every other, whatever their numbers", () => {
    const random = new Random(seed + 2);
    const depth = random.int(1, 9);
    for (const [count, width] of [
      [1, 1],
      [2, 4],
      [3, 6],
      [5, 7],
    ]) {
      const [rows, others] = [count, width].map((length) =>
        Float64Array.from({ length: length * depth }, () => random.normal()),
      );
      const found = products(rows, others, depth);
      expect(found.length).toBe(count * width);
      for (const [at, product] of found.entries()) {
        const [i, k] = [Math.floor(at / width), at % width];
        let sum = 0;
        for (let j = 0; j < depth; j++) sum += rows[i * depth + j] * others[k * depth + j];
        expect(product).toBeCloseTo(sum, 12);
      }
    }
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
  const rows = Float64Array.from({ length: 40 * 8 }, (_, at) => (at % 8 < 2 ? ((at * 7919) % 101) - 50 : 0));
  const axes = principalAxes(rows, 8, 3);
  expect([...axes.subarray(16)].every((x) => x === 0)).toBe(true);
  expect(defectOf(axes, 8)).toBeLessThan(1e-12);
  expect(defectOf(Float64Array.of(1, 0, 0.5, 0), 2)).toBeGreaterThan(0.5);
});
