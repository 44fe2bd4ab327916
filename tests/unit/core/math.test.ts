/** The helpers on exponents and float32 rounding, at every exponent there is. */
import { describe, expect, it } from "vitest";
import {
  clamp,
  exponentOf,
  froundUp,
  roundDown,
  roundUp,
  scaleByPowerOfTwo,
  twoTo,
} from "../../../src/core/math.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const random = new Random(printedSeed());

describe("exponents", () => {
  it("are exact at, just below and just above every power of two", () => {
    for (let e = -1074; e <= 1023; e++) {
      const power = twoTo(e);
      expect(exponentOf(power)).toBe(e + 1);
      expect(exponentOf(-power)).toBe(e + 1);
      if (e > -1022) {
        expect(exponentOf(power * (1 - 2 ** -53))).toBe(e);
        expect(exponentOf(power * (1 + 2 ** -52))).toBe(e + 1);
      }
    }
    expect(exponentOf(Number.MAX_VALUE)).toBe(1024);
    expect(exponentOf(0)).toBe(-Infinity);
  });

  it("give powers of two without a detour through rounding", () => {
    expect([twoTo(-1074), twoTo(-1023), twoTo(0), twoTo(1023), twoTo(1024)]).toEqual([
      5e-324,
      2 ** -1023,
      1,
      2 ** 1023,
      Infinity,
    ]);
  });

  it("scale across the whole range and back", () => {
    for (let i = 0; i < 2000; i++) {
      const value = random.uniform(1, 2);
      const e = random.int(-1000, 1000);
      expect(scaleByPowerOfTwo(scaleByPowerOfTwo(value, e), -e)).toBe(value);
    }
    expect(scaleByPowerOfTwo(5e-324, 2000)).toBe(2 ** 926);
    expect(scaleByPowerOfTwo(2 ** 926, -2000)).toBe(5e-324);
  });
});

describe("rounding up to float32", () => {
  const previous = (value: number) => {
    const bits = new Int32Array(Float32Array.of(value).buffer);
    bits[0] += value > 0 ? -1 : 1;
    return new Float32Array(bits.buffer)[0];
  };

  it("gives the smallest float32 that is not below the value, at every exponent", () => {
    for (let e = -149; e <= 127; e++) {
      for (const value of [
        random.uniform(1, 2) * 2 ** e,
        -random.uniform(1, 2) * 2 ** e,
        2 ** e,
        2 ** e * (1 + 2 ** -40),
      ]) {
        const up = froundUp(value);
        expect(Math.fround(up)).toBe(up);
        expect(up).toBeGreaterThanOrEqual(value);
        if (up !== 0) expect(previous(up)).toBeLessThan(value);
      }
    }
  });

  it("keeps what is a float32 and never falls to zero", () => {
    expect([froundUp(0.5), froundUp(0), froundUp(1e-60), froundUp(2 ** -149)]).toEqual([
      0.5,
      0,
      2 ** -149,
      2 ** -149,
    ]);
    expect(froundUp(3.5e38)).toBe(Infinity);
  });
});

describe("whole steps", () => {
  it("round to multiples and keep within limits", () => {
    expect([roundUp(0, 4), roundUp(1, 4), roundUp(4, 4), roundUp(5, 4)]).toEqual([0, 4, 4, 8]);
    expect([roundDown(3, 4), roundDown(4, 4), roundDown(7.9, 4)]).toEqual([0, 4, 4]);
    expect([clamp(-1, 0, 2), clamp(1, 0, 2), clamp(3, 0, 2)]).toEqual([0, 1, 2]);
  });
});
