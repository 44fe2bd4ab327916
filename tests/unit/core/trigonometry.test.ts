/**
 * Our ports of fdlibm's acos, asin, sin and cos. V8 has ports of the same algorithms, so where these tests
 * run the bits of acos and asin must be those of Math; of sin and cos, whose reduction may differ, to an ulp.
 */
import { describe, expect, it } from "vitest";
import { acos, asin, cos, sin } from "../../../src/core/float/trigonometry.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const random = new Random(printedSeed());

const edges = [
  0,
  -0,
  0.5,
  -0.5,
  0.975,
  -0.975,
  1,
  -1,
  2 ** -57,
  2 ** -26,
  2 ** -28,
  1 + 2 ** -52,
  NaN,
  Infinity,
];

describe("the arcs equal V8's, bit for bit,", () => {
  const cosine = () => random.uniform(-1, 1) * 2 ** -random.int(0, 60);
  const nearOne = () => (random.int(0, 2) * 2 - 1) * (1 - random.uniform(0, 1) * 2 ** -random.int(0, 53));

  it.each([
    ["acos", acos, (x: number) => Math.acos(x)],
    ["asin", asin, (x: number) => Math.asin(x)],
  ] as const)("%s", (_, ours, theirs) => {
    for (const x of edges) expect(ours(x), `of ${x}`).toBe(theirs(x));
    for (let i = 0; i < 200_000; i++) {
      const x = i % 2 === 0 ? cosine() : nearOne();
      if (!Object.is(ours(x), theirs(x))) expect.fail(`of ${x} is ${ours(x)}, but V8 says ${theirs(x)}`);
    }
  });
});

describe("sin and cos", () => {
  it("are within an ulp of V8's over ten turns", () => {
    for (let i = 0; i < 200_000; i++) {
      const x = random.uniform(-63, 63) * 2 ** -random.int(0, 5);
      expectNear(sin(x), Math.sin(x), x);
      expectNear(cos(x), Math.cos(x), x);
    }
  });

  it("are accurate next to multiples of a quarter turn, where bits cancel", () => {
    expect(sin(Math.PI)).toBe(1.2246467991473532e-16);
    expect(cos(Math.PI / 2)).toBe(6.123233995736766e-17);
    expect(cos(3 * (Math.PI / 2))).toBe(-1.8369701987210297e-16);
    expect([sin(0), sin(-0), cos(0)]).toEqual([0, -0, 1]);
    expect([sin(NaN), cos(NaN)]).toEqual([NaN, NaN]);
  });
});

function expectNear(found: number, expected: number, x: number): void {
  if (Math.abs(found - expected) <= Math.abs(expected) * 2 ** -52) return;
  expect.fail(`of ${x} is ${found}, but V8 says ${expected}`);
}
