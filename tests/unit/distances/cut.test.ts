/** How many queries a GPU takes at a time, from sizes alone. */
import { describe, expect, it } from "vitest";
import type { Filter } from "../../../src/distance/forms/filter.ts";
import type { ReferenceLayout } from "../../../src/distance/layout.ts";
import { cutFor } from "../../../src/ops/distances/plan/cut.ts";
import type { DistancesPlan } from "../../../src/ops/distances/plan/distancesPlan.ts";
import { withRate, type WidthRates } from "../../../src/ops/distances/plan/widths.ts";

interface Device {
  readonly budget?: number;
  readonly rates?: WidthRates;
}

/** The cut of a large GPU for so many references, all of them in one buffer. */
function cutOf(trainRows: number, queryRows: number, { budget = 2 ** 37, rates = [] }: Device = {}) {
  const plan = {
    problem: { trainRows, queryRows, cols: 128, precision: "float32", train: {}, queries: {} },
    ask: { bins: 5, range: "query", self: undefined },
    device: { bufferBytes: 2 ** 37 },
    tuning: {},
    budget,
    rate: 1e13,
    observed: true,
    rates,
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

describe("where the values of few queries fit beside the rows", () => {
  const trainRows = 10_000_000;
  const rowBytes = trainRows * (128 + 4) * 4;
  const room = (queries: number) => rowBytes + queries * (trainRows * 4 + 4096);

  it("weighs keeping them against making those of many twice by the rates of such jobs", () => {
    const few = (rates: WidthRates) => cutOf(trainRows, 10_000, { budget: room(20), rates });
    const measured = few([9e12, undefined, undefined, 3e12]);
    expect(measured).toMatchObject({ passes: "twice" });
    expect(measured.why).toMatch(/only 20 queries fit.*3\.00 times as fast, as measured/);
    const even = few([5e12, undefined, undefined, 3e12]);
    expect(even).toMatchObject({ passes: "kept", queries: 20 });
    expect(even.why).toMatch(/1\.67 times as fast, as measured/);
  });

  it("assumes how fast they are while no such job was timed, and says so", () => {
    const cut = cutOf(trainRows, 10_000, {
      budget: room(20),
      rates: [9e12, undefined, undefined, undefined],
    });
    expect(cut.why).toMatch(/2\.00 times as fast, as assumed/);
    expect(cut.passes).toBe("kept");
    expect(cutOf(trainRows, 10_000, { budget: room(9) }).passes).toBe("twice");
    expect(cutOf(trainRows, 10_000, { budget: room(0.5) })).toMatchObject({
      passes: "twice",
      why: "the values of not one query fit beside the rows",
    });
  });
});

it("takes the rate of a job by its width, if it was long enough to tell", () => {
  const none: WidthRates = [];
  expect(withRate(none, 200, 1e12, 100)).toEqual([1e13, undefined, undefined, undefined]);
  expect(withRate(none, 63, 1e12, 100)).toEqual([undefined, undefined, 1e13, undefined]);
  expect(withRate(none, 15, 1e12, 100)).toBe(none);
  expect(withRate(none, 200, 1e12, 4)).toBe(none);
});
