/** Plans that begin with few queries a job while kernels compile, walked without a device. */
import { describe, expect, it } from "vitest";
import { OutOfMemoryError } from "../../../src/core/errors.ts";
import type { Segment } from "../../../src/runtime/backend.ts";
import { isRunOf } from "../../../src/runtime/primitive.ts";
import type { Observation } from "../../../src/runtime/program.ts";
import { rowCount } from "../../../src/runtime/source.ts";
import { knnFewFilter } from "../../../src/ops/knn/fewPrimitive.ts";
import { nextJob } from "../../../src/ops/knn/plan/jobs.ts";
import { fewFirst } from "../../../src/ops/knn/plan/meanwhile.ts";
import type { KnnJob, KnnPlan } from "../../../src/ops/knn/plan/knnPlan.ts";
import { planKnn } from "../../../src/ops/knn/plan/start.ts";
import { device, done, problem, rowsOf, walk } from "./replay.ts";

const isFew = ({ segment }: KnnJob) => !!segment?.steps.some((step) => isRunOf(step, knnFewFilter));
const namesOf = ({ steps }: Segment) => steps.map((step) => (step.kind === "run" ? step.primitive.name : ""));
const sizesOf = (jobs: readonly KnnJob[]) => jobs.map(({ task }) => rowCount(task.rows));
const asked = problem({ trainRows: 10_000, queryRows: 100 });
const large = problem({ trainRows: 1e7, cols: 128, queryRows: 9999 });
const roomy = device({ budgetBytes: 2 ** 34, bufferBytes: 2 ** 33 });
const RATE = 2 ** 41;

/** Walks the early form of a plan; kernels are there from the given job on. */
function walkEarly(plan: KnnPlan, from: number, msOf: (at: number) => number = () => 10) {
  const early = fewFirst(plan, nextJob)!;
  const answer = (job: KnnJob, at: number): Observation => {
    const seen = done(job, undefined, msOf(at));
    return seen.kind === "done" ? { ...seen, hasAhead: at >= from } : seen;
  };
  return { ...walk(early.plan, answer), kernels: early.kernels };
}

describe("a search whose kernels are not there yet", () => {
  it.each([33, 34, 40, 41, 64, 65, 100, 257, 1000, 1024, 9999])(
    "has jobs of few queries that take the same kernels, all of %i",
    (queryRows) => {
      const { jobs } = walkEarly(planKnn({ ...asked, queryRows }, device(), {}, RATE), Infinity);
      expect(jobs.flatMap(({ task }) => rowsOf(task.rows))).toEqual(
        Array.from({ length: queryRows }, (_, row) => row),
      );
      expect(jobs.every(isFew)).toBe(true);
      for (const size of sizesOf(jobs)) expect(size > 8 && size <= 32).toBe(true);
    },
  );

  it("goes on with all that are left once they are there, at the rate that was known", () => {
    const plan = planKnn({ ...asked, queryRows: 1000 }, device(), {}, RATE);
    const { jobs, plans, kernels, end } = walkEarly(plan, 3, () => 400);
    expect(jobs.map(isFew)).toEqual([true, true, true, true, false]);
    expect(sizesOf(jobs)).toEqual([30, 30, 30, 30, 880]);
    expect(plans[4].rate).toBe(RATE);
    expect(kernels).toHaveLength(1);
    expect(namesOf(jobs[4].segment!)).toEqual(namesOf(kernels[0]));
    for (const { ahead } of jobs.slice(0, 4)) expect(ahead).toBe(kernels[0]);
    expect([jobs[4].ahead, end.stage]).toEqual([undefined, undefined]);
  });

  it("takes a device for a fast one as soon as few queries show that it is", () => {
    const unseen = planKnn(large, roomy);
    const { jobs, plans } = walkEarly(unseen, 0, () => 2);
    const switched = jobs.findIndex((job) => !isFew(job));
    // Each job finds the device four times as fast.
    expect(switched).toBeGreaterThan(2);
    expect(switched).toBeLessThan(6);
    expect(plans[switched]).toMatchObject({ observed: true, rate: 2 ** 42 });
  });

  it("takes another one for as fast as the last job was, once its rate is known", () => {
    const rate = (ms: number) => (32 * large.trainRows * 128) / (ms / 1000);
    // The sixth rise is the last one that may be wanting.
    const { jobs, plans } = walkEarly(planKnn(large, roomy), 0, (at) => (at === 6 ? 800 : 400));
    expect(jobs.findIndex((job) => !isFew(job))).toBe(7);
    expect(plans[6].rate).toBe(rate(400));
    expect(plans[7]).toMatchObject({ observed: true, rate: rate(800) });
  });

  it("needs the kernels of the small job, too, by which a device that nobody timed would begin", () => {
    const { kernels } = fewFirst(planKnn(large, roomy), nextJob)!;
    expect(kernels).toHaveLength(2);
    expect(kernels[1]).toEqual(nextJob(planKnn(large, roomy))!.segment);
    expect(kernels[1].label).not.toBe(kernels[0].label);
    expect(fewFirst(planKnn(large, roomy, {}, RATE), nextJob)!.kernels).toHaveLength(1);
  });

  it("has jobs of many queries where memory runs out, since few were no choice", () => {
    const plan = planKnn({ ...asked, queryRows: 1000 }, device(), {}, RATE);
    const { jobs } = walk(fewFirst(plan, nextJob)!.plan, (job, at) =>
      at === 1 ? { kind: "outOfMemory", error: new OutOfMemoryError("full", 1) } : done(job),
    );
    expect(jobs.map(isFew)).toEqual([true, true, false]);
    expect(sizesOf(jobs)).toEqual([30, 30, 970]);
  });

  it.each([
    ["few rows", problem({ trainRows: 900 }), device(), {}],
    ["a GPU in software", asked, device({ software: true }), {}],
    ["no kernels for few", asked, device(), { few: false }],
    ["float32", { ...asked, precision: "float32" as const }, device(), {}],
    ["all candidates", { ...asked, keepAll: true }, device(), {}],
  ])("does not begin with few queries where these pay nothing: %s", (_, question, info, caps) => {
    expect(fewFirst(planKnn(question, info, caps, RATE), nextJob)).toBeUndefined();
  });
});
