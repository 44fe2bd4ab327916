/**
 * Chooses how distances are filtered in float32 and says why: the expanded form (a matrix product), the direct form
 * (difference by difference), or none, when float64 itself is needed. Pure. Not sizes or tiles: those are tile.ts.
 */
import { boundOf, noBound } from "../core/bound.ts";
import type { Bound, BoundProblem } from "../core/bound.ts";
import { clamp, exponentOf, twoTo } from "../core/math.ts";
import type { Matrix } from "../core/matrix.ts";
import { metricNameOf } from "../core/metric.ts";
import type { Fitted, MetricOptions } from "../core/metric.ts";
import type { Preparation } from "../core/prepare.ts";
import type { DistanceCore } from "../core/primitives.ts";
import type { KnnProblem } from "./problem.ts";

export interface Filter {
  readonly form: "expanded" | "direct";
  readonly why: string;
  readonly core: DistanceCore;
  readonly p: number;
  readonly weight: number;
  readonly slack: number;
  readonly train: Preparation;
  readonly queries: Preparation;
  /** The rank of a pair is its value times 2^rankExponent. */
  readonly rankExponent: number;
  /** What the intervals were proved for. */
  readonly bounding: BoundProblem;
}

export interface NoFilter {
  readonly form: "none";
  readonly why: string;
}

export type Technique = Filter | NoFilter;

/** Up to this many columns a pair costs as much to store as to compute, and the direct form is the tighter one. */
export const DIRECT_COLUMNS = 12;

/** Sums of float32 values stay below 2^100, far from overflow, with the rest of the exponents left for small ones. */
const SUM_EXPONENT = 100;

/** Queries may be this many powers of two larger than train before train is scaled anew. */
const QUERY_HEADROOM = 10;

type Form = {
  readonly form: "expanded" | "direct";
  readonly core: DistanceCore;
  readonly dot: BoundProblem["dot"];
};

/** A form, or why there is none. */
function formOf(options: MetricOptions, fitted: Fitted, cols: number): Form | string {
  const { p = 2, columnWeights } = options;
  const metric = metricNameOf(options, fitted.kinds);
  if (fitted.gaps) return "values are missing, which float32 filters do not know yet";
  if (columnWeights) return "columns have weights, which float32 filters do not know yet";
  const difference = (exponent: number): Form => ({ ...differenceForm(exponent, cols), dot: "squared" });
  switch (metric) {
    case "euclidean":
    case "sqeuclidean":
      return difference(2);
    case "manhattan":
      return difference(1);
    case "chebyshev":
      return difference(Infinity);
    case "minkowski":
      return difference(p);
    case "cosine":
    case "correlation":
      return { form: "expanded", core: "dot", dot: "unit" };
    case "inner_product":
      return { form: "expanded", core: "dot", dot: "inner" };
    default:
      return `no float32 filter is known for ${metric}`;
  }
}

function differenceForm(p: number, cols: number): { form: "expanded" | "direct"; core: DistanceCore } {
  if (p === 2)
    return cols > DIRECT_COLUMNS ? { form: "expanded", core: "dot" } : { form: "direct", core: "l2" };
  return { form: "direct", core: p === 1 ? "l1" : p === Infinity ? "linf" : "lp" };
}

/**
 * Whether rows should be centred: wherever the metric allows it, but not float32 rows of a direct form, which are exact as
 * they are.
 */
export function wantsCentre(options: MetricOptions, fitted: Fitted, { data, cols }: Matrix): boolean {
  const form = formOf(options, fitted, cols);
  if (typeof form === "string" || form.dot !== "squared") return false;
  return form.form === "expanded" || !(data instanceof Float32Array);
}

export function chooseTechnique(problem: KnnProblem): Technique {
  const { metric, p, cols } = problem;
  const chosen = formOf({ ...problem.options, metric, p }, problem.fitted, cols);
  if (typeof chosen === "string") return { form: "none", why: chosen };
  const { form, core, dot } = chosen;
  if (mayOverflow(problem, dot)) {
    return { form: "none", why: "values are so large that a distance may overflow float64" };
  }
  const scale =
    dot === "unit" ? unitScale : dot === "inner" ? innerScale(problem) : differenceScale(problem, core);
  const boundProblem: BoundProblem = {
    core,
    dot,
    dims: cols,
    p,
    rounded: dot === "unit" || !(problem.train.exact && problem.queries.exact),
    largest: twoTo(scale.largest),
    underflow: scale.underflow,
  };
  const bound = problem.precision === "float32" ? noBound : boundOf(boundProblem);
  if (!bound) return { form: "none", why: `float32 keeps no useful order for ${cols} columns and p = ${p}` };
  if (!Number.isFinite(bound.marginConstant) || scale.underflow > twoTo(SUM_EXPONENT / 2)) {
    return { form: "none", why: "values are so small that float64 itself underflows" };
  }
  return {
    form,
    why: form === "expanded" ? whyExpanded(dot, cols) : whyDirect(core, cols),
    core,
    p: core === "lp" ? p : 0,
    weight: dot === "squared" ? -2 : -1,
    slack: bound.slack,
    ...sides(problem, core, dot, p, scale, bound),
    rankExponent: scale.rank,
    bounding: boundProblem,
  };
}

interface Scale {
  readonly train: number;
  readonly queries: number;
  /** Rank = value * 2^rank. */
  readonly rank: number;
  /** Entries stay below 2^largest. */
  readonly largest: number;
  /** What float64's own underflow adds to a scaled rank. */
  readonly underflow: number;
}

const unitScale: Scale = { train: 0, queries: 0, rank: 0, largest: 1, underflow: 0 };

function innerScale({ train, queries, cols }: KnnProblem): Scale {
  const target = 30;
  const t = train.largest === 0 ? 0 : target - exponentOf(train.largest);
  const q = queries.largest === 0 ? 0 : target - exponentOf(queries.largest);
  return { train: t, queries: q, rank: -(t + q), largest: target, underflow: cols * power(t + q - 1074) };
}

function differenceScale({ train, queries, cols, p }: KnnProblem, core: DistanceCore): Scale {
  const degree = core === "dot" || core === "l2" ? 2 : core === "lp" ? p : 1;
  const headroom = degree <= 2 ? QUERY_HEADROOM : 0;
  const room = Math.floor((SUM_EXPONENT - Math.ceil(Math.log2(cols))) / degree) - 2;
  const largest = clamp(room, -60, 60);
  const magnitude = Math.max(exponentOf(train.largest), exponentOf(queries.largest) - headroom);
  const exponent = magnitude === -Infinity ? 0 : largest - headroom - magnitude;
  const underflow = degree === 1 ? 0 : cols * power(exponent * degree - 1074);
  return { train: exponent, queries: exponent, rank: -exponent * degree, largest, underflow };
}

/** 2^e, saturating instead of asking for an exponent that no float64 has. */
function power(e: number): number {
  return e > 1023 ? Infinity : e < -1074 ? 0 : 2 ** e;
}

/** Among infinite distances only float64 itself can tell which rows tie. */
function mayOverflow({ train, queries, cols, p }: KnnProblem, dot: BoundProblem["dot"]): boolean {
  if (dot === "unit") return false;
  if (!Number.isFinite(train.largest) || !Number.isFinite(queries.largest)) return true;
  const t = exponentOf(train.largest);
  const q = exponentOf(queries.largest);
  const degree = p === Infinity ? 1 : Math.max(p, 1);
  const product = dot === "inner" ? t + q : degree * (Math.max(t, q) + 1);
  return product + Math.ceil(Math.log2(cols)) + 1 >= 1020;
}

function sides(
  { centre, metric }: KnnProblem,
  core: DistanceCore,
  dot: BoundProblem["dot"],
  p: number,
  scale: Scale,
  bound: Bound,
): Pick<Filter, "train" | "queries"> {
  const base = core !== "dot" || dot === "inner" ? "zero" : dot === "unit" ? "half" : "squaredNorm";
  const common = {
    core,
    base,
    centre,
    p,
    bound,
    unit: metric === "cosine" || metric === "correlation",
  } as const;
  return {
    train: { ...common, exponent: scale.train },
    queries: { ...common, exponent: scale.queries },
  };
}

function whyExpanded(dot: BoundProblem["dot"], cols: number): string {
  if (dot === "unit") return "the cosine of rows scaled to length 1 is a matrix product";
  if (dot === "inner") return "an inner product is a matrix product";
  return `|q|^2 + |r|^2 - 2 q.r over ${cols} columns is a matrix product, one operation per entry instead of two`;
}

function whyDirect(core: DistanceCore, cols: number): string {
  if (core === "l2")
    return `with ${cols} columns differences cost no more than a matrix product and err less`;
  return "this metric is no matrix product, so differences are taken entry by entry";
}
