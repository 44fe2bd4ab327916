/** Plans that begin with few queries a job while kernels compile, walked without a device. */
import { describe, expect, it } from "vitest";
import { OutOfMemoryError } from "../../../src/core/errors.ts";
import type { Backend, Segment } from "../../../src/runtime/backend.ts";
import { isRunOf } from "../../../src/runtime/primitive.ts";
import { rowCount } from "../../../src/runtime/source.ts";
import { knnFewFilter } from "../../../src/ops/knn/fewPrimitive.ts";
import { nextJob } from "../../../src/ops/knn/plan/jobs.ts";
import { whileCompiling } from "../../../src/ops/knn/plan/meanwhile.ts";
import type { KnnJob } from "../../../src/ops/knn/plan/knnPlan.ts";
import { planKnn } from "../../../src/ops/knn/plan/start.ts";
import { device, done, problem, rowsOf, walk } from "./replay.ts";

/** A compiler that ends when it is told to. @param isCompiled tells what it has before */
function compiler(isCompiled = false) {
  const asked: Segment[] = [];
  let end = () => {};
  const backend = {
    isCompiled: () => Promise.resolve(isCompiled),
    compileAhead(segment: Segment) {
      asked.push(segment);
      return { begun: Promise.resolve(), done: new Promise<void>((resolve) => (end = resolve)) };
    },
  } as unknown as Backend;
  return { backend, asked, end: () => end() };
}

const isFew = ({ segment }: KnnJob) => !!segment?.steps.some((step) => isRunOf(step, knnFewFilter));
const namesOf = ({ steps }: Segment) => steps.map((step) => (step.kind === "run" ? step.primitive.name : ""));
const sizesOf = (jobs: readonly KnnJob[]) => jobs.map(({ task }) => rowCount(task.rows));
const asked = problem({ trainRows: 10_000, queryRows: 100 });
const RATE = 2 ** 41;

describe("a search whose kernels are not there yet", () => {
  it.each([33, 34, 40, 41, 64, 65, 100, 257, 1000, 1024, 9999])(
    "has jobs of few queries that take the same kernels, all of %i",
    async (queryRows) => {
      const plan = planKnn({ ...asked, queryRows }, device(), {}, RATE);
      const { jobs } = walk(await whileCompiling(plan, compiler().backend, nextJob));
      expect(jobs.flatMap(({ task }) => rowsOf(task.rows))).toEqual(
        Array.from({ length: queryRows }, (_, row) => row),
      );
      expect(jobs.every(isFew)).toBe(true);
      for (const size of sizesOf(jobs)) expect(size > 8 && size <= 32).toBe(true);
    },
  );

  it("goes on with all that are left once they are there, at the rate that was known", async () => {
    const plan = planKnn({ ...asked, queryRows: 1000 }, device(), {}, RATE);
    const { backend, asked: compiled, end } = compiler();
    const early = await whileCompiling(plan, backend, nextJob);
    expect(compiled).toHaveLength(0);
    const { plans } = walk(early, (job) => done(job, undefined, 400));
    end();
    await Promise.resolve();
    const { jobs, plans: later, end: last } = walk(plans[3]);
    expect(jobs.map(isFew)).toEqual([true, false]);
    expect(sizesOf(jobs)).toEqual([30, 880]);
    expect(later[1].rate).toBe(RATE);
    expect(namesOf(jobs[1].segment!)).toEqual(namesOf(compiled[0]));
    expect(last.stage).toBeUndefined();
    // The next search of as many finds them there.
    expect(await whileCompiling(plan, backend, nextJob)).toBe(plan);
    expect(compiled).toHaveLength(1);
  });

  it.each([
    [2, 2 ** 42],
    [400, 32 * 1e7 * 128 * 2.5],
  ])("then takes a device to be fast only if it was: %i ms a job", async (ms, rate) => {
    const { backend, end } = compiler();
    const large = problem({ trainRows: 1e7, cols: 128, queryRows: 9999 });
    const unseen = planKnn(large, device({ budgetBytes: 2 ** 34, bufferBytes: 2 ** 33 }));
    const early = await whileCompiling(unseen, backend, nextJob);
    const answer = (job: KnnJob) => done(job, undefined, ms);
    const { plans } = walk(early, answer);
    end();
    await Promise.resolve();
    const later = walk(plans[20], answer);
    expect(later.jobs.slice(0, 2).map(isFew)).toEqual([true, false]);
    expect(later.plans[1]).toMatchObject({ observed: true, rate });
  });

  it("times a device by few queries where the kernels of a first, small job are not there", async () => {
    const { backend, end } = compiler();
    const isCompiled = ({ label }: Segment) => Promise.resolve(!label.startsWith("64 "));
    Object.assign(backend, { isCompiled });
    const large = problem({ trainRows: 1e6, cols: 128, queryRows: 9999 });
    const info = device({ budgetBytes: 2 ** 34, bufferBytes: 2 ** 33 });
    expect(nextJob(planKnn(large, info))!.segment!.label).toMatch(/^64 /);
    const early = await whileCompiling(planKnn(large, info), backend, nextJob);
    walk(early, (job) => done(job, undefined, 2)).jobs.forEach((job) => expect(isFew(job)).toBe(true));
    end();
    await Promise.resolve();
    // Each job finds the device four times as fast, until it is known to be fast.
    const { jobs, plans } = walk(early, (job) => done(job, undefined, 2));
    const switched = jobs.findIndex((job) => !isFew(job));
    expect(switched).toBeGreaterThan(2);
    expect(switched).toBeLessThan(8);
    expect(plans[switched].rate).toBe(2 ** 42);
    const known = planKnn(large, info, {}, RATE);
    expect(await whileCompiling(known, backend, nextJob)).toBe(known);
  });

  it("has jobs of many queries where memory runs out, since few were no choice", async () => {
    const plan = planKnn({ ...asked, queryRows: 1000 }, device(), {}, RATE);
    const early = await whileCompiling(plan, compiler().backend, nextJob);
    const { jobs } = walk(early, (job, at) =>
      at === 1 ? { kind: "outOfMemory", error: new OutOfMemoryError("full", 1) } : done(job),
    );
    expect(jobs.map(isFew)).toEqual([true, true, false]);
    expect(sizesOf(jobs)).toEqual([30, 30, 970]);
  });

  it("is the plan itself where kernels are there, or few queries pay nothing", async () => {
    const { backend } = compiler();
    const plan = planKnn(asked, device(), {}, RATE);
    expect(await whileCompiling(plan, compiler(true).backend, nextJob)).toBe(plan);
    for (const other of [
      planKnn(problem({ trainRows: 900 }), device(), {}, RATE),
      planKnn(asked, device({ software: true }), {}, RATE),
      planKnn(asked, device(), { few: false }, RATE),
      planKnn({ ...asked, precision: "float32" }, device(), {}, RATE),
      planKnn({ ...asked, keepAll: true }, device(), {}, RATE),
    ])
      expect(await whileCompiling(other, backend, nextJob)).toBe(other);
  });
});
