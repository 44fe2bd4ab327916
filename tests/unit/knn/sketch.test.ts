/**
 * When sketches are chosen: only where a sample says that they rule most pairs out, and only where they can.
 */
import { describe, expect, it } from "vitest";
import type { BackendInfo } from "../../../src/runtime/backend.ts";
import type { KnnProblem } from "../../../src/ops/knn/plan/problem.ts";
import { chooseSketch, surveyRows } from "../../../src/ops/knn/plan/sketch.ts";
import { survey } from "../../../src/ops/knn/plan/survey.ts";
import { chooseTechnique } from "../../../src/distance/forms/technique.ts";
import { Random, printedSeed } from "../../oracle/random.ts";

const seed = printedSeed();

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
  queryRows: 10_000,
  cols: 64,
  k: 10,
  metric: "euclidean",
  p: 2,
  options: {},
  fitted: {},
  precision: "float64",
  centre: undefined,
  train: { largest: 10, exact: true },
  queries: { largest: 10, exact: true },
};

function filterFor(changes: Partial<KnnProblem> = {}) {
  const technique = chooseTechnique({ ...problem, ...changes });
  if (technique.form === "none") throw new Error("these problems have a filter");
  return technique;
}

function surveyOf(spread: (column: number) => number) {
  const random = new Random(seed);
  const rows = Float32Array.from({ length: 400 * 64 }, (_, at) => random.normal() * spread(at % 64));
  return survey({ rows, stride: 64, cols: 64 });
}

describe("a survey", () => {
  it("is made for wide rows and much work on the CPU, of rows spread over all of train", () => {
    const rows = surveyRows(problem, filterFor(), cpu);
    expect(rows).toHaveLength(384);
    expect(rows?.[383]).toBe(Math.floor((383 * 100_000) / 384));
    expect(surveyRows({ ...problem, trainRows: 3 }, filterFor(), cpu, 2)).toEqual(Uint32Array.of(0, 1, 2));
  });

  it("has fewer rows of very many columns, and is not made of too few", () => {
    const of = (cols: number) => surveyRows({ ...problem, cols }, filterFor(), cpu)?.length;
    expect([5000, 20_000, 32_768, 33_000].map(of)).toEqual([384, 104, 64, undefined]);
  });

  it("is not made on a GPU, for float32, narrow rows, little work or another form", () => {
    expect(surveyRows(problem, filterFor(), { ...cpu, kind: "gpu" })).toBeUndefined();
    for (const changes of [
      { precision: "float32" },
      { cols: 16 },
      { queryRows: 10 },
      { metric: "manhattan", p: 1 },
      { metric: "cosine" },
    ] as const) {
      expect(surveyRows({ ...problem, ...changes }, filterFor(changes), cpu)).toBeUndefined();
    }
  });
});

describe("sketches", () => {
  it("are chosen for rows that differ along few directions, with about as many axes", () => {
    const sketch = chooseSketch(
      surveyOf((j) => (j < 6 ? 10 : 0.1)),
      problem,
    );
    expect(sketch?.axes).toBeGreaterThanOrEqual(4);
    expect(sketch?.axes).toBeLessThanOrEqual(12);
    expect(sketch?.share).toBeLessThan(0.05);
    expect(sketch?.basis).toHaveLength((sketch?.axes ?? 0) * 64);
  });

  it("are not chosen for rows that differ alike along all", () => {
    expect(
      chooseSketch(
        surveyOf(() => 1),
        problem,
      ),
    ).toBeUndefined();
  });

  it("have no more axes than the rows have directions, even when more are asked for", () => {
    const found = surveyOf((j) => (j === 7 ? 1 : 0));
    expect(chooseSketch(found, problem, 5)?.axes).toBe(1);
    const constant = surveyOf(() => 0);
    expect(chooseSketch(constant, problem, 5)).toBeUndefined();
  });
});
