/** Plans that begin with few queries a job while kernels compile, walked without a device. */
import { describe, expect, it } from "vitest";
import { OutOfMemoryError } from "../../../src/core/errors.ts";
import type { Segment } from "../../../src/runtime/backend.ts";
import { isRunOf } from "../../../src/runtime/primitive.ts";
import type { Observation } from "../../../src/runtime/program.ts";
import { rowCount } from "../../../src/runtime/source.ts";
import { knnFewScratchBytes } from "../../../src/ops/knn/contract/few.ts";
import { knnFewFilter } from "../../../src/ops/knn/fewPrimitive.ts";
import { withStage } from "../../../src/ops/knn/plan/few.ts";
import { nextJob } from "../../../src/ops/knn/plan/jobs.ts";
import * as orders from "../../../src/ops/knn/plan/order.ts";
import { beginningsOf } from "../../../src/ops/knn/plan/meanwhile.ts";
import type { KnnJob, KnnPlan } from "../../../src/ops/knn/plan/knnPlan.ts";
import { planKnn } from "../../../src/ops/knn/plan/start.ts";
import { mostFew } from "../../../src/ops/knn/run.ts";
import { device, done, evaluated, problem, rowsOf, walk } from "./replay.ts";

const isFew = ({ segment }: KnnJob) => !!segment?.steps.some((step) => isRunOf(step, knnFewFilter));
const namesOf = ({ steps }: Segment) => steps.map((step) => (step.kind === "run" ? step.primitive.name : ""));
const sizesOf = (jobs: readonly KnnJob[]) => jobs.map(({ task }) => rowCount(task.rows));
const asked = problem({ trainRows: 10_000, queryRows: 100 });
const large = problem({ trainRows: 1e7, cols: 128, queryRows: 9999 });
const roomy = device({ budgetBytes: 2 ** 34, bufferBytes: 2 ** 33 });
const RATE = 2 ** 41;

const waysOf = (plan: KnnPlan) => [...beginningsOf(plan, nextJob)];

/** Walks a plan; what is compiled ahead is there from the given job on. */
function walkFrom(plan: KnnPlan, from: number, msOf: (at: number) => number = () => 10) {
  return walk(plan, (job, at): Observation => {
    const seen = done(job, undefined, msOf(at));
    return seen.kind === "done" && job.ahead && at >= from ? { ...seen, ready: job.ahead } : seen;
  });
}

/** Walks the way of a plan by jobs of several queries. */
function walkEarly(plan: KnnPlan, from: number, msOf?: (at: number) => number) {
  const [{ kernels }, several] = waysOf(plan);
  return { ...walkFrom(several.plan, from, msOf), kernels };
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
      for (const size of sizesOf(jobs)) expect(size > 1 && size <= 128).toBe(true);
    },
  );

  it.each([65, 129, 193, 257, 1089])(
    "leaves no query alone on a device that nobody timed: %i",
    (queryRows) => {
      const unseen = planKnn({ ...large, trainRows: 1e6, queryRows }, roomy);
      const sizes = sizesOf(walkEarly(unseen, Infinity, () => 1).jobs);
      expect(Math.min(...sizes)).toBeGreaterThan(1);
      expect(sizes.reduce((sum, each) => sum + each)).toBe(queryRows);
    },
  );

  it("does not count the time of a job that waited for its own shaders", () => {
    const plan = planKnn({ ...asked, queryRows: 1000 }, device(), {}, RATE);
    const { jobs } = walk(waysOf(plan)[1].plan, (job, at) => {
      const seen = done(job, undefined, at === 0 ? 5000 : 5);
      return seen.kind === "done" && at === 0 ? { ...seen, compiled: true } : seen;
    });
    expect(jobs.some(({ ahead }) => ahead)).toBe(false);
  });

  it("has as many queries a job as one buffer has room for the ends of", () => {
    const bufferBytes = 2 ** 24;
    const wide = problem({ trainRows: 1e6, cols: 8, queryRows: 1000 });
    const { stage, layout } = waysOf(planKnn(wide, { ...roomy, bufferBytes }, {}, RATE))[1].plan;
    const bytes = (queryRows: number) =>
      knnFewScratchBytes({ queryRows, refRows: layout!.chunkRows, k: wide.k });
    expect(stage!.queries).toBeLessThan(128);
    expect(bytes(stage!.queries!)).toBeLessThanOrEqual(bufferBytes);
    expect(bytes(stage!.queries! + 1)).toBeGreaterThan(bufferBytes);
  });

  it("goes on with all that are left once they are there, at the rate that was known", () => {
    const plan = planKnn({ ...asked, queryRows: 1000 }, device(), {}, RATE);
    const { jobs, plans, kernels, end } = walkEarly(plan, 3, () => 400);
    expect(jobs.map(isFew)).toEqual([true, true, true, true, false]);
    expect(sizesOf(jobs)).toEqual([128, 128, 128, 128, 488]);
    expect(plans[4].rate).toBe(RATE);
    expect(namesOf(jobs[4].segment!)).toEqual(namesOf(kernels!));
    // The first job is to tell how long the others take.
    for (const { ahead } of jobs.slice(1, 4)) expect(ahead).toBe(kernels);
    expect([jobs[0].ahead, jobs[4].ahead, end.stage]).toEqual([undefined, undefined, undefined]);
  });

  it("has the host sort neighbours until then, and the device from then on", () => {
    const many = { ...asked, ...evaluated, queryRows: 1000 };
    const plan = { ...planKnn(many, device(), {}, RATE), orders };
    const [own, several, one] = waysOf(plan);
    expect(namesOf(own.kernels!)).toContain("knn.order");
    for (const { kernels } of [several, one]) expect(namesOf(kernels!)).not.toContain("knn.order");
    const { jobs } = walkFrom(several.plan, 2, () => 400);
    expect(jobs.map(({ finish }) => finish.kind)).toEqual(["refine", "refine", "refine", "ordered"]);
    expect(
      walkFrom(one.plan, 2)
        .jobs.slice(0, 2)
        .map(({ finish }) => finish.kind),
    ).toEqual(["refine", "refine"]);
  });

  it("takes a job of one query for no measure of those that are left", () => {
    const plan = planKnn({ ...asked, queryRows: 1000 }, device(), {}, RATE);
    const [first] = waysOf(plan).slice(1);
    // The first query of each job has a list that overflows, and comes again by itself.
    const { jobs } = walk(first.plan, (job) => {
      const [least] = rowsOf(job.task.rows);
      const alone = rowCount(job.task.rows) === 1;
      return done(job, (query) => (query === least && !alone ? 1e3 : 5), alone ? 40 : 1.5);
    });
    const single = jobs.filter(({ task }) => rowCount(task.rows) === 1);
    expect(single.length).toBeGreaterThan(4);
    expect(jobs.some(({ ahead }) => ahead)).toBe(false);
  });

  it("takes it for one where no job may have more", () => {
    const plan = planKnn({ ...asked, queryRows: 1000 }, device(), { queries: 1 }, RATE);
    const { jobs } = walkEarly(plan, 3, () => 40);
    expect(jobs.slice(0, 4).map(isFew)).toEqual([true, true, true, true]);
    expect(jobs.slice(4).some(isFew)).toBe(false);
  });

  it("has nothing compiled where the rest of it takes less time than that", () => {
    const plan = planKnn({ ...asked, queryRows: 1000 }, device(), {}, RATE);
    const aheads = (ms: number) => walkEarly(plan, Infinity, () => ms).jobs.map(({ ahead }) => !!ahead);
    // After the first job 872 queries are left, which is 6.8 jobs as long as that one.
    expect(aheads(21)).toEqual(Array<boolean>(8).fill(false));
    expect(aheads(23)).toEqual([false, ...Array<boolean>(7).fill(true)]);
  });

  it("has them compiled from the first job on where even a fast device takes longer", () => {
    const { jobs, kernels } = walkEarly(planKnn(large, roomy), Infinity, () => 1);
    expect(jobs[0].ahead).toBe(kernels);
  });

  it("takes a device for a fast one as soon as few queries show that it is", () => {
    const unseen = planKnn(large, roomy);
    const { jobs, plans } = walkEarly(unseen, 0, () => 2);
    const switched = jobs.findIndex((job) => !isFew(job));
    // Each job finds the device four times as fast, and many queries are taken to be so once more.
    expect(switched).toBeGreaterThan(1);
    expect(switched).toBeLessThan(6);
    expect(plans[switched]).toMatchObject({ observed: true, rate: 16 * plans[switched - 1].rate });
  });

  it("keeps the rate of few queries apart where the last of them are done", () => {
    const { jobs, end } = walkEarly(planKnn({ ...asked, queryRows: 300 }, device(), {}, RATE), 2, () => 400);
    expect(sizesOf(jobs)).toEqual([128, 128, 44]);
    expect(jobs[2].ahead).toBeDefined();
    expect(end.stage?.rated).toBe("few");
  });

  it("takes another one for as fast as the last job was, once its rate rises no more", () => {
    const { jobs, plans } = walkEarly(planKnn(large, roomy), 0, (at) => (at === 0 ? 330 : 700));
    // The first job finds it more than four times as fast as was assumed.
    expect([...sizesOf(jobs).slice(0, 2), jobs.findIndex((job) => !isFew(job))]).toEqual([64, 128, 2]);
    expect(plans[1].rate).toBe(4 * plans[0].rate);
    expect(plans[2]).toMatchObject({ observed: true, rate: (128 * large.trainRows * 128) / 0.7 });
  });

  it("needs the kernels of the small job, too, by which a device that nobody timed would begin", () => {
    const stepsOf = (plan: KnnPlan) => nextJob(plan)!.segment!.steps;
    const [[unseen], [seen]] = [undefined, 2 ** 42].map((rate) => waysOf(planKnn(large, roomy, {}, rate)));
    expect(unseen.kernels!.steps).toEqual([...stepsOf(seen.plan), ...stepsOf(unseen.plan)]);
    expect(stepsOf(seen.plan)).not.toEqual(stepsOf(unseen.plan));
    expect(seen.kernels!.steps).toEqual(stepsOf(seen.plan));
  });

  it("has jobs of many queries where memory runs out, since few were no choice", () => {
    const plan = planKnn({ ...asked, queryRows: 1000 }, device(), {}, RATE);
    const { jobs } = walk(waysOf(plan)[1].plan, (job, at) =>
      at === 1 ? { kind: "outOfMemory", error: new OutOfMemoryError("full", 1) } : done(job),
    );
    expect(jobs.map(isFew)).toEqual([true, true, false]);
    expect(sizesOf(jobs)).toEqual([128, 128, 872]);
  });

  it.each([
    ["few rows", problem({ trainRows: 900 }), device(), {}],
    ["a GPU in software", asked, device({ software: true }), {}],
    ["no kernels for few", asked, device(), { few: false }],
    ["float32", { ...asked, precision: "float32" as const }, device(), {}],
    ["all candidates", { ...asked, keepAll: true }, device(), {}],
  ])("does not begin with few queries where these pay nothing: %s", (_, question, info, caps) => {
    const plan = planKnn(question, info, caps, RATE);
    expect(waysOf(plan)).toEqual([{ plan, kernels: undefined }]);
  });

  const stepsOf = ({ segment }: KnnJob) => segment!.steps.filter((step) => isRunOf(step, knnFewFilter));

  it("has jobs of one query until the kernels for several are there, then until those for many are", () => {
    const plan = planKnn({ ...asked, queryRows: 1000 }, device(), {}, RATE);
    const [many, several, one] = waysOf(plan);
    const [forSeveral, forMany] = [several.kernels, many.kernels];
    // The seventh job says what an earlier one, which it overlapped, was told.
    const ready = (at: number) => (at < 4 ? undefined : at < 7 ? forSeveral : forMany);
    const { jobs, end } = walk(one.plan, (job, at) => {
      const seen = done(job, undefined, 100);
      const there = ready(at);
      return seen.kind === "done" && there ? { ...seen, ready: there } : seen;
    });
    expect(sizesOf(jobs)).toEqual([1, 1, 1, 1, 1, 128, 128, 128, 611]);
    expect(jobs.map(({ ahead }) => ahead)).toEqual([
      ...Array<unknown>(5).fill(forSeveral),
      ...[undefined, forMany, forMany, undefined],
    ]);
    expect(jobs.map(isFew)).toEqual([...Array<boolean>(8).fill(true), false]);
    expect(jobs.flatMap(({ task }) => rowsOf(task.rows))).toEqual(
      Array.from({ length: 1000 }, (_, at) => at),
    );
    expect(one.kernels).toEqual(jobs[0].segment);
    expect(end.technique).toMatchObject({ why: expect.stringContaining("were read for few") as string });
  });

  it("does not take jobs of one query for what tells the rate of a device", () => {
    const one = waysOf(planKnn({ ...large, queryRows: 1000 }, roomy))[2];
    const { jobs } = walkFrom(one.plan, 6, () => 4000);
    // The rate fell with the first of them, and takes four jobs to rise again.
    expect(sizesOf(jobs).slice(0, 11)).toEqual([...Array<number>(7).fill(1), ...Array<number>(4).fill(128)]);
    expect(jobs.findIndex((job) => !isFew(job))).toBe(11);
  });

  it.each([2, 32])("has jobs of one query for %i whose kernels are not there", (queryRows) => {
    const plan = withStage(planKnn({ ...asked, queryRows }, device(), {}, RATE));
    const [own, one, ...others] = waysOf(plan);
    expect([own.plan, others]).toEqual([plan, []]);
    expect(sizesOf(walkFrom(one.plan, Infinity).jobs)).toEqual(Array<number>(queryRows).fill(1));
    const { jobs, end } = walkFrom(one.plan, 0);
    expect(sizesOf(jobs)).toEqual(queryRows > 2 ? [1, 31] : [1, 1]);
    expect(end.technique.why).toMatch(/were read for few queries at a time$/);
  });

  it("takes the kernel for several queries for a single one whose own is not there", () => {
    const plan = withStage(planKnn({ ...asked, queryRows: 1 }, device(), {}, RATE));
    const [own, several] = waysOf(plan);
    const [first] = walkFrom(own.plan, Infinity).jobs;
    const [other] = walkFrom(several.plan, Infinity).jobs;
    expect(stepsOf(first)).toMatchObject([{ params: { queryRows: 1 } }]);
    expect(stepsOf(first)[0].params).not.toHaveProperty("asSeveral");
    expect(stepsOf(other)).toMatchObject([{ params: { queryRows: 1, asSeveral: true } }]);
    expect(other.ahead).toBe(own.kernels);
  });
});

it.each([
  [1, 32],
  [10, 32],
  [100, 3],
  [1000, 1],
])("with k = %d a GPU takes kernels for few for up to %d queries by itself", (k, queries) => {
  expect(mostFew(k)).toBe(queries);
});
