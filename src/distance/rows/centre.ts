/**
 * This module finds where rows are moved before they are rounded to float32: the column means of a sample,
 * and whether rows may as well stay where they are. Whether the metric allows it is not its matter: that is a
 * question of its form.
 */
import { hasNominal, isNominal, type Matrix } from "../../core/matrix.ts";
import { isSingle, isWhole } from "./range.ts";

/**
 * Returns the column means of a sample without its extremes, which a far row may not move: rounded to whole
 * numbers where the sample is whole, so that centring keeps whole numbers exact, and to float32 where all
 * values are. A mean that is not finite becomes 0.
 */
export function centreOf(matrix: Matrix): Float64Array {
  const { data, cols, kinds } = matrix;
  const sample = sampleOf(matrix);
  const single = isSingle(data);
  const whole = isWhole(sample);
  const column = new Float64Array(sample.length / cols);
  return Float64Array.from({ length: cols }, (_, j) => {
    if (isNominal(kinds, j)) return 0;
    let present = 0;
    for (let at = j; at < sample.length; at += cols)
      if (!Number.isNaN(sample[at])) column[present++] = sample[at];
    const mean = trimmedMean(column.subarray(0, present));
    if (!Number.isFinite(mean)) return 0;
    return whole ? Math.round(mean) : single ? Math.fround(mean) : mean;
  });
}

/**
 * Tells whether rows of float32 may stay where they are, since that widens their intervals little beside how
 * distances spread.
 */
export function isDispensable(matrix: Matrix, centre: Float64Array): boolean {
  const { data, cols, kinds, gaps } = matrix;
  if (!isSingle(data) || gaps || hasNominal(kinds)) return false;
  const sample = sampleOf(matrix);
  let spread = 0;
  for (let at = 0; at < sample.length; at++) spread += (sample[at] - centre[at % cols]) ** 2;
  const offset = centre.reduce((sum, mean) => sum + mean * mean, 0);
  return offset * (sample.length / cols) <= Math.min(DISPENSABLE, WIDE / cols ** 1.5 - 1) * spread;
}

/**
 * It limits the square of the centre's distance from the origin, in squares of the distance of rows from the
 * centre. Intervals grow with the columns and the squares of rows, while squared distances spread less the
 * more columns there are, by the root: WIDE / 2^23 bounds their quotient.
 */
const DISPENSABLE = 8;
const WIDE = 2 ** 17;

/** Takes some rows, evenly spread. */
export function sampleOf({ data, rows, cols }: Matrix): Float64Array {
  const count = Math.min(rows, SAMPLE_ROWS);
  const sample = new Float64Array(cols * count);
  for (let i = 0; i < count; i++) {
    const begin = Math.floor((i * rows) / count) * cols;
    sample.set(data.subarray(begin, begin + cols), i * cols);
  }
  return sample;
}

const SAMPLE_ROWS = 256;
/** This share of the sample is left out at either end. */
const TRIMMED = 1 / 32;

/** Returns the mean of the numbers without their extremes. It changes their order. */
function trimmedMean(numbers: Float64Array): number {
  const trimmed = Math.floor(numbers.length * TRIMMED);
  const end = numbers.length - trimmed;
  if (trimmed > 0) {
    select(numbers, trimmed, 0);
    select(numbers, end - 1, trimmed);
  }
  let sum = 0;
  for (let i = trimmed; i < end; i++) sum += numbers[i];
  return sum / (end - trimmed);
}

/**
 * Moves to place `k` the number that sorting would put there, with none larger before it and none smaller
 * behind it. Places before `low` stay as they are, and hold no larger number; none is NaN. It is Hoare's
 * "Find" (CACM 4, 1961), which takes half the time of sorting.
 */
function select(numbers: Float64Array, k: number, low: number): void {
  let high = numbers.length - 1;
  while (low < high) {
    const pivot = numbers[k];
    let [i, j] = [low, high];
    while (i <= j) {
      while (numbers[i] < pivot) i++;
      while (numbers[j] > pivot) j--;
      if (i > j) break;
      [numbers[i], numbers[j]] = [numbers[j], numbers[i]];
      i++;
      j--;
    }
    if (j < k) low = i;
    if (k < i) high = j;
  }
}
