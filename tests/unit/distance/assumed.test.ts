/** What is assumed of rows that nobody looked at: what a device sees violates it or does not. */
import { describe, expect, it } from "vitest";
import { seenBuffer, violatedBy, widenedRange } from "../../../src/distance/assumed.ts";
import { MOST_ON_DEVICE } from "../../../src/distance/forms/preparers.ts";
import type { PairProblem } from "../../../src/distance/problem.ts";

const range = { largest: 8, exact: false, single: true, assumed: true } as const;
const problem = { train: range, queries: { ...range, largest: 2 } } as PairProblem;

function seen(train?: number, queries?: number) {
  const downloads = new Map<string, ArrayBuffer>();
  if (train !== undefined) downloads.set(seenBuffer("train"), Float32Array.of(train).buffer);
  if (queries !== undefined) downloads.set(seenBuffer("queries"), Float32Array.of(queries).buffer);
  return { downloads };
}

/** Returns what of it violates the problem's ranges. */
function violated(output: ReturnType<typeof seen>) {
  return violatedBy({ problem }, output)?.violated;
}

describe("what a device saw", () => {
  it("violates nothing up to what was assumed, nor where it saw nothing", () => {
    for (const [train, queries] of [[], [8], [0, 2], [undefined, 2]])
      expect(violated(seen(train, queries))).toBeUndefined();
  });

  it("violates what was assumed of a side beyond that, also by what is not finite", () => {
    const above = Math.fround(8 * (1 + 2 ** -23));
    expect(violated(seen(above, 1))).toEqual([above, 1]);
    expect(violated(seen(7, Infinity))).toEqual([7, Infinity]);
    expect(violated(seen(9, 3))).toEqual([9, 3]);
  });

  it("makes a range that ends with it, whose other facts stay", () => {
    expect(widenedRange(range, 100)).toEqual({ ...range, largest: 100, seen: true });
    expect(widenedRange({ ...range, exact: true }, 100)).toMatchObject({ exact: true, assumed: true });
  });

  it("leaves a range that holds, or that somebody found", () => {
    const found = { ...range, assumed: false };
    expect(widenedRange(range, 0)).toBe(range);
    expect(widenedRange(range, 8)).toBe(range);
    expect(widenedRange(found, 100)).toBe(found);
  });

  it("makes one that no device takes of a value that is too large or not finite", () => {
    for (const value of [2 ** 126, 3e38, Infinity])
      expect(widenedRange(range, value)).toMatchObject({ largest: MOST_ON_DEVICE });
    expect(widenedRange(range, 2 ** 125)).toMatchObject({ largest: 2 ** 125 });
  });
});
