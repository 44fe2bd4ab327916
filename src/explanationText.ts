/**
 * This module makes explanations for people. Each operator's facts are its room's; this file knows whose they
 * are.
 */
import { distanceExplanationText, type DistanceHistogramExplanation } from "./ops/distances/index.ts";
import { knnExplanationText, type KnnExplanation } from "./ops/knn/index.ts";
import { explanationLines, type Explanation } from "./runtime/explain.ts";

/**
 * Formats an explanation for people, one fact per line.
 * @example
 * const { explanation } = await kneighbors([[0], [5]], [[4]], { k: 1, backend: "cpu", threads: 1 });
 * explanationText(explanation).split("\n")[0].startsWith("device"); // => true
 */
export function explanationText(explanation: Explanation): string {
  if (isKnn(explanation)) return knnExplanationText(explanation);
  return isOfDistances(explanation) ? distanceExplanationText(explanation) : explanationLines(explanation);
}

function isOfDistances(explanation: Explanation): explanation is DistanceHistogramExplanation {
  return explanation.operator === "distances";
}

function isKnn(explanation: Explanation): explanation is KnnExplanation {
  return explanation.operator === "knn";
}
