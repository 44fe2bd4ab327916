/** Which memory the main thread's windows are in, told by times that are made up. */
import { describe, expect, it } from "vitest";
import { compareCopies } from "../../../src/runtime/cpu/copies.ts";

describe("windows of the main thread", () => {
  it.each([
    [1, 2, "private"],
    [2, 1, "shared"],
    [1, 1, "private"],
  ])("where private memory takes %d and shared %d: %s", (own, shared, expected) => {
    const found = compareCopies(({ buffer }) => (buffer instanceof SharedArrayBuffer ? shared : own));
    expect(found).toBe(expected);
  });
});
