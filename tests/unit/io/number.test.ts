import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatNumber,
  isRoundedInteger,
  parseNumber,
  plainInteger,
  shortNumber,
} from "../../../src/io/number.ts";

describe("reading numbers", () => {
  it("takes a plain integer the fast way exactly when the slow way prints it the same", () => {
    const digits = fc.oneof(fc.nat().map(String), fc.stringMatching(/^[0-9]{0,18}$/), fc.string());
    fc.assert(
      fc.property(digits, (text) => {
        const slow = parseNumber(text, ".");
        const plain = /^\d{1,15}$/.test(text) && formatNumber(slow!) === text;
        expect(plainInteger(text)).toBe(plain ? slow : -1);
      }),
    );
  });

  it.each([".", ","] as const)("takes a short number with %s the fast way to the same bits", (decimal) => {
    const digits = fc.stringMatching(/^[0-9]{0,9}$/);
    const short = fc
      .tuple(fc.constantFrom("", "-"), digits, fc.constantFrom("", decimal), digits)
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(short, fc.stringMatching(/^[-+0-9.,e ]{0,9}$/), fc.string()), (text) => {
        const fast = shortNumber(text, decimal);
        const isShort =
          /^-?\d*[.,]?\d*$/.test(text) && /\d/.test(text) && text.replace(/\D/g, "").length <= 15;
        expect(Number.isNaN(fast)).toBe(!isShort || parseNumber(text, decimal) === undefined);
        if (!Number.isNaN(fast)) expect(fast).toBe(parseNumber(text, decimal));
      }),
      { numRuns: 2000 },
    );
    expect(shortNumber("-0", decimal)).toBe(-0);
  });

  it("knows one decimal separator at a time", () => {
    expect([parseNumber("1.5", "."), parseNumber("1,5", ",")]).toEqual([1.5, 1.5]);
    expect([parseNumber("1,5", "."), parseNumber("1.5", ",")]).toEqual([undefined, undefined]);
  });

  it("does not take NaN or nothing for a number", () => {
    for (const text of ["", " ", "NaN", "nan", "\n1", "1\n", "\u00a01"])
      expect(parseNumber(text, ".")).toBeUndefined();
  });

  it("sees when an integer was rounded", () => {
    expect(isRoundedInteger("9007199254740993", 9007199254740992)).toBe(true);
    expect(isRoundedInteger(" -9007199254740993\t", -9007199254740992)).toBe(true);
    expect(isRoundedInteger("+9007199254740992", 9007199254740992)).toBe(false);
    expect(isRoundedInteger("9007199254740993.5", 9007199254740994)).toBe(false);
  });
});

describe("printing numbers", () => {
  it("reads back to the same bits and never as a rounded integer", () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(".", ","),
        (value, decimal) => {
          const text = formatNumber(value, decimal);
          expect(parseNumber(text, decimal)).toBe(value);
          expect(isRoundedInteger(text, value)).toBe(false);
        },
      ),
      {
        numRuns: 1000,
        examples: [
          [-0, "."],
          [2 ** 64, ","],
          [2 ** 53, "."],
          [5e-324, ","],
          [1e21, "."],
        ],
      },
    );
  });
});
