/** Our port of fdlibm's pow against stdlib's, bit for bit, and against the exact powers of two. */
import stdlibPow from "@stdlib/math-base-special-pow";
import { describe, expect, it } from "vitest";
import { pow } from "../../../src/core/float/fdlibm.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const random = new Random(printedSeed());

/**
 * Results below this are left out: stdlib returns 0 where the correctly rounded result is the smallest
 * subnormal.
 */
const SMALLEST_COMPARED = 1e-320;

function expectEqualPowers(base: () => number, exponent: () => number, count = 100_000): void {
  for (let i = 0; i < count; i++) {
    const [x, y] = [base(), exponent()];
    const expected = stdlibPow(x, y);
    if (expected < SMALLEST_COMPARED && expected !== 0) continue;
    const found = pow(x, y);
    if (expected === 0 && found < SMALLEST_COMPARED) continue;
    if (!Object.is(found, expected)) expect.fail(`pow(${x}, ${y}) is ${found}, but stdlib says ${expected}`);
  }
}

describe("pow equals stdlib's, bit for bit,", () => {
  const anyPositive = () => random.uniform(0.5, 1) * 2 ** random.int(-1073, 1024);
  const pick =
    (...values: number[]) =>
    () =>
      random.pick(values);

  it("for the exponents of common Minkowski distances and their roots", () => {
    const exponents = [0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 7.3, 20];
    expectEqualPowers(anyPositive, pick(...exponents, ...exponents.map((p) => 1 / p)));
  });

  it("for bases and exponents of every size", () => {
    expectEqualPowers(anyPositive, () => random.uniform(-2, 2) * 2 ** random.int(-60, 11));
  });

  it("for bases next to 1", () => {
    const nextToOne = () => 1 + random.int(-1000, 1000) * 2 ** -52;
    expectEqualPowers(nextToOne, () => random.uniform(-1, 1) * 2 ** random.int(0, 62));
  });

  it("at the edges of its tables, whole numbers, subnormals, zero and infinity", () => {
    const edges = [
      0,
      5e-324,
      2 ** -1022,
      Math.sqrt(1.5),
      Math.sqrt(3),
      1,
      1.5,
      2,
      10,
      2 ** 53,
      Number.MAX_VALUE,
      Infinity,
    ];
    expectEqualPowers(
      pick(...edges),
      pick(-2, -1, -0.5, 0, 1e-300, 0.1, 1 / 3, 0.5, 1, 2, 3, 4, 1e300),
      5000,
    );
  });
});

describe("pow", () => {
  it("gives exact powers of two, among the subnormals too", () => {
    for (let n = -214; n <= 204; n++) expect(pow(32, n)).toBe(2 ** (5 * n));
  });

  it("is NaN for what no distance needs: negative bases, infinite or undefined exponents", () => {
    expect([pow(-1, 2), pow(NaN, 2), pow(2, Infinity), pow(2, NaN)]).toEqual([NaN, NaN, NaN, NaN]);
  });
});
