import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatNumber,
  isFractionIn,
  largeInteger,
  numberOf,
  parseNumber,
  shortNumberIn,
  shortestNumberIn,
} from "../../../src/io/number.ts";

const shortNumber = (text: string, decimal: "." | ",") => shortNumberIn(text, 0, text.length, decimal);

describe("reading numbers", () => {
  it.each([".", ","] as const)("knows with %s which short number is printed as it is written", (decimal) => {
    const part = fc.stringMatching(/^[0-9]{0,8}$/);
    const zeros = fc.constantFrom("", "0", "00", "000000", "0000000");
    const short = fc
      .tuple(fc.constantFrom("", "-"), zeros, part, fc.constantFrom("", decimal), zeros, part, zeros)
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.oneof(short, fc.stringMatching(/^[0-9]{0,18}$/), fc.string()), (text) => {
        const value = shortNumber(text, decimal);
        const same = !Number.isNaN(value) && formatNumber(value, decimal) === text;
        expect(shortestNumberIn(text, 0, text.length, decimal)).toBe(same ? value : NaN);
        expect(shortestNumberIn(`7${text}7`, 1, 1 + text.length, decimal)).toBe(same ? value : NaN);
      }),
      { numRuns: 3000, examples: [["-0"], ["0.0000010"], ["0.000001"], ["0.0000001"], ["100"], ["5."]] },
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
          /^-?(?!0\d)\d*[.,]?\d*$/.test(text) && /\d/.test(text) && text.replace(/\D/g, "").length <= 15;
        expect(Number.isNaN(fast)).toBe(!isShort || parseNumber(text, decimal) === undefined);
        if (!Number.isNaN(fast)) expect(fast).toBe(parseNumber(text, decimal));
      }),
      { numRuns: 2000 },
    );
    expect(shortNumber("-0", decimal)).toBe(-0);
  });

  it.each([".", ","] as const)(
    "knows with %s the fractions, which are numbers and fit float64",
    (decimal) => {
      const digits = fc.stringMatching(/^[0-9]{0,40}$/);
      const fraction = fc
        .tuple(
          fc.constantFrom("", "-", "+", " "),
          digits,
          fc.constantFrom("", ".", ","),
          digits,
          fc.constantFrom("", " ", "e5"),
        )
        .map((parts) => parts.join(""));
      fc.assert(
        fc.property(fc.oneof(fraction, fc.string()), (text) => {
          const expected = /^-?\d+[.,]\d+$/.test(text) && text.includes(decimal);
          expect(isFractionIn(text, 0, text.length, decimal)).toBe(expected);
          expect(isFractionIn(`1${text}1`, 1, 1 + text.length, decimal)).toBe(expected);
          if (expected) expect(parseNumber(text, decimal)).toBe(numberOf(text, decimal));
        }),
        { numRuns: 2000 },
      );
      const long = (length: number) => "9".repeat(length - 2) + decimal + "9";
      expect([299, 300, 400].map((length) => isFractionIn(long(length), 0, length, decimal))).toEqual([
        true,
        false,
        false,
      ]);
    },
  );

  it("knows one decimal separator at a time", () => {
    expect([parseNumber("1.5", "."), parseNumber("1,5", ",")]).toEqual([1.5, 1.5]);
    expect([parseNumber("1,5", "."), parseNumber("1.5", ",")]).toEqual([undefined, undefined]);
  });

  it("does not take NaN or nothing for a number", () => {
    for (const text of ["", " ", "NaN", "nan", "\n1", "1\n", "\u00a01"])
      expect(parseNumber(text, ".")).toBeUndefined();
  });

  it("sees when an integer was rounded", () => {
    expect(largeInteger("9007199254740993", 9007199254740992)).toBe(9007199254740993n);
    expect(largeInteger(" -9007199254740993\t", -9007199254740992)).toBe(-9007199254740993n);
    expect(largeInteger("1152921504606846976", 2 ** 60)).toBe(2n ** 60n);
    expect(largeInteger("+9007199254740992", 9007199254740992)).toBeUndefined();
    expect(largeInteger("9007199254740993.5", 9007199254740994)).toBeUndefined();
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
          expect(largeInteger(text, value)).toBeUndefined();
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
