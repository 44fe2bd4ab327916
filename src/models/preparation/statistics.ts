/**
 * Computes the mean and the variance of the numbers of a column, missing cells left out. By default it takes
 * two passes, which are exact to a few bits. To match RapidMiner to the last bit it takes that tool's one
 * pass, which cancels where the mean is large against the deviation.
 */
import type { NumericColumn } from "../../table/column.ts";
import type { Compat } from "../nearestNeighbors.ts";

export interface Moments {
  readonly mean: number;
  /** It has the divisor n - 1; 0 for a single number and for equal ones. */
  readonly variance: number;
}

/** Returns the values of a column without its gaps, in row order. */
export function presentValues({ values, valid }: NumericColumn): Float64Array {
  return valid ? values.filter((_, row) => valid.get(row)) : values;
}

/** @param values at least one */
export function momentsOf(values: Float64Array, compat: Compat | undefined): Moments {
  const mean = sumOf(values) / values.length;
  if (values.length === 1) return { mean, variance: 0 };
  return { mean, variance: compat ? onePassVariance(values) : twoPassVariance(values, mean) };
}

export function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

function onePassVariance(values: Float64Array): number {
  let sum = 0;
  let squares = 0;
  for (const value of values) {
    sum += value;
    squares += value * value;
  }
  return Math.max((squares - (sum * sum) / values.length) / (values.length - 1), 0);
}

/**
 * Computes the variance in two passes. The mean of equal numbers may differ from them in the last bit; their
 * variance is 0 all the same.
 */
function twoPassVariance(values: Float64Array, mean: number): number {
  if (values.every((value) => value === values[0])) return 0;
  let sum = 0;
  for (const value of values) sum += (value - mean) * (value - mean);
  return sum / (values.length - 1);
}
