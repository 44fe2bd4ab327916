/** What a job tells of a device's speed. */
import { describe, expect, it } from "vitest";
import type { Step } from "../../../src/runtime/backend.ts";
import type { Done, Job } from "../../../src/runtime/program.ts";
import { updatedRate } from "../../../src/runtime/rate.ts";

const run = { kind: "run" } as Step;
const job = (work: number, steps: number): Job => ({
  segment: { label: "job", buffers: [], steps: Array.from({ length: steps }, () => run) },
  cost: work,
  units: 1,
});
const took = (ms: number, compiled = false): Done => ({
  kind: "done",
  ...{ ms, compiled, downloads: new Map(), dispatches: 9, work: 0 },
});

describe("the rate after a job", () => {
  it("is what was measured, where steps were long enough to tell", () => {
    expect(updatedRate(1e9, job(1e6, 2), took(40))).toBe(2.5e7);
    expect(updatedRate(1e9, job(1e6, 100), took(2000))).toBe(5e5);
  });

  it("does not fall where most of them is latency: a small search says nothing of large ones", () => {
    expect(updatedRate(1e9, job(1e6, 2), took(39))).toBe(1e9);
    expect(updatedRate(1e9, job(1e6, 100), took(1999))).toBe(1e9);
  });

  it("rises whatever the steps took, by at most four times", () => {
    expect(updatedRate(1e9, job(2e6, 100), took(1))).toBe(2e9);
    expect(updatedRate(1e9, job(1e9, 1), took(1))).toBe(4e9);
  });

  it("stays where shaders were compiled meanwhile", () => {
    expect(updatedRate(1e9, job(1e6, 1), took(5000, true))).toBe(1e9);
    expect(updatedRate(1e9, job(1e12, 1), took(10, true))).toBe(1e9);
  });
});
