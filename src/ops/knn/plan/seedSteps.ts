/**
 * Lists may begin with what a search of other rows found: bounds beyond which nothing is wanted (bounds.ts).
 * This makes the steps of such jobs. `isSeeded` decides which lists can.
 */
import { type Step } from "../../../runtime/backend.ts";
import { rowCount, type RowSet } from "../../../runtime/source.ts";
import { rankBound, type Metric } from "../../../distance/metric.ts";
import type { Before } from "./bounds.ts";
import { knnSeed } from "../primitives.ts";
import { separates } from "../../../distance/forms/filter.ts";
import type { KnnPlan } from "./knnPlan.ts";
import { run } from "../../../runtime/primitive.ts";

/** Turns keys into ranks; undefined where no rank is known that makes a key. */
export function inRanks(before: Before, metric: Metric): Before | undefined {
  const rankOf = rankBound(metric);
  return rankOf && { kth: (query) => rankOf(before.kth(query)) };
}

/**
 * Tells whether values are the ranks that bounds are given in, and whether lists are of the kind that can
 * begin with bounds.
 */
export function isSeeded({
  problem,
  technique,
  tree,
}: Pick<KnnPlan, "problem" | "technique" | "tree">): boolean {
  const { bounded = false, keepAll, precision } = problem;
  if (!bounded || keepAll || precision === "float32") return false;
  if (tree || technique.form === "none") return false;
  return separates(technique) && !technique.points && Number.isInteger(technique.rankExponent);
}

/** Makes the steps that begin lists: empty, or with their bounds. */
export function beginLists(plan: KnnPlan, rows: RowSet, capacity: number): Step[] {
  if (!isSeeded(plan)) return [{ kind: "clear", buffer: "heads" }];
  const { k } = plan.problem;
  const queryRows = rowCount(rows);
  return [
    { kind: "upload", to: "bounds", source: "bounds", part: "all", rows },
    run(knnSeed, {
      params: { k, capacity, queryRows },
      bindings: { bounds: "bounds", heads: "heads", candidates: "candidates", intervals: "intervals" },
      cost: queryRows * k,
    }),
  ];
}
