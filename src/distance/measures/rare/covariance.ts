/**
 * This module finds what MahalanobisDistance must know of train: the inverse of its covariance, by an LU
 * decomposition with partial pivoting, so that results are good to rounding times the condition number. A
 * missing training value makes covariances, and so all distances, NaN.
 */
import { InvalidInputError } from "../../../core/errors.ts";
import type { Matrix } from "../../../core/matrix.ts";
import type { Yielding } from "../../../core/async/yielding.ts";

/**
 * This is PIECE of core/async/yielding.ts; an import from there would make bundles load that in a piece of
 * its own.
 */
const PIECE = 65_536;

/** Computes the covariance, row-major [cols][cols], from centred columns. */
export function* covariance({ data, rows, cols }: Matrix): Yielding<Float64Array> {
  const means = new Float64Array(cols);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) means[j] += data[i * cols + j];
    if (endsPiece(i, cols)) yield;
  }
  for (let j = 0; j < cols; j++) means[j] /= rows;
  const result = new Float64Array(cols * cols);
  const row = new Float64Array(cols);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) row[j] = data[i * cols + j] - means[j];
    addProducts(row, result);
    if (endsPiece(i, cols * cols)) yield;
  }
  for (let a = 0; a < cols; a++) {
    for (let b = a; b < cols; b++) result[b * cols + a] = result[a * cols + b] /= rows - 1;
  }
  return result;
}

/** Tells whether it is time to pause after step i of many that take so many operations each. */
export function endsPiece(i: number, operations: number): boolean {
  return (i + 1) % Math.ceil(PIECE / operations) === 0;
}

/** Adds the upper triangle of the row's products with itself. */
function addProducts(row: Float64Array, sums: Float64Array): void {
  const cols = row.length;
  for (let a = 0; a < cols; a++) {
    for (let b = a; b < cols; b++) sums[a * cols + b] += row[a] * row[b];
  }
}

/**
 * Computes the inverse of the covariance of train, row-major [cols][cols].
 * @throws InvalidInputError for one that is exactly singular
 */
export function* inverseOf(spread: Float64Array, train: Matrix): Yielding<Float64Array> {
  const { cols } = train;
  const lu = spread.slice();
  const inverse = new Float64Array(cols * cols);
  for (let j = 0; j < cols; j++) inverse[j * cols + j] = 1;
  for (let pivot = 0; pivot < cols; pivot++) {
    const best = largestBelow(lu, cols, pivot);
    if (best !== pivot) {
      swapRows(lu, cols, best, pivot);
      swapRows(inverse, cols, best, pivot);
    }
    const divisor = lu[pivot * cols + pivot];
    if (divisor === 0) throw singular(train);
    for (let i = pivot + 1; i < cols; i++) {
      const factor = lu[i * cols + pivot] / divisor;
      if (factor === 0) continue;
      for (let j = pivot; j < cols; j++) lu[i * cols + j] -= factor * lu[pivot * cols + j];
      for (let j = 0; j < cols; j++) inverse[i * cols + j] -= factor * inverse[pivot * cols + j];
    }
    if (endsPiece(pivot, 2 * cols * cols)) yield;
  }
  for (let pivot = cols - 1; pivot >= 0; pivot--) {
    for (let j = 0; j < cols; j++) inverse[pivot * cols + j] /= lu[pivot * cols + pivot];
    for (let i = 0; i < pivot; i++) {
      const factor = lu[i * cols + pivot];
      for (let j = 0; j < cols; j++) inverse[i * cols + j] -= factor * inverse[pivot * cols + j];
    }
    if (endsPiece(pivot, cols * cols)) yield;
  }
  return inverse;
}

function largestBelow(lu: Float64Array, cols: number, pivot: number): number {
  let best = pivot;
  for (let i = pivot + 1; i < cols; i++) {
    if (Math.abs(lu[i * cols + pivot]) > Math.abs(lu[best * cols + pivot])) best = i;
  }
  return best;
}

function swapRows(matrix: Float64Array, cols: number, a: number, b: number): void {
  const kept = matrix.slice(a * cols, (a + 1) * cols);
  matrix.copyWithin(a * cols, b * cols, (b + 1) * cols);
  matrix.set(kept, b * cols);
}

function singular({ rows, cols }: Matrix): InvalidInputError {
  return new InvalidInputError(
    `the covariance of train (${rows} rows, ${cols} columns) is singular, so rapidminer:MahalanobisDistance is not ` +
      `defined: a column is constant, or a sum of others, or there are too few rows; leave such columns out`,
  );
}
