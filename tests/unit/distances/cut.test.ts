/** How many queries a GPU takes at a time, from sizes alone. */
import { expect, it } from "vitest";
import type { Filter } from "../../../src/distance/forms/filter.ts";
import type { ReferenceLayout } from "../../../src/distance/layout.ts";
import { cutFor } from "../../../src/ops/distances/plan/cut.ts";
import type { DistancesPlan } from "../../../src/ops/distances/plan/distancesPlan.ts";

/** The cut of a large GPU for so many references, all of them in one buffer. */
function cutOf(trainRows: number, queryRows: number) {
  const plan = {
    problem: { trainRows, queryRows, cols: 128, precision: "float32", train: {}, queries: {} },
    ask: { bins: 5, range: "query", self: undefined },
    device: { bufferBytes: 2 ** 37 },
    tuning: {},
    budget: 2 ** 37,
    rate: 1e13,
    observed: true,
    open: { fixed: 0, float64: 0 },
    whole: undefined,
    counted: 0,
    ranged: 0,
  } as unknown as DistancesPlan;
  const filter = { dims: 128, train: {}, queries: {} } as unknown as Filter;
  const layout = { chunks: 1, chunkRows: trainRows, resident: true } as unknown as ReferenceLayout;
  return cutFor(plan, filter, layout, true);
}

it("keeps a gibibyte of values, of as many whole tiles of queries as that holds", () => {
  expect(cutOf(500_000, 10_000)).toMatchObject({ queries: 512, passes: "kept" });
  expect(cutOf(100_000, 10_000)).toMatchObject({ queries: 1024, passes: "kept" });
  expect(cutOf(1_000_000, 100)).toMatchObject({ queries: 100, passes: "kept" });
});

it("keeps more than that for the queries that a GPU needs to be fast", () => {
  expect(cutOf(10_000_000, 10_000)).toMatchObject({ queries: 128, passes: "kept" });
});
