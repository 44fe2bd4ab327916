/**
 * This module gives the float32 form of each metric: which core computes it and what rows it needs, or why
 * there is none. Every form's value rises with the distance, often through a last step (a root, an
 * exponential, an angle) that only float64 takes. It is pure. Scales and bounds are not here: those are
 * technique.ts and distance/bound/bound.ts.
 */
import { exp } from "../../core/float/explog.ts";
import { pow } from "../../core/float/fdlibm.ts";
import { plural } from "../../core/plural.ts";
import { resolveKernel } from "../measures/kernels.ts";
import { metricNameOf } from "../metric.ts";
import type { Fitted, MetricName, MetricOptions } from "../metric.ts";
import type { RowForm } from "../rows/forms.ts";
import { hasNominal } from "../../core/matrix.ts";
import { defaults, type Form } from "./form.ts";

/**
 * Up to so many columns a pair costs as much to store as to compute, and the direct form is the tighter one.
 */
export const DIRECT_COLUMNS = 12;

const plain: RowForm = { kind: "plain" };

/** These measures compare numbers as codes, or few ask for them. */
const rare: ReadonlySet<MetricName | undefined> = new Set([
  "hamming",
  "jaccard",
  "dice",
  "rapidminer:KLDivergence",
  "rapidminer:GeneralizedIDivergence",
  "rapidminer:MahalanobisDistance",
]);

/**
 * Tells whether rows hold codes or have gaps, or the measure is rare: these have forms of their own
 * (mixed.ts, rareForms.ts).
 */
export function isMixed({ metric, kernel }: MetricOptions, { kinds, gaps = false }: Fitted): boolean {
  const { type, degree } = resolveKernel(kernel);
  return gaps || hasNominal(kinds) || rare.has(metric) || (type === "polynomial" && degree > 1);
}

/**
 * Returns the form of rows of numbers without gaps, or why there is none; rare measures have theirs in
 * rareForms.ts.
 * @param reach no squared difference of two rows is larger
 */
export function formOf(options: MetricOptions, fitted: Fitted, cols: number, reach: number): Form | string {
  const { p = 2, columnWeights: weights } = options;
  const metric = metricNameOf(options, fitted.kinds);
  switch (metric) {
    case "mixed_euclidean":
    case "rapidminer:MixedEuclideanDistance":
    case "euclidean":
    case "sqeuclidean":
    case "nan_euclidean":
    case "rapidminer:EuclideanDistance":
    case "rapidminer:SquaredEuclideanDistance":
    case "rapidminer:SquaredLoss":
      return difference(2, cols, weights);
    case "manhattan":
    case "rapidminer:ManhattanDistance":
      return difference(1, cols, weights);
    case "chebyshev":
    case "rapidminer:ChebychevDistance":
      return difference(Infinity, cols);
    case "minkowski":
      return difference(p, cols, weights);
    case "cosine":
      return { ...unit(false, false, "normal", "normal"), isRank: true };
    case "correlation":
      return { ...unit(true, false, "normal", "normal"), isRank: true };
    case "rapidminer:CosineSimilarity":
      return unit(false, true, "normal", "unknown");
    case "rapidminer:CorrelationSimilarity":
      return unit(true, true, "last", "unknown");
    case "inner_product":
    case "rapidminer:InnerProductSimilarity":
      return { ...defaults, ...matrix("inner", "an inner product is a matrix product"), isRank: true };
    case "rapidminer:KernelEuclideanDistance":
      return kernelForm(options, cols, reach);
    default:
      return `no float32 filter is known for ${metric}`;
  }
}

function matrix(dot: Form["dot"], why: string): Pick<Form, "form" | "core" | "dot" | "why"> {
  return { form: "expanded", core: "dot", dot, why };
}

/** Makes sum w |x - q|^p a sum over columns scaled by w^(1/p). */
function difference(p: number, cols: number, weights?: ArrayLike<number>): Form {
  const shared = { ...defaults, dot: "squared", p, weight: -2, movable: true, isRank: true } as const;
  const factors = weights && Float64Array.from(weights, (weight) => pow(weight, 1 / p));
  const rows: RowForm = factors ? { kind: "weighted", factors } : plain;
  const weighting = { train: rows, queries: rows, growth: factors ? Math.max(1, ...factors) : 1 };
  if (p === 2 && cols > DIRECT_COLUMNS) {
    const why = `|q|^2 + |r|^2 - 2 q.r over ${cols} columns is a matrix product, one operation per entry instead of two`;
    return { ...shared, ...matrix("squared", why), ...weighting, base: "squaredNorm" };
  }
  const why =
    p === 2
      ? `with ${plural(cols, "column")} differences cost no more than a matrix product and err less`
      : "this metric is no matrix product, so differences are taken entry by entry";
  const core = p === 2 ? "l2" : p === 1 ? "l1" : p === Infinity ? "linf" : "lp";
  return { ...shared, form: "direct", core, ...weighting, why };
}

type Zero = Extract<RowForm, { kind: "unit" }>["zero"];

function unit(centred: boolean, guarded: boolean, zeroTrain: Zero, zeroQuery: Zero): Form {
  return {
    ...defaults,
    ...matrix("unit", "the cosine of rows scaled to length 1 is a matrix product"),
    base: "half",
    train: { kind: "unit", centred, guarded, zero: zeroTrain },
    queries: { kind: "unit", centred, guarded, zero: zeroQuery },
  };
}

function kernelForm({ kernel: given }: MetricOptions, cols: number, reach: number): Form | string {
  const kernel = resolveKernel(given);
  const { type, gamma, sigma1, degree, shift } = kernel;
  const squares = difference(2, cols);
  const product = {
    ...defaults,
    ...matrix("squared", "this kernel's distance is the squared Euclidean one, a matrix product"),
    base: "squaredNorm",
    weight: -2,
  } as const;
  switch (type) {
    case "dot":
      return product;
    case "polynomial":
      if (degree > 1) return "the kernel is a power of an inner product";
      return { ...product, absolute: 2 ** -48 * Math.abs(shift) };
    case "radial":
      return flattening(squares, gamma, 1, (t) => exp(-t), reach);
    case "epanechnikov":
      return flattening(
        squares,
        1 / sigma1,
        Math.min(1, degree),
        (t) => (t < 1 ? pow(1 - t, degree) : 0),
        reach,
      );
    case "multiquadric":
      if (sigma1 === 0) return "sigma1 is 0, so this kernel is not finite";
      return {
        ...defaults,
        ...matrix("farthest", "this kernel falls with distance: the farthest rows, by a matrix product"),
        base: "minusSquaredNorm",
        weight: 2,
        movable: true,
        absolute: 2 ** -46 * sigma1 * shift * shift + 2 ** -1073 * sigma1,
      };
    default:
      return `no float32 filter is known for the kernel ${type}`;
  }
}

/** Below this value kernels differ too little from 0 for float64 to keep all rows apart. */
const FLAT = exp(-17);

/**
 * Makes the form of 2 - 2 K(t), t = rate * |x-q|^2, where K falls from 1 to 0. Computed in float64 it errs by
 * less than 2^-51, so rows whose K is at least FLAT are kept apart when their t differ by 2^-50 / (FLAT *
 * steepness); steepness bounds -K'(t) / K(t) from below.
 */
function flattening(
  squares: Form,
  rate: number,
  steepness: number,
  kernel: (t: number) => number,
  reach: number,
): Form | string {
  if (!(rate > 0) || rate === Infinity || steepness === 0)
    return "with these parameters all rows are equally far";
  const least = Math.max(FLAT, kernel(reach * rate));
  return {
    ...squares,
    isRank: false,
    absolute: 2 ** -49 / (least * steepness) / rate,
    ties: least > FLAT ? undefined : { from: 2 - 2.2 * FLAT, ceiling: 2 },
    why: `this kernel's distance rises with the squared Euclidean one; ${squares.why}`,
  };
}
