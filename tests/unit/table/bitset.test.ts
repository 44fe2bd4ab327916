import { describe, expect, it } from "vitest";
import { Bitset } from "../../../src/table/bitset.ts";

describe("a bitset", () => {
  it.each([0, 1, 31, 32, 33, 64, 97])(
    "of %i bits starts all 0, or all 1 with nothing beyond its length",
    (length) => {
      expect(new Bitset(length).count()).toBe(0);
      const full = Bitset.full(length);
      expect(full.count()).toBe(length);
      expect(full.firstClear()).toBe(-1);
      for (let bit = 0; bit < length; bit++) expect(full.get(bit)).toBe(true);
    },
  );

  it("sets and clears single bits", () => {
    const bits = new Bitset(70);
    const wanted = new Set([0, 31, 32, 63, 69]);
    for (const bit of wanted) bits.set(bit);
    for (let bit = 0; bit < 70; bit++) expect(bits.get(bit)).toBe(wanted.has(bit));
    bits.clear(31);
    bits.clear(30);
    expect([bits.get(31), bits.get(30), bits.get(32), bits.count()]).toEqual([false, false, true, 4]);
  });

  it.each([0, 1, 30, 31, 32, 33, 63])(
    "takes the bits of another from bit %i on, and keeps its own",
    (begin) => {
      for (const length of [0, 1, 2, 31, 32, 33, 64, 65]) {
        const part = new Bitset(length);
        for (let bit = 0; bit < length; bit++) if ((bit * 7) % 3 === 0) part.set(bit);
        for (const whole of [new Bitset(begin + length + 5), Bitset.full(begin + length + 5)]) {
          const outside = whole.count() > 0;
          whole.copyFrom(part, begin);
          for (let bit = 0; bit < whole.length; bit++) {
            const within = bit >= begin && bit < begin + length;
            expect(whole.get(bit)).toBe(within ? part.get(bit - begin) : outside);
          }
        }
      }
    },
  );

  it("finds the first bit that is 0", () => {
    const bits = Bitset.full(100);
    bits.clear(77);
    bits.clear(40);
    expect(bits.firstClear()).toBe(40);
  });
});
