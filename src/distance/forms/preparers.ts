/**
 * This module decides who prepares rows, the host or the device that takes them as they are, and whether the
 * device may evaluate the metric's rank in float64 on such rows. It is pure. The steps are
 * distance/prepareSteps.ts.
 */
import type { Form, Scale } from "./form.ts";
import type { PairProblem } from "../problem.ts";
import type { RowPreparation } from "../rows/preparation.ts";
import { preparePolicy } from "../gpu/policy.ts";
import { exponentOf } from "../../core/math.ts";
import type { Range } from "../rows/range.ts";
import type { MetricOptions } from "../measures/metricOptions.ts";
import type { MetricName } from "../measures/names.ts";
import { UNSCALED } from "./scale.ts";

export type Preparers = Readonly<Record<"train" | "queries", RowPreparation["on"]>>;

export const hostOnly: Preparers = { train: "host", queries: "host" };

/**
 * Float32 holds scales with these exponents, which leave what flushing takes from an entry far below the
 * others.
 */
const DEVICE_EXPONENTS = { least: -120, most: 60 };

/** Differences from the centre stay finite in float32 below this size. */
export const MOST_ON_DEVICE = 2 ** 126;

/**
 * One lane or the tree of lanes adds up at most so many terms to a base; beyond this their error is not
 * small.
 */
const MAX_BASE_TERMS = 2 ** 11;

export function baseTerms(cols: number): number {
  const { rowLanes } = preparePolicy;
  return 4 * Math.ceil(Math.ceil(cols / 4) / rowLanes) + Math.log2(rowLanes) + 1;
}

/** Says whether rows are only moved and scaled, so that a device can prepare them. */
export function isPlain(form: Form, cols: number): boolean {
  const plain = form.train.kind === "plain" && form.queries.kind === "plain" && form.core !== "lp";
  return plain && !form.mixed && baseTerms(cols) <= MAX_BASE_TERMS;
}

export function preparersOf(
  { cols, centre, train, queries }: PairProblem,
  form: Form,
  scale: Scale,
): Preparers {
  const movable = !form.movable || !centre || centre.every((mean) => Math.fround(mean) === mean);
  if (!movable || !isPlain(form, cols)) return hostOnly;
  const on = ({ single = false, largest }: Range, exponent: number) =>
    single &&
    largest < MOST_ON_DEVICE &&
    exponent >= DEVICE_EXPONENTS.least &&
    exponent <= DEVICE_EXPONENTS.most
      ? "device"
      : "host";
  const chosen = { train: on(train, scale.train), queries: on(queries, scale.queries) } as const;
  return chosen.train === "host" && chosen.queries === "host" ? hostOnly : chosen;
}

/** Tells whether the rank is a plain sum of squares of rows that need neither centre nor scale. */
export function isRefinable(
  { metric, options, centre, train, queries, precision, cols }: PairProblem,
  form: Form,
) {
  const squares = form.dot === "squared" && form.p === 2 && form.ties === undefined && isPlain(form, cols);
  const plain = mayRefine({ ...options, metric });
  const unscaled = [train, queries].every(
    ({ single = false, largest }) => single && exponentOf(largest) <= UNSCALED.most,
  );
  const large = Math.max(exponentOf(train.largest), exponentOf(queries.largest)) >= UNSCALED.least;
  return squares && plain && !centre && precision === "float64" && unscaled && large;
}

/** Tells whether a device may evaluate the metric in float64, where rows lie there as they are. */
export function mayRefine({ metric = "euclidean", columnWeights }: MetricOptions): boolean {
  return refinedMetrics.has(metric) && columnWeights === undefined;
}

const refinedMetrics: ReadonlySet<MetricName> = new Set([
  "euclidean",
  "sqeuclidean",
  "nan_euclidean",
  "minkowski",
]);
