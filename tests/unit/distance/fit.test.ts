/** The look at training rows on a CPU: it reads values once, and misses none that is not finite. */
import { describe, expect, it } from "vitest";
import { atOnce } from "../../../src/core/async/yielding.ts";
import { InvalidInputError } from "../../../src/core/errors.ts";
import { fit } from "../../../src/distance/fit.ts";
import type { BackendInfo } from "../../../src/runtime/backend.ts";

const cpu = { kind: "cpu" } as BackendInfo;
const [rows, cols] = [300, 256];

/** Fits whole numbers, of which one may be something else, in two slices. */
function fitted(value: number, at: number, assumeFrom?: number) {
  const data = Float32Array.from({ length: rows * cols }, (_, i) => (i * 7) % 251);
  data[at] = value;
  return atOnce(fit(cpu, { data, rows, cols }, { metric: "euclidean", tiles: { assumeFrom } }, undefined));
}

describe("the look at training rows", () => {
  it("names the first value that is not finite, in whichever slice, early or late", () => {
    for (const assumeFrom of [0, undefined]) {
      for (const value of [NaN, Infinity, -Infinity]) {
        for (const row of [0, rows - 1]) {
          const fitting = () => fitted(value, row * cols + 3, assumeFrom);
          expect(fitting).toThrow(InvalidInputError);
          expect(fitting).toThrow(`train row ${row}, column 3 is ${value}`);
        }
      }
    }
  });

  it("finds the same range early or late, and knows whole numbers", () => {
    for (const value of [5, 0.5]) {
      const { finite, ...late } = fitted(value, 1000, 0).range;
      expect(finite).toBe(true);
      expect(fitted(value, 1000).range).toEqual({ ...late, finite });
      expect(late.exact).toBe(value === 5);
    }
  });
});
