/**
 * These are the options of a metric, and which of them belong to which metric. They are plain data, so that
 * they may travel to a worker.
 */
import { InvalidInputError, oneOf } from "../../core/errors.ts";
import { type OptionNames } from "../../core/options.ts";
import { type ColumnKind, hasNominal, missingPolicies, type MissingPolicy } from "../../core/matrix.ts";
import { resolveKernel, type KernelOptions } from "./kernels.ts";
import { isTextbook, metricNames } from "./names.ts";
import type { MetricName } from "./names.ts";

/**
 * These options define the distance between two rows.
 * @example
 * const options: MetricOptions = { metric: "minkowski", p: 1, columnWeights: [1, 2] };
 * const { distances } = await kneighbors([[3, 4]], [[0, 0]], { k: 1, ...options });
 * distances; // => [11]
 */
export interface MetricOptions {
  /**
   * It names the metric: default "euclidean", or "mixed_euclidean" if some columns are nominal. Nearer rows
   * always have smaller values: cosine and correlation are 1 - similarity, inner_product is -x.q.
   * RapidMiner's measures have the prefix "rapidminer:", as in "rapidminer:CamberraDistance".
   */
  readonly metric?: MetricName | undefined;
  /** Minkowski has this exponent, above 0, Infinity allowed; default 2. */
  readonly p?: number | undefined;
  /** It is the kernel of rapidminer:KernelEuclideanDistance; default radial with gamma 1. */
  readonly kernel?: KernelOptions | undefined;
  /**
   * Each column's term is multiplied by a weight of at least 0, as by SciPy's `w`: sum w |x - q|^p; default
   * 1. This is for euclidean, sqeuclidean, manhattan, minkowski with a finite p, nan_euclidean,
   * mixed_euclidean and hamming.
   */
  readonly columnWeights?: ArrayLike<number> | undefined;
  /**
   * It says what a NaN in a matrix, or a missing cell of a table, means. "error", the default for matrices,
   * rejects it. "skip", the default for tables, leaves out a column that is missing on either side; rows with
   * no column in common come last, at distance NaN. RapidMiner's measures keep their own rules. "rescale"
   * also multiplies the sum by (columns / common columns), as nan_euclidean always does; it is for metrics
   * that sum differences.
   */
  readonly missing?: MissingPolicy | undefined;
}

export const metricOptionNames: OptionNames<MetricOptions> = {
  metric: 1,
  p: 1,
  kernel: 1,
  columnWeights: 1,
  missing: 1,
};

export function metricNameOf(
  { metric }: MetricOptions,
  kinds: readonly ColumnKind[] | undefined,
): MetricName {
  return metric ?? (hasNominal(kinds) ? "mixed_euclidean" : "euclidean");
}

/** Returns the policy that toMatrix has for missing cells; undefined leaves it to the matrix. */
export function missingPolicyOf({ metric, missing }: MetricOptions): MissingPolicy | undefined {
  return missing ?? (metric === "nan_euclidean" ? "rescale" : undefined);
}

const weighted: readonly MetricName[] = [
  "euclidean",
  "sqeuclidean",
  "manhattan",
  "minkowski",
  "nan_euclidean",
  "mixed_euclidean",
  "hamming",
];

const rescaled: readonly MetricName[] = weighted.filter((name) => name !== "hamming");

/**
 * Checks all options.
 * @throws InvalidInputError for an unknown name, a value out of range, or an option the metric does not have.
 */
export function checkOptions({
  metric = "euclidean",
  p,
  kernel,
  columnWeights,
  missing,
}: MetricOptions): void {
  if (!metricNames.includes(metric)) throw unknownMetric(metric);
  if (metric === "minkowski") checkExponent(p ?? 2);
  else if (p !== undefined) throw new InvalidInputError(`p is ${p}, but ${metric} has no exponent`);
  if (kernel !== undefined && metric !== "rapidminer:KernelEuclideanDistance")
    throw new InvalidInputError(
      `a kernel is given, but ${metric} has none; it belongs to rapidminer:KernelEuclideanDistance`,
    );
  resolveKernel(kernel);
  if (columnWeights !== undefined) checkWeights(metric, p, columnWeights);
  if (missing === undefined) return;
  if (!missingPolicies.includes(missing)) {
    throw new InvalidInputError(`missing is ${JSON.stringify(missing)}; expected ${oneOf(missingPolicies)}`);
  }
  if (missing === "rescale" && !isRescaled(metric, p)) {
    throw new InvalidInputError(
      `missing "rescale" needs a sum of differences, which ${metric} is not; use "skip", or one of ${oneOf(rescaled)}`,
    );
  }
}

/** No exponent p is smaller: the root has the exponent 1 / p, which must be finite. */
const LEAST_EXPONENT = 1e-300;

function checkExponent(p: number): void {
  if (typeof p === "number" && p >= LEAST_EXPONENT) return;
  const range = p > 0 ? `above 0, and at least ${LEAST_EXPONENT}` : "above 0";
  throw new InvalidInputError(`p is ${p}; the Minkowski exponent must be ${range}`);
}

export function unknownMetric(name: string): InvalidInputError {
  const [own, rapidminer] = [metricNames.filter(isTextbook), metricNames.filter((each) => !isTextbook(each))];
  const expected = /^rapidminer|Distance$|Similarity$|Divergence$|Loss$/.test(name)
    ? oneOf(rapidminer)
    : `${own.join(", ")}, or a measure of RapidMiner's such as ${rapidminer[0]}`;
  return new InvalidInputError(`unknown metric ${JSON.stringify(name) ?? typeof name}; expected ${expected}`);
}

function isRescaled(metric: MetricName, p: number | undefined): boolean {
  return rescaled.includes(metric) && !(metric === "minkowski" && p === Infinity);
}

function checkWeights(metric: MetricName, p: number | undefined, weights: ArrayLike<number>): void {
  if (!weighted.includes(metric) || (metric === "minkowski" && p === Infinity)) {
    throw new InvalidInputError(
      `columnWeights do not apply to ${metric}${metric === "minkowski" ? " with p = Infinity" : ""}; they belong to ` +
        `${oneOf(weighted)}`,
    );
  }
  for (let j = 0; j < weights.length; j++) {
    if (Number.isFinite(weights[j]) && weights[j] >= 0) continue;
    throw new InvalidInputError(
      `the weight of column ${j} is ${weights[j]}; expected a finite number of at least 0`,
    );
  }
}
