/**
 * This oracle finds neighbours by any measure, of rows that may have gaps: every row compared with every
 * query by the definitions of knn.ts and measures.ts, everything sorted. It is slow and obvious on purpose,
 * and shares no code with src/ but types.
 */
import pow from "@stdlib/math-base-special-pow";
import type { MetricOptions } from "../../src/distance/metric.ts";
import { distanceOf, rankOf } from "./knn.ts";
import type { ClassicMetric } from "./knn.ts";
import { measure } from "./measures.ts";
import type { Cell, Kind } from "./measures.ts";

export interface Measuring {
  readonly options: MetricOptions;
  readonly kinds: readonly Kind[];
  /** null is missing. */
  readonly train: readonly (readonly Cell[])[];
}

/** One row of train as a query sees it. */
export interface Compared {
  readonly index: number;
  /**
   * The value that neighbours are ordered by: the distance, but for those that are ranked before their root.
   */
  readonly rank: number;
  readonly distance: number;
}

const classic: readonly string[] = [
  "euclidean",
  "sqeuclidean",
  "manhattan",
  "chebyshev",
  "minkowski",
  "cosine",
  "correlation",
  "inner_product",
];

/** Compares all rows of train, in their order, with a query. */
export function comparedWith(query: readonly Cell[], measuring: Measuring): Compared[] {
  return measuring.train.map((row, index) => ({ index, ...compare(row, query, measuring) }));
}

/** Orders the same by (rank by value, index), NaN last. */
export function ordered(compared: readonly Compared[]): Compared[] {
  return compared.toSorted((a, b) => byValue(a.rank, b.rank) || a.index - b.index);
}

function byValue(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

function compare(
  row: readonly Cell[],
  query: readonly Cell[],
  measuring: Measuring,
): Omit<Compared, "index"> {
  const { options, kinds, train } = measuring;
  const { p = 2, kernel, columnWeights, missing } = options;
  const metric =
    options.metric ?? (kinds.every((kind) => kind === "numeric") ? "euclidean" : "mixed_euclidean");
  const weights = columnWeights && Array.from(columnWeights);
  if (!classic.includes(metric) || weights || missing === "rescale") {
    const setting = {
      kinds,
      training: train,
      p,
      ...(kernel ? { kernel: kernel as Record<string, number | string> } : {}),
      ...(weights ? { weights } : {}),
      ...(missing === "rescale" ? { missing } : {}),
    };
    const { value } = measure(metric, row, query, setting);
    const isRanked = metric === "minkowski" && ![1, 2].includes(p);
    return { rank: value, distance: isRanked ? pow(value, 1 / p) : value };
  }
  const common = row.flatMap((_, j) => (row[j] === null || query[j] === null ? [] : [j]));
  if (common.length === 0) return { rank: NaN, distance: NaN };
  const whole = common.length === row.length;
  const of = (cells: readonly Cell[]) =>
    whole ? (cells as readonly number[]) : common.map((j) => cells[j] ?? NaN);
  const asked = { metric: metric as ClassicMetric, p };
  return { rank: rankOf(of(row), of(query), asked), distance: distanceOf(of(row), of(query), asked) };
}
