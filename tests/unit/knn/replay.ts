/**
 * A k-NN plan walked without a device: the test answers each job with what a device might have seen. Also the
 * checks that every job must pass, whatever the sizes. Not a simulation of distances: lists are only counted.
 */
import { expect } from "vitest";
import { rowAt, rowCount } from "../../../src/runtime/source.ts";
import type { BackendInfo, Segment } from "../../../src/runtime/backend.ts";
import type { RowSet } from "../../../src/runtime/source.ts";
import { knnProgram } from "../../../src/ops/knn/plan/knn.ts";
import { planKnn } from "../../../src/ops/knn/plan/start.ts";
import type { KnnJob } from "../../../src/ops/knn/plan/knnPlan.ts";
import type { KnnPlan } from "../../../src/ops/knn/plan/knnPlan.ts";
import type { KnnProblem } from "../../../src/ops/knn/plan/problem.ts";
import type { Observation, Program } from "../../../src/runtime/program.ts";
import type { TileCaps } from "../../../src/ops/knn/plan/tile.ts";
import { isRunOf } from "../../../src/runtime/primitive.ts";
import type { Random } from "../../oracle/random.ts";
import { knnFilter } from "../../../src/ops/knn/primitives.ts";

export const MIB = 2 ** 20;

export function problem(overrides: Partial<KnnProblem> = {}): KnnProblem {
  const range = { largest: 1, exact: false };
  return {
    trainRows: 1000,
    queryRows: 100,
    cols: 16,
    k: 5,
    metric: "euclidean",
    p: 2,
    options: {},
    fitted: {},
    precision: "float64",
    centre: undefined,
    train: range,
    queries: range,
    ...overrides,
  };
}

/** A device evaluates rows of float32 values itself. */
const single = { largest: 1, exact: true, single: true };
export const evaluated = { train: single, queries: single };

/** Returns a problem of some size whose candidates a device evaluates, and a device of some budget for it. */
export function someSize(random: Random): { asked: KnnProblem; info: BackendInfo } {
  const trainRows = Math.ceil(2 ** random.uniform(6, 14));
  const asked = problem({
    ...{ ...evaluated, trainRows, queryRows: Math.ceil(2 ** random.uniform(0, 10)) },
    ...{ cols: 4 * random.int(1, 40), k: random.int(1, Math.min(trainRows, 300)) },
  });
  const budgetBytes = Math.floor(2 ** random.uniform(18, 23));
  return { asked, info: device({ budgetBytes, bufferBytes: budgetBytes }) };
}

export function device(overrides: Partial<BackendInfo> = {}): BackendInfo {
  return {
    kind: "gpu",
    name: "paper",
    software: false,
    budgetBytes: 512 * MIB,
    bufferBytes: 128 * MIB,
    uploadBytes: 64 * MIB,
    threads: 1,
    initialRate: 2e10,
    ...overrides,
  };
}

/** A list of `count` candidates for every query of the job; by default one that fits. */
export function done(
  job: KnnJob,
  count: (query: number) => number = () => job.task.capacity ?? 0,
  ms = 10,
): Observation {
  const heads = new Uint32Array(2 * rowCount(job.task.rows));
  for (let i = 0; i < heads.length; i += 2) heads[i] = count(rowAt(job.task.rows, i / 2));
  const downloads = new Map(job.segment ? [["heads", heads.buffer]] : []);
  return { kind: "done", ms, downloads, dispatches: job.segment ? 4 : 0, work: job.segment ? 100 : 0 };
}

export interface Walk {
  readonly jobs: readonly KnnJob[];
  /** The plan each job was made from, and the plan at the end. */
  readonly plans: readonly KnnPlan[];
  readonly end: KnnPlan;
}

/** Runs a plan to its end, or into the error that `next` throws. */
export function walk(
  start: KnnPlan,
  answer: (job: KnnJob, at: number) => Observation = (job) => done(job),
  program: Program<KnnPlan, KnnJob> = knnProgram,
): Walk {
  const jobs: KnnJob[] = [];
  const plans: KnnPlan[] = [];
  let plan = start;
  for (let job = program.nextJob(plan); job; job = program.nextJob(plan)) {
    expect(jobs.length).toBeLessThan(100_000);
    jobs.push(job);
    plans.push(plan);
    plan = program.next(plan, job, answer(job, jobs.length - 1));
  }
  return { jobs, plans, end: plan };
}

export function walkAll(asked: KnnProblem, info: BackendInfo, caps: TileCaps = {}): Walk {
  return walk(planKnn(asked, info, caps));
}

export function rowsOf(rows: RowSet): number[] {
  return Array.from({ length: rowCount(rows) }, (_, at) => rowAt(rows, at));
}

/**
 * Follows the steps of a segment: the ranges of references the filter visits, as [begin, end).
 * @throws when a step reads rows that its buffers do not hold
 */
export function visitedReferences(plan: KnnPlan, segment: Segment): (readonly [number, number])[] {
  const held = new Map<string, { begin: number; end: number }>();
  const setup = knnProgram.setupSegment(plan, []);
  const visited: (readonly [number, number])[] = [];
  for (const step of [...(setup?.steps ?? []), ...segment.steps]) {
    if (step.kind === "upload" && step.source === "train" && "begin" in step.rows)
      held.set(step.to, step.rows);
    if (!isRunOf(step, knnFilter)) continue;
    const { refBegin, refRows, refOffset } = step.params;
    const range = [refOffset + refBegin, refOffset + refBegin + refRows] as const;
    for (const binding of ["refs", "refMeta"] as const) {
      const rows = held.get(step.bindings[binding] as string)!;
      if (rows.begin !== refOffset || range[1] > rows.end) {
        throw new Error(`${binding} holds ${JSON.stringify(rows)}, not rows ${range.join(" to ")}`);
      }
    }
    visited.push(range);
  }
  return visited;
}

/** Bytes of the largest buffer, and of all of them with the resident ones. */
export function bytesOf(plan: KnnPlan, segment: Segment): { largest: number; total: number } {
  const sizes = [...knnProgram.residentBuffers(plan), ...segment.buffers].map(({ bytes }) => bytes);
  return { largest: Math.max(...sizes), total: sizes.reduce((sum, bytes) => sum + bytes, 0) };
}
