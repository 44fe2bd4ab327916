/** How the queries of byte rows are cut into jobs. */
import { expect, it } from "vitest";
import { byteQueries } from "../../../src/ops/knn/plan/bytes/rows.ts";

it.each([
  ["all of them where the host has little to read", 10_000, 10, 10_000],
  ["half of them where it has more", 10_000, 100, 5000],
  ["all that are left once that is little", 5000, 100, 5000],
  ["those of so many neighbours as it reads at a time", 10_000, 1000, 4194],
  ["no fewer than are worth a job", 1100, 1000, 1024],
  ["no more than a job may have", 100_000, 1, 16_384],
])("a job of byte rows has %s", (_, left, k, most) => {
  expect(byteQueries(left, k)).toBe(most);
});
