/**
 * Which form of a distance the plan filters by, and that it says why; the explanation made from the plan as
 * executed.
 */
import { describe, expect, it } from "vitest";
import { metricNames } from "../../../src/distance/metric.ts";
import { explainKnn } from "../../../src/ops/knn/plan/explain.ts";
import { explanationText } from "../../../src/explanationText.ts";
import { isMixed } from "../../../src/distance/forms/forms.ts";
import * as mixing from "../../../src/distance/forms/mixed.ts";
import type { KnnProblem } from "../../../src/ops/knn/plan/problem.ts";
import { chooseTechnique } from "../../../src/distance/forms/technique.ts";
import { MIB, device, done, problem, walk } from "../knn/replay.ts";
import { planKnn } from "../../../src/ops/knn/plan/start.ts";

/** With the forms that a search loads only where it needs them. */
function techniqueOf(overrides: Partial<KnnProblem>) {
  const asked = problem(overrides);
  const options = { metric: asked.metric, ...asked.options };
  return chooseTechnique(asked, "cpu", isMixed(options, asked.fitted) ? mixing : undefined);
}

const form = (overrides: Partial<KnnProblem>) => techniqueOf(overrides).form;

describe("the technique", () => {
  it("is the matrix form for wide rows where the metric has one, else the direct form, if any", () => {
    const forms = metricNames.map((metric) => [metric, form({ metric, p: exponent(metric) })] as const);
    expect(Object.fromEntries(forms.filter(([, found]) => found !== "none"))).toEqual({
      euclidean: "expanded",
      sqeuclidean: "expanded",
      manhattan: "direct",
      chebyshev: "direct",
      minkowski: "direct",
      cosine: "expanded",
      correlation: "expanded",
      inner_product: "expanded",
      nan_euclidean: "expanded",
      mixed_euclidean: "expanded",
      jaccard: "direct",
      dice: "direct",
      "rapidminer:MixedEuclideanDistance": "expanded",
      "rapidminer:EuclideanDistance": "expanded",
      "rapidminer:ChebychevDistance": "direct",
      "rapidminer:CorrelationSimilarity": "expanded",
      "rapidminer:CosineSimilarity": "expanded",
      "rapidminer:InnerProductSimilarity": "expanded",
      "rapidminer:KernelEuclideanDistance": "expanded",
      "rapidminer:ManhattanDistance": "direct",
      "rapidminer:GeneralizedIDivergence": "expanded",
      "rapidminer:KLDivergence": "expanded",
      "rapidminer:SquaredEuclideanDistance": "expanded",
      "rapidminer:SquaredLoss": "expanded",
    });
  });

  it("is the direct form for up to twelve columns", () => {
    expect([form({ cols: 12 }), form({ cols: 13 })]).toEqual(["direct", "expanded"]);
  });

  it("is float64 alone where distances may overflow, with the reason", () => {
    const technique = chooseTechnique(problem({ train: { largest: 1e200, exact: false } }));
    expect(technique).toMatchObject({
      form: "none",
      why: expect.stringMatching(/overflow float64/) as string,
    });
    expect(form({ metric: "manhattan", p: 1, train: { largest: 1e200, exact: false } })).toBe("direct");
    expect(form({ metric: "cosine", train: { largest: 1e300, exact: false } })).toBe("expanded");
  });

  it("is float64 alone where squares underflow", () => {
    const tiny = { largest: 1e-200, exact: false };
    expect(form({ train: tiny, queries: tiny })).toBe("none");
  });

  it("is float64 alone for exponents that float32 cannot order", () => {
    expect(form({ metric: "minkowski", p: 100 })).toBe("none");
    expect(form({ metric: "minkowski", p: 3 })).toBe("direct");
  });

  it("always says why", () => {
    for (const metric of metricNames) expect(techniqueOf({ metric }).why).toMatch(/\w{3,} \w/);
  });
});

function exponent(metric: string): number {
  return { manhattan: 1, chebyshev: Infinity, minkowski: 3 }[metric] ?? 2;
}

describe("the explanation", () => {
  const { end } = walk(planKnn(problem(), device(), { queries: 50 }), (job) =>
    done(job, (q) => (q === 7 ? 900 : 5)),
  );
  const explanation = explainKnn(end, {
    refinedPairs: 100,
    peakDeviceBytes: 3 * MIB,
    ms: 1500,
    note: undefined,
    stages: [{ name: "knn.select", dispatches: 2, seconds: 0.0015 }],
  });

  it("adds up what the jobs of this search did", () => {
    expect(explanation).toMatchObject({ dispatches: 8, pairs: 200, refinedPairs: 100, seconds: 1.5 });
  });

  it("tells the plan as it was executed", () => {
    expect(explanation).toMatchObject({
      jobs: 3,
      repeatedQueries: 1,
      exhaustiveQueries: 1,
      timesMemoryHalved: 0,
    });
    expect(explanation.largestTile).toMatchObject({ queries: 50 });
  });

  it("reads as one fact per line", () => {
    expect(explanationText(explanation).replace(/ {2,}/g, ": ")).toMatchInlineSnapshot(`
      "device: paper (gpu)
      technique: expanded form in float32, certified in float64, because |q|^2 + |r|^2 - 2 q.r over 16 columns is a matrix product, one operation per entry instead of two
      references: 1,000 rows resident in one buffer
      largest tile: 50 queries x 1,000 references
      jobs: 3, in 8 dispatches
      distances: 200 in float32, 100 in float64
      repeated: 1 queries with too many candidates
      wholly in float64: 1 queries
      memory: 3 MiB at most
      time: 1.500 s
      knn.select: 1.500 ms in 2 dispatches"
    `);
  });
});
