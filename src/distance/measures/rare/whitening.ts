/**
 * This module finds the linear map that turns the Mahalanobis distance into the Euclidean one, W with W'W =
 * C^-1, and how far that is from the inverse which the float64 definition uses. It serves a filter only:
 * distances come from mahalanobis.ts.
 */
import type { Matrix } from "../../../core/matrix.ts";
import type { Yielding } from "../../../core/async/yielding.ts";
import type { Fitted, Whitening } from "../contract.ts";
import { covariance, endsPiece, inverseOf } from "./covariance.ts";

/**
 * Finds what MahalanobisDistance must know of train. It is loaded where a search asks for that distance.
 * @throws InvalidInputError for a covariance that is exactly singular
 */
export function* spreadOf(train: Matrix): Yielding<Pick<Fitted, "inverse" | "whitening">> {
  const spread = yield* covariance(train);
  const inverse = yield* inverseOf(spread, train);
  return { inverse, whitening: yield* whiteningOf(spread, inverse, train.cols) };
}

/** Finds the map. @returns undefined where the covariance is not positive definite in float64. */
function* whiteningOf(
  spread: Float64Array,
  inverse: Float64Array,
  cols: number,
): Yielding<Whitening | undefined> {
  const map = yield* invertLower(yield* cholesky(spread, cols), cols);
  const product = new Float64Array(cols * cols);
  for (let a = 0; a < cols; a++) {
    for (let b = 0; b < cols; b++) {
      let sum = 0;
      for (let i = Math.max(a, b); i < cols; i++) sum += map[i * cols + a] * map[i * cols + b];
      product[a * cols + b] = inverse[a * cols + b] - sum;
    }
    if (endsPiece(a, cols * cols)) yield;
  }
  const norm = frobenius(map);
  const inverseNorm = frobenius(inverse);
  const drift = frobenius(product) + (cols + 4) * 2 ** -52 * (norm * norm + inverseNorm);
  return Number.isFinite(drift) ? { map, norm, inverseNorm, drift } : undefined;
}

/** Computes L of C = L L'; NaN where C is not positive definite. */
function* cholesky(matrix: Float64Array, cols: number): Yielding<Float64Array> {
  const lower = new Float64Array(cols * cols);
  for (let i = 0; i < cols; i++) {
    for (let j = 0; j <= i; j++) {
      let rest = matrix[i * cols + j];
      for (let k = 0; k < j; k++) rest -= lower[i * cols + k] * lower[j * cols + k];
      lower[i * cols + j] = i === j ? Math.sqrt(rest) : rest / lower[j * cols + j];
    }
    if (endsPiece(i, cols * cols)) yield;
  }
  return lower;
}

function* invertLower(lower: Float64Array, cols: number): Yielding<Float64Array> {
  const inverse = new Float64Array(cols * cols);
  for (let j = 0; j < cols; j++) {
    for (let i = j; i < cols; i++) {
      let sum = i === j ? 1 : 0;
      for (let k = j; k < i; k++) sum -= lower[i * cols + k] * inverse[k * cols + j];
      inverse[i * cols + j] = sum / lower[i * cols + i];
    }
    if (endsPiece(j, cols * cols)) yield;
  }
  return inverse;
}

function frobenius(matrix: Float64Array): number {
  let sum = 0;
  for (const value of matrix) sum += value * value;
  return Math.sqrt(sum);
}
