/**
 * This module makes explanations for people. Each operator's facts are its room's; this file knows whose they
 * are.
 */
import { knnExplanationText, type KnnExplanation } from "./ops/knn/index.ts";
import { explanationLines, type Explanation } from "./runtime/explain.ts";

/**
 * Formats an explanation for people, one fact per line.
 * @example
 * const { explanation } = await kneighbors([[0], [5]], [[4]], { k: 1, backend: "cpu", threads: 1 });
 * explanationText(explanation).split("\n")[0].startsWith("device"); // => true
 */
export function explanationText(explanation: Explanation): string {
  return isKnn(explanation) ? knnExplanationText(explanation) : explanationLines(explanation);
}

function isKnn(explanation: Explanation): explanation is KnnExplanation {
  return explanation.operator === "knn";
}
