/**
 * Which jobs of a search whose lists keep all have their heaps replayed by the device, and what the
 * explanation tells of it.
 */
import { describe, expect, it } from "vitest";
import { UNDECIDED } from "../../../src/ops/knn/contract/replay.ts";
import { explainAll, explainKnn } from "../../../src/ops/knn/plan/explain.ts";
import { explanationText } from "../../../src/explanationText.ts";
import { planKnn } from "../../../src/ops/knn/plan/start.ts";
import type { KnnJob } from "../../../src/ops/knn/plan/knnPlan.ts";
import type { KnnProblem } from "../../../src/ops/knn/plan/problem.ts";
import type { Observation } from "../../../src/runtime/program.ts";
import { PLACES, replayProgram } from "../../../src/ops/knn/plan/replay.ts";
import type { TileCaps } from "../../../src/ops/knn/plan/tile.ts";
import { bytesOf, device, done, problem, rowsOf, walk } from "./replay.ts";
import { isRunOf } from "../../../src/runtime/primitive.ts";
import { knnReplay } from "../../../src/ops/knn/replayPrimitive.ts";

function replayed(
  asked: Partial<KnnProblem>,
  info = device(),
  caps: TileCaps = { queries: 10 },
  isOpen: (query: number) => boolean = () => false,
) {
  const plan = planKnn(problem({ keepAll: true, ...asked }), info, caps, 1e11);
  return walk(plan, (job) => seen(job, plan.problem.k, isOpen), replayProgram);
}

function seen(job: KnnJob, k: number, isOpen: (query: number) => boolean): Observation {
  const observation = done(job);
  if (observation.kind !== "done" || !isReplayed(job)) return observation;
  const places = Uint32Array.from(
    rowsOf(job.task.rows).flatMap((query) =>
      Array.from({ length: k }, (_, at) => (isOpen(query) ? UNDECIDED : at)),
    ),
  );
  return { ...observation, downloads: new Map([...observation.downloads, [PLACES, places.buffer]]) };
}

const isReplayed = ({ segment }: KnnJob) =>
  segment?.steps.some((step) => step.kind === "download" && step.from === PLACES) ?? false;

const stepsOf = ({ segment }: KnnJob) =>
  segment!.steps.map((step) => (step.kind === "run" ? step.primitive.name : step.kind));

const nothing = { refinedPairs: 0, peakDeviceBytes: 0, ms: 0, note: undefined, stages: undefined };

describe("heaps are replayed by the device", () => {
  it("for every query, in dispatches that take no longer than others, within the buffers there are", () => {
    for (const queryRows of [1, 9, 10, 35]) {
      const { jobs, plans } = replayed({ queryRows });
      jobs.forEach((job, at) => {
        const asked = job.segment!.steps.flatMap((step) => (isRunOf(step, knnReplay) ? [step.params] : []));
        const queries = asked.flatMap(({ queryBegin, queryRows: rows }) =>
          Array.from({ length: rows }, (_, i) => queryBegin + i),
        );
        expect(queries).toEqual(rowsOf(job.task.rows).map((_, i) => i));
        const places = job.segment!.buffers.find(({ name }) => name === PLACES)!;
        expect(places.bytes).toBeGreaterThanOrEqual(queries.length * 5 * 4);
        const { total } = bytesOf(plans[at], job.segment!);
        expect(total).toBeLessThanOrEqual(plans[at].device.budgetBytes);
      });
    }
    const slow = planKnn(problem({ keepAll: true }), device(), {}, 1e6);
    const [job] = walk(slow, (each) => seen(each, 5, () => false), replayProgram).jobs;
    for (const step of job.segment!.steps) {
      if (isRunOf(step, knnReplay))
        expect(step.cost).toBeLessThanOrEqual(Math.max(1e5, step.params.capacity * 256));
    }
  });

  it("after the filter has seen all references, and before their intervals become ranks", () => {
    const data = { exact: true, largest: 1, single: true };
    const { jobs } = replayed({ queryRows: 5, train: data, queries: data }, device(), {
      chunk: 300,
      queries: 10,
    });
    const steps = stepsOf(jobs[0]);
    expect(steps).toContain("distance.refine");
    const at = steps.indexOf("knn.replay");
    expect(at).toBeGreaterThan(steps.lastIndexOf("knn.filter"));
    expect(steps.slice(at + 1).every((each) => each === "distance.refine" || each === "download")).toBe(true);
  });

  it.each<[string, Partial<KnnProblem>, Parameters<typeof replayed>[1]]>([
    ["on a CPU", {}, device({ kind: "cpu" })],
    ["for heaps of more than 64", { k: 65 }, undefined],
    ["where lists are long", { k: 64, trainRows: 100_000 }, undefined],
    [
      "where a last step ties rows",
      { metric: "rapidminer:KernelEuclideanDistance", options: { kernel: { type: "radial" } } },
      undefined,
    ],
  ])("not %s", (_, asked, info) => {
    const { jobs, end } = replayed(asked, info);
    expect(jobs.some((job) => job.segment)).toBe(true);
    expect(jobs.filter(isReplayed)).toEqual([]);
    expect(end.runLog).toMatchObject({ replayed: 0, undecided: 0 });
  });

  it("no longer once intervals decided too few of them", () => {
    const { jobs, end } = replayed({ queryRows: 50 }, device(), { queries: 10 }, (query) => query >= 15);
    expect(jobs.map(isReplayed)).toEqual([true, true, true, true, false]);
    expect(end.runLog).toMatchObject({ replayed: 15, undecided: 25 });
    const never = replayed({ queryRows: 30 }, device(), { queries: 10 }, () => true);
    expect(never.jobs.map(isReplayed)).toEqual([true, false, false]);
  });

  it("as the explanation tells", () => {
    const { end } = replayed({ queryRows: 50 }, device(), { queries: 10 }, (query) => query % 10 === 3);
    const explanation = explainKnn(end, nothing);
    expect(explanation.heaps).toEqual({ gpu: 45, host: 5 });
    expect(explanationText(explanation)).toMatch(/^heaps +45 replayed by the GPU, 5 by the host$/m);
    expect(explainAll([explanation, explanation]).heaps).toEqual({ gpu: 90, host: 10 });
    const plain = explainKnn(walk(planKnn(problem(), device())).end, nothing);
    expect(plain.heaps).toBeUndefined();
    expect(explanationText(plain)).not.toMatch(/heaps/);
    expect(explainAll([plain, explanation]).heaps).toEqual({ gpu: 45, host: 5 });
  });
});
