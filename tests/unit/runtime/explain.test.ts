/** How an explanation writes counts. */
import { expect, it } from "vitest";
import { grouped } from "../../../src/runtime/explain.ts";

it.each([0, 7, 999, 1000, 12_345, 100_000, 1_234_567, 2 ** 53])(
  "groups the digits of %d by three",
  (count) => {
    expect(grouped(count)).toBe(count.toLocaleString("en-US"));
  },
);
