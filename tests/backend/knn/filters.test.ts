/**
 * That filters filter: on random data a measure with a filter evaluates at most max(4 k, 1 %) of the rows in
 * float64, having looked at every pair on the device; and answers like a plain evaluation of everything.
 */
import { describe, expect, it } from "vitest";
import { kneighbors } from "../../../dist/node.js";
import type { KneighborsOptions, MetricOptions } from "../../../dist/node.js";
import { measure } from "../../oracle/measures.ts";
import { Random, printedSeed } from "../../oracle/random.ts";
import { onEachBackend } from "../helpers.ts";
import { matrix } from "../inputs.ts";
import type { Flat } from "../inputs.ts";

const seed = printedSeed();
const [ROWS, QUERIES, COLS, K] = [2000, 6, 16, 5];

const kernel = (kernel: MetricOptions["kernel"]): MetricOptions => ({
  metric: "rapidminer:KernelEuclideanDistance",
  kernel,
});

/** The flattening kernels also where nearly every row is at the largest distance. */
const filtered: (MetricOptions & { readonly spread?: number })[] = [
  { metric: "euclidean", columnWeights: Float64Array.from({ length: COLS }, (_, j) => 1 + (j % 3)) },
  { metric: "manhattan", columnWeights: Float64Array.from({ length: COLS }, (_, j) => 1 + (j % 3)) },
  { metric: "nan_euclidean" },
  { metric: "mixed_euclidean" },
  { metric: "rapidminer:MixedEuclideanDistance" },
  { metric: "rapidminer:EuclideanDistance" },
  { metric: "rapidminer:SquaredEuclideanDistance" },
  { metric: "rapidminer:ManhattanDistance" },
  { metric: "rapidminer:ChebychevDistance" },
  { metric: "rapidminer:CosineSimilarity" },
  { metric: "rapidminer:CorrelationSimilarity" },
  { metric: "rapidminer:InnerProductSimilarity" },
  { metric: "rapidminer:KLDivergence" },
  { metric: "rapidminer:GeneralizedIDivergence" },
  { metric: "rapidminer:MahalanobisDistance" },
  kernel({ type: "dot" }),
  kernel({ type: "radial" }),
  { ...kernel({ type: "radial" }), spread: 100 },
  kernel({ type: "epanechnikov", sigma1: 9 }),
  { ...kernel({ type: "epanechnikov" }), spread: 100 },
  kernel({ type: "multiquadric" }),
  kernel({ type: "polynomial" }),
  kernel({ type: "polynomial", degree: 2, shift: -5 }),
];

const describeMeasure = ({ metric, kernel, columnWeights, spread }: (typeof filtered)[number]) =>
  [metric, kernel?.type, columnWeights && "with weights", spread && "where all rows tie"]
    .filter(Boolean)
    .join(" ");

function rowOf({ data, cols }: Flat, row: number): number[] {
  return Array.from({ length: cols }, (_, j) => Number(data[row * cols + j]));
}

describe("a measure with a filter", () => {
  onEachBackend((device) => {
    it.each(filtered.map((options) => [describeMeasure(options), options] as const))(
      "evaluates few rows in float64: %s",
      async (_, { spread = 1, ...options }) => {
        const random = new Random(seed);
        const value = () => spread * random.uniform(0.01, 1);
        const [train, queries] = [matrix(ROWS, COLS, value), matrix(QUERIES, COLS, value)];
        const asked: KneighborsOptions = { ...options, k: K, device: device() };
        const { indices, distances, explanation } = await kneighbors(train, queries, asked);
        expect(explanation.technique).toMatch(/certified in float64/);
        expect(explanation.refinedPairs).toBeLessThanOrEqual(QUERIES * Math.max(4 * K, ROWS / 100));
        const training = Array.from({ length: ROWS }, (_, row) => rowOf(train, row));
        const setting = {
          training,
          ...(options.kernel ? { kernel: options.kernel as Record<string, number> } : {}),
          ...(options.columnWeights ? { weights: Array.from(options.columnWeights) } : {}),
        };
        const tolerance = options.metric === "rapidminer:MahalanobisDistance" ? 1e-10 : 0;
        const query = rowOf(queries, 0);
        const order = training
          .map((row, index) => ({
            index,
            distance: measure(options.metric ?? "", row, query, setting).value,
          }))
          .sort((a, b) => a.distance - b.distance || a.index - b.index);
        for (let at = 0; at < K; at++) {
          expect(indices[at]).toBe(order[at].index);
          expect(Math.abs(distances[at] - order[at].distance)).toBeLessThanOrEqual(tolerance);
        }
      },
    );
  });
});
