/**
 * The buffer and the steps of a job whose lists begin with what a search of other rows found: bounds beyond
 * which nothing is wanted. `isSeeded` decides which lists can.
 */
import { type Step } from "../../../runtime/backend.ts";
import { rowAt, rowCount, type HostSource, type RowSet } from "../../../runtime/source.ts";
import { froundUp, scaleByPowerOfTwo } from "../../../core/math.ts";
import { rankBound, type Metric } from "../../../distance/metric.ts";
import { BOUND_BYTES } from "./tile.ts";
import { knnSeed } from "../primitives.ts";
import { separates } from "../../../distance/forms/filter.ts";
import { SMALLEST_NORMAL, LARGEST_FLOAT } from "../../../distance/float32.ts";
import type { KnnPlan } from "./knnPlan.ts";
import { run } from "../../../runtime/primitive.ts";

/** The result of a search of other rows: the key of each query's k-th nearest, or a rank that bounds it. */
export interface Before {
  kth(query: number): number;
}

/** Turns keys into ranks; undefined where no rank is known that makes a key. */
export function inRanks(before: Before, metric: Metric): Before | undefined {
  const rankOf = rankBound(metric);
  return rankOf && { kth: (query) => rankOf(before.kth(query)) };
}

/**
 * Tells whether values are the ranks that bounds are given in, and lists are of the kind that can begin with
 * bounds.
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

/**
 * Makes a source of ranks as bounds of values, which are ranks / 2^rankExponent: those known by the time they
 * are uploaded.
 */
export function boundsSource(before: Before, queries: number, rankExponent: number): HostSource {
  return {
    rows: queries,
    rowBytes: () => BOUND_BYTES,
    fill(_part, rows, target) {
      const out = new Float32Array(target.buffer, target.byteOffset, target.byteLength / BOUND_BYTES);
      for (let i = 0; i < rowCount(rows); i++) {
        const bound = froundUp(scaleByPowerOfTwo(before.kth(rowAt(rows, i)), -rankExponent));
        // For a bound that is NaN or beyond, the bound is the largest float, which no finite value exceeds.
        out[i] =
          bound > 0 && bound < SMALLEST_NORMAL
            ? SMALLEST_NORMAL
            : bound < LARGEST_FLOAT
              ? bound
              : LARGEST_FLOAT;
      }
    },
  };
}
