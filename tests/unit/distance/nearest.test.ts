import { expect, it } from "vitest";
import { FEWEST_SHARED, isShareable } from "../../../src/distance/exact/allPairs.ts";
import type { MetricName } from "../../../src/distance/metric.ts";

const rows = { begin: 0, end: 64 };
const cols = FEWEST_SHARED / 2 ** 16;
const train = { data: new Float32Array(1024 * cols), rows: 1024, cols };
const all = { options: { metric: "canberra" as MetricName }, train, rows, k: 3 };

it("is shared out by several threads where it is long enough", () => {
  expect(isShareable(all, 2)).toBe(true);
  expect(isShareable({ ...all, rows: Uint32Array.from({ length: 64 }) }, 2)).toBe(true);
  expect(isShareable({ ...all, rows: { begin: 0, end: 63 } }, 2)).toBe(false);
  expect(isShareable({ ...all, rows: { begin: 0, end: 1 } }, 2, 0)).toBe(true);
});

it("is not shared out by one thread, with precomputed distances, and with more neighbours than may be held", () => {
  expect(isShareable(all, 1)).toBe(false);
  expect(isShareable({ ...all, options: { metric: "precomputed" } }, 2)).toBe(false);
  expect(isShareable({ ...all, k: 2 ** 18 }, 2)).toBe(true);
  expect(isShareable({ ...all, k: 2 ** 18 + 1 }, 2)).toBe(false);
});
