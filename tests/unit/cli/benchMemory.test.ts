/** Which errors of a bench are a lack of memory, and so the user's mistake. */
import { describe, expect, it } from "vitest";
import { checkFits, hostMemory, sizeError } from "../../../src/cli/bench/memory.ts";
import { InvalidInputError, OutOfMemoryError } from "../../../src/core/errors.ts";

/** V8 throws this for an array of that many elements. */
function refusal(elements: number): unknown {
  try {
    return new Float32Array(elements);
  } catch (error) {
    return error;
  }
}

describe("sizes that do not fit", () => {
  it.each([
    [
      "an array that is too long",
      refusal(1e13),
      "1 x 2 do not fit: Invalid typed array length: 10000000000000",
    ],
    [
      "an array that cannot be had",
      new RangeError("Array buffer allocation failed"),
      "1 x 2 do not fit: Array",
    ],
    [
      "a device without room",
      new OutOfMemoryError("the GPU is full", 5),
      "1 x 2 do not fit: the GPU is full",
    ],
  ])("are told by %s", (_, error, message) => {
    const found = sizeError(error, "1 x 2");
    expect(found).toBeInstanceOf(InvalidInputError);
    expect((found as Error).message).toContain(message);
    expect((found as Error).message).toMatch(/; (or )?choose smaller sizes$/);
    expect((found as Error).cause).toBe(error);
  });

  it("are not told by other errors, which stay what they are", () => {
    const errors = [new RangeError("Maximum call stack size exceeded"), new Error("array length"), undefined];
    expect(errors.map((error) => sizeError(error, "1 x 2"))).toEqual(errors);
  });

  it("are told beforehand by the memory to use, all needs together", () => {
    const needs = [
      { what: "--a", bytes: 600 },
      { what: "--b", bytes: 424 },
    ];
    expect(() => checkFits(needs, 1024)).not.toThrow();
    expect(() => checkFits(needs, 1023)).toThrow(
      "the sizes take 1 KiB of main memory (--a: 600 B, --b: 424 B), but only 1023 B may be used; choose smaller sizes",
    );
  });

  it("are measured by the machine unless a budget is given", () => {
    expect(hostMemory(5)).toBe(5);
    expect(hostMemory(undefined)).toBeGreaterThan(2 ** 28);
  });
});
