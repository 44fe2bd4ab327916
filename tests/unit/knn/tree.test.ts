/** When a tree is searched, how much is then done at a time, and what follows when a GPU gives up. */
import { describe, expect, it } from "vitest";
import type { BackendInfo } from "../../../src/runtime/backend.ts";
import { setupSegment } from "../../../src/ops/knn/plan/steps.ts";
import { gpuTreeBytes } from "../../../src/ops/knn/contract/tree.ts";
import type { KnnProblem } from "../../../src/ops/knn/plan/problem.ts";
import * as trees from "../../../src/ops/knn/plan/tree.ts";
import type { TileCaps } from "../../../src/ops/knn/plan/tile.ts";
import { planKnn as plan } from "../../../src/ops/knn/plan/start.ts";
import { next } from "../../../src/ops/knn/plan/next.ts";
import { nextJob } from "../../../src/ops/knn/plan/jobs.ts";

const cpu: BackendInfo = {
  kind: "cpu",
  name: "test",
  software: false,
  budgetBytes: 2 ** 30,
  bufferBytes: 2 ** 30,
  uploadBytes: 0,
  threads: 2,
  initialRate: 1e9,
};

const planKnn = (problem: KnnProblem, device: BackendInfo, caps: TileCaps = {}) =>
  plan(problem, device, caps, undefined, undefined, trees);

const problem: KnnProblem = {
  trainRows: 100_000,
  queryRows: 300_000,
  cols: 6,
  k: 5,
  metric: "euclidean",
  p: 2,
  options: {},
  fitted: {},
  precision: "float64",
  centre: undefined,
  train: { largest: 1, exact: true },
  queries: { largest: 1, exact: true },
};

describe("a tree", () => {
  it("is built once and searched by many queries at a time", () => {
    const plan = planKnn(problem, cpu);
    expect(plan.tree).toEqual({ rows: 100_000, cols: 6, stride: 8, levels: 12 });
    expect(setupSegment(plan)?.steps.at(-1)).toMatchObject({ primitive: { name: "knn.tree" } });
    const job = nextJob(plan);
    expect(job?.units).toBe(2 ** 17);
    expect(job?.segment?.steps.filter(({ kind }) => kind === "run")).toMatchObject([
      { primitive: { name: "knn.treeFilter" } },
    ]);
    expect(job?.segment?.buffers.map(({ name }) => name)).not.toContain("intervals");
  });

  it("is for the Euclidean, the city-block and the largest difference", () => {
    expect(planKnn({ ...problem, metric: "manhattan", p: 1 }, cpu).tree).toBeDefined();
    expect(planKnn({ ...problem, metric: "chebyshev", p: Infinity }, cpu).tree).toBeDefined();
    expect(planKnn({ ...problem, metric: "minkowski", p: 3 }, cpu).tree).toBeUndefined();
    expect(planKnn({ ...problem, metric: "cosine" }, cpu).tree).toBeUndefined();
  });

  it("is not searched for many columns, few pairs, long lists or float32", () => {
    expect(planKnn({ ...problem, cols: 13 }, cpu).tree).toBeUndefined();
    expect(planKnn({ ...problem, metric: "manhattan", p: 1, cols: 13 }, cpu).tree).toBeUndefined();
    expect(planKnn({ ...problem, queryRows: 100 }, cpu).tree).toBeUndefined();
    expect(planKnn({ ...problem, k: 2000 }, cpu).tree).toBeUndefined();
    expect(planKnn({ ...problem, precision: "float32" }, cpu).tree).toBeUndefined();
  });

  it("is not built where it does not fit beside the references", () => {
    const { tree } = planKnn(problem, cpu);
    if (!tree) throw new Error("there is a tree when there is room");
    const references = 100_000 * (8 * 4 + 16);
    const enough = Math.ceil((references + trees.treeTotalBytes(tree, cpu.threads)) / 0.8);
    expect(planKnn(problem, { ...cpu, budgetBytes: enough + 8 }).tree).toBeDefined();
    expect(planKnn(problem, { ...cpu, budgetBytes: enough - 8 }).tree).toBeUndefined();
    expect(planKnn(problem, cpu, { budget: enough + 8 }).tree).toBeDefined();
    expect(planKnn(problem, cpu, { budget: enough - 8 }).tree).toBeUndefined();
    expect(planKnn(problem, cpu, { chunk: 99_999 }).tree).toBeUndefined();
  });
});

describe("a tree on a GPU", () => {
  const gpu: BackendInfo = { ...cpu, kind: "gpu", initialRate: 2e10 };
  const cloud = { ...problem, cols: 3, k: 2 };

  it("is not built where its points need a larger buffer than the device has", () => {
    const points = gpuTreeBytes({ rows: 100_000, cols: 3, stride: 4, levels: 13 }).points;
    expect(points).toBeGreaterThan(100_000 * 16);
    expect(planKnn(cloud, { ...gpu, bufferBytes: points }).tree).toBeDefined();
    const less = planKnn(cloud, { ...gpu, bufferBytes: points - 16 });
    expect([less.layout?.chunks, less.tree]).toEqual([1, undefined]);
  });

  it("is for up to three columns, many pairs and short lists", () => {
    const tree = { rows: 100_000, cols: 3, stride: 4, levels: 13, onGpu: true };
    expect(planKnn(cloud, gpu).tree).toEqual(tree);
    expect(planKnn({ ...cloud, cols: 1 }, gpu).tree).toEqual({ ...tree, cols: 1 });
    expect(planKnn({ ...cloud, cols: 4 }, gpu).tree).toBeUndefined();
    expect(planKnn({ ...cloud, cols: 4 }, gpu, { tree: true }).tree).toBeUndefined();
    expect(planKnn({ ...cloud, queryRows: 9_999 }, gpu).tree).toBeUndefined();
    expect(planKnn({ ...cloud, k: 65 }, gpu, { tree: true }).tree).toBeUndefined();
    expect(planKnn(cloud, gpu, { tree: false }).tree).toBeUndefined();
  });

  it("has lists so short that the host waits for little", () => {
    expect(planKnn(cloud, gpu).todo).toMatchObject([{ capacity: 5 }]);
    expect(planKnn({ ...cloud, k: 30 }, gpu).todo).toMatchObject([{ capacity: 45 }]);
  });

  it("is searched by as many queries as one dispatch serves", () => {
    const job = nextJob(planKnn(cloud, gpu))!;
    expect(job.units).toBe(Math.ceil((2e10 * 0.1) / 16 / 512));
    const faster = nextJob({ ...planKnn(cloud, gpu), rate: 1e12 })!;
    expect(faster.units).toBe(300_000);
  });

  it("is left by the queries that it takes too long to answer, and counts what they visited", () => {
    const begun = planKnn(cloud, gpu);
    const job = nextJob(begun)!;
    const heads = new Uint32Array(2 * job.units);
    for (let query = 0; query < job.units; query++) heads[2 * query] = 2;
    heads[2 * 5] = 0xffffffff;
    heads[2 * 9] = 6;
    const counters = new Uint32Array(64);
    counters.set([2, 2 * (job.units - 2), 7 * job.units], 60);
    const downloads = new Map([
      ["heads", heads.buffer],
      ["tree.scratch", counters.buffer],
    ]);
    const seen = { kind: "done", ms: 50, downloads, dispatches: 20, work: 0 } as const;
    const after = next(begun, job, seen);
    expect(after.todo).toEqual([
      { rows: { begin: job.units, end: 300_000 }, capacity: 5 },
      { rows: Uint32Array.of(9), capacity: 320 },
      { rows: Uint32Array.of(5), capacity: 66, whole: true },
    ]);
    expect(after.runLog).toMatchObject({ pairs: 7 * job.units, repeated: 1 });
    expect(after.rate).toBeCloseTo((7 * job.units * 16) / 0.05);

    const whole = nextJob({ ...after, todo: after.todo.slice(2) })!;
    const names = whole.segment!.steps.map((step) => (step.kind === "run" ? step.primitive.name : step.kind));
    expect(names).toContain("knn.filter");
    expect(names).not.toContain("knn.treeFilter");
    // What overflows there does not go back to the tree.
    const still = { ...seen, downloads: new Map([["heads", Uint32Array.of(67, 0).buffer]]) };
    expect(next({ ...after, todo: after.todo.slice(2) }, whole, still).todo).toEqual([
      { rows: Uint32Array.of(5), capacity: 66 * 64, whole: true },
    ]);
  });
});
