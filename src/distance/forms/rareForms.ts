/**
 * These are the float32 forms of measures that few searches use: divergences, Mahalanobis, powers of inner
 * products (power.ts). It is pure. They are loaded with mixed.ts where one of them is asked for; the usual
 * forms are forms.ts.
 */
import type { Kernel } from "../measures/kernels.ts";
import type { Fitted, MetricName } from "../metric.ts";
import { entropyRows, logarithmRows, whitenedRows } from "../rows/rareForms.ts";
import type { Entropy } from "../rows/rareForms.ts";
import { powerFormOf } from "./power.ts";
import { defaults, type Form } from "./form.ts";

/** Returns a form, a reason why there is none, or undefined for other measures. */
export function rareFormOf(
  metric: MetricName,
  { type, degree, shift }: Kernel,
  fitted: Fitted,
  cols: number,
): Form | string | undefined {
  switch (metric) {
    case "rapidminer:KLDivergence":
      return entropy({ binary: true, differences: false });
    case "rapidminer:GeneralizedIDivergence":
      return entropy({ binary: false, differences: true });
    case "rapidminer:MahalanobisDistance":
      return whitened(fitted, cols);
    case "rapidminer:KernelEuclideanDistance":
      return type === "polynomial" && degree > 1 ? powerFormOf(degree, shift) : undefined;
    default:
      return undefined;
  }
}

function entropy(of: Entropy): Form {
  return {
    ...defaults,
    form: "expanded",
    core: "dot",
    dot: "entropy",
    base: "own",
    weight: -1,
    train: entropyRows(of),
    queries: logarithmRows(of),
    why: "sum x log x - x.log q is a matrix product of rows and logarithms of queries",
  };
}

/**
 * Young's inequality may take the share YOUNG of the interval; K is float64's rounding
 * (distance/bound/bound.ts).
 */
const [YOUNG, K] = [2 ** -26, 2 ** -53];

function whitened({ whitening }: Fitted, cols: number): Form | string {
  if (!whitening)
    return "the covariance of train is not positive definite in float64, so rows cannot be whitened";
  const { map, norm, inverseNorm, drift } = whitening;
  const rounding = (cols + 3) * K * norm;
  const rows = whitenedRows(map);
  return {
    ...defaults,
    form: "expanded",
    core: "dot",
    dot: "whitened",
    base: "squaredNorm",
    weight: -2,
    train: rows,
    queries: rows,
    movable: true,
    growth: Math.max(1, cols * norm),
    displaced: YOUNG / 2,
    sizeFactor: 2.02 * (drift + (2 * cols + 6) * K * inverseNorm + (1 + 1 / YOUNG) * rounding * rounding),
    why: "after whitening, Mahalanobis is Euclidean, and that is a matrix product",
  };
}
