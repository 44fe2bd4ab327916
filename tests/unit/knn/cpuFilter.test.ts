/** What `knn.mixedFilter` takes on the CPU, before anything is given to workers. */
import { expect, it } from "vitest";
import type { DistanceCore } from "../../../src/ops/knn/contract/filter.ts";
import type { PairMixed } from "../../../src/distance/contract/mixed.ts";
import { runKnnFilter } from "../../../src/ops/knn/cpu/filter.ts";
import type { KnnBuffers, KnnContext } from "../../../src/ops/knn/cpu/filter.ts";
import type { KnnParams } from "../../../src/ops/knn/cpu/filterRequest.ts";

const params = { p: 1, weight: 1, slack: 0, cut: false, k: 1, capacity: 1, dims: 4, stride: 4 };
const rows = { queryRows: 1, refBegin: 0, refRows: 1, refOffset: 0 };
const gapsOnly: PairMixed = { codes: 0, unit: 1, gaps: true, mark: 0, counts: false };

const run = (core: DistanceCore, mixed: PairMixed) => {
  const nothing: unknown = {};
  const asked: KnnParams = { ...params, ...rows, core, mixed };
  return runKnnFilter(asked, nothing as KnnBuffers, nothing as KnnContext);
};

it.each([
  ["l1", { ...gapsOnly, codes: 4 }],
  ["linf", { ...gapsOnly, codes: 4 }],
  ["l1", { ...gapsOnly, gaps: false }],
  ["lp", gapsOnly],
  ["dot", gapsOnly],
] as const)("the core %s is refused with %j", async (core, mixed) => {
  await expect(run(core, mixed)).rejects.toThrow(`knn.mixedFilter with the core ${core}`);
});

it.each([
  ["l2", { ...gapsOnly, codes: 4 }],
  ["l2", { ...gapsOnly, codes: 4, gaps: false }],
  ["l1", gapsOnly],
  ["linf", gapsOnly],
] as const)("the core %s is taken with %j, and asks for its buffers", async (core, mixed) => {
  await expect(run(core, mixed)).rejects.toThrow("the filter needs 16 bytes of queries, which has 0");
});
