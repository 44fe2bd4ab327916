/** When the CPU searches a tree, and how much it then does at a time. */
import { describe, expect, it } from "vitest";
import type { BackendInfo } from "../../../src/runtime/backend.ts";
import { setupSegment } from "../../../src/ops/knn/plan/steps.ts";
import type { KnnProblem } from "../../../src/ops/knn/plan/problem.ts";
import { treeTotalBytes } from "../../../src/ops/knn/plan/tree.ts";
import { planKnn } from "../../../src/ops/knn/plan/start.ts";
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

  it("is not searched on a GPU, for many columns, few pairs, long lists or float32", () => {
    expect(planKnn(problem, { ...cpu, kind: "gpu" }).tree).toBeUndefined();
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
    const enough = Math.ceil((references + treeTotalBytes(tree, cpu.threads)) / 0.8);
    expect(planKnn(problem, { ...cpu, budgetBytes: enough + 8 }).tree).toBeDefined();
    expect(planKnn(problem, { ...cpu, budgetBytes: enough - 8 }).tree).toBeUndefined();
    expect(planKnn(problem, cpu, { budget: enough + 8 }).tree).toBeDefined();
    expect(planKnn(problem, cpu, { budget: enough - 8 }).tree).toBeUndefined();
    expect(planKnn(problem, cpu, { chunk: 99_999 }).tree).toBeUndefined();
  });
});
