/** Our ports of fdlibm's exp and log against stdlib's, bit for bit, and against exact values. */
import stdlibExp from "@stdlib/math-base-special-exp";
import stdlibLog from "@stdlib/math-base-special-ln";
import { describe, expect, it } from "vitest";
import { exp, log } from "../../../src/core/float/explog.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const random = new Random(printedSeed());

function expectEqualBits(
  ours: (x: number) => number,
  theirs: (x: number) => number,
  value: () => number,
  count = 100_000,
) {
  for (let i = 0; i < count; i++) {
    const x = value();
    if (!Object.is(ours(x), theirs(x))) expect.fail(`of ${x} is ${ours(x)}, but stdlib says ${theirs(x)}`);
  }
}

const anyPositive = () => random.uniform(0.5, 1) * 2 ** random.int(-1073, 1024);
const edges = [
  0,
  -0,
  1,
  -1,
  0.5,
  2,
  2 ** -28,
  -(2 ** -28),
  5e-324,
  2 ** -1022,
  709.78,
  710,
  Infinity,
  -Infinity,
  NaN,
];

describe("exp equals stdlib's, bit for bit,", () => {
  it("where results are normal numbers", () => {
    expectEqualBits(exp, stdlibExp, () => random.uniform(-708, 709.7));
    expectEqualBits(exp, stdlibExp, () => random.uniform(-2, 2) * 2 ** random.int(-40, 2));
  });

  it("at the edges", () => {
    for (const x of edges) expect(exp(x), `exp(${x})`).toBe(stdlibExp(x));
    for (const n of [1, 2, 3, 700, 1023]) {
      const x = n * Math.LN2 + 0.5 * Math.LN2;
      expectEqualBits(exp, stdlibExp, () => x + random.int(-50, 50) * 2 ** -43, 1000);
    }
  });
});

describe("exp", () => {
  it("rounds once among the subnormals, within an ulp", () => {
    for (let i = 0; i < 1000; i++) {
      const x = random.uniform(-744, -709);
      expect(Math.abs(exp(x) - exp(x / 2) * exp(x / 2))).toBeLessThanOrEqual(2 ** -1073);
    }
    expect([exp(-745), exp(-745.2), exp(-746)]).toEqual([5e-324, 0, 0]);
  });
});

describe("log equals stdlib's, bit for bit,", () => {
  it("for values of every size", () => expectEqualBits(log, stdlibLog, anyPositive));

  it("next to 1 and between the powers of two", () => {
    expectEqualBits(log, stdlibLog, () => 1 + random.uniform(-1, 1) * 2 ** random.int(-50, 0));
    expectEqualBits(log, stdlibLog, () => random.uniform(1, 2));
  });

  it("at the edges, zero and below", () => {
    for (const x of [...edges, Math.SQRT2, 1 + 2 ** -21, 1 - 2 ** -22])
      expect(log(x), `log(${x})`).toBe(stdlibLog(x));
  });
});
