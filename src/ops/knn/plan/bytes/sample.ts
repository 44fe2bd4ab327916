/**
 * This judges by a sample of train how many pairs bytes would leave for float32. Pure; a wrong judgement
 * costs time, never a neighbour.
 */
import { roundUp } from "../../../../core/math.ts";

/** A sample takes this many rows of train, and looks at this many neighbours of each. */
const SAMPLE_ROWS = 128;
const SAMPLE_NEIGHBOURS = 2;
/** One of so many rows of a sample is compared with all of it: of 784 columns all take 20 ms of a search. */
const JUDGED_STEP = 4;

/** Rows are turned together in so many columns at a time, as knn_quantize.wgsl does. */
export const TURNED = 16;
/**
 * Turning is tried where bytes are looser than this. Of rows with heavy tails it left a tenth of the pairs or
 * less for k = 10, of uniform ones 1.4 times as many (bench/results/knn-bytes.md).
 */
const LOOSE = 2;

/** A sample shows this. */
export interface SampleJudgement {
  /** The columns have these means, float32 [stride]. */
  readonly centre: Float32Array;
  /** Says whether rows should be turned before they become bytes. */
  readonly turned: boolean;
  /**
   * No entry is larger in magnitude once its column's mean is subtracted, and rows are turned if they are.
   */
  readonly largest: number;
  /** For each row that is among the nearest, bytes of that range cannot rule out this many. */
  readonly looseness: number;
}

/** Judges a sample. @param sample float32 [rows][stride], which is changed */
export function judged(sample: Float32Array, stride: number): SampleJudgement {
  const centre = moveToCentre(sample, stride);
  const plain = judgedAsIs(sample, stride);
  if (plain.looseness <= LOOSE) return { centre, turned: false, ...plain };
  const wide = roundUp(stride, TURNED);
  const turned = judgedAsIs(turnedRows(sample, stride, wide), wide);
  return turned.looseness < plain.looseness
    ? { centre, turned: true, ...turned }
    : { centre, turned: false, ...plain };
}

function judgedAsIs(sample: Float32Array, stride: number) {
  let largest = 0;
  for (let at = 0; at < sample.length; at++) largest = Math.max(largest, Math.abs(sample[at]));
  return { largest, looseness: loosenessOf(sample, stride, largest / 127) };
}

/**
 * Multiplies the columns of rows, so many at a time, by a Hadamard matrix divided by 4, whose columns have
 * signs. Distances stay what they are.
 */
export function turnedRows(rows: Float32Array, stride: number, wide: number): Float32Array {
  const turned = new Float32Array((rows.length / stride) * wide);
  for (let from = 0, to = 0; from < rows.length; from += stride, to += wide)
    for (let at = 0; at < stride; at++) {
      const signs = Math.imul(Math.floor(at / TURNED) + 1, 0x9e3779b9) >>> 16;
      turned[to + at] = rows[from + at] * ((signs >> (at % TURNED)) & 1 ? -0.25 : 0.25);
    }
  for (let half = 1; half < TURNED; half *= 2)
    for (let at = 0; at < turned.length; at++) {
      if (at & half) continue;
      const [a, b] = [turned[at], turned[at + half]];
      turned[at] = a + b;
      turned[at + half] = a - b;
    }
  return turned;
}

/** Returns the rows that are sampled, evenly spread. */
export function sampledRows(trainRows: number): Uint32Array {
  const count = Math.min(trainRows, SAMPLE_ROWS);
  return Uint32Array.from({ length: count }, (_, at) => Math.floor((at * trainRows) / count));
}

/** Subtracts the means of the columns from the rows of a sample. @returns the means */
function moveToCentre(sample: Float32Array, stride: number): Float32Array {
  const rows = sample.length / stride;
  const centre = new Float32Array(stride);
  for (let column = 0; column < stride; column++) {
    let sum = 0;
    for (let at = column; at < sample.length; at += stride) sum += sample[at];
    centre[column] = sum / rows;
  }
  for (let at = 0; at < sample.length; at++) sample[at] -= centre[at % stride];
  return centre;
}

/**
 * Returns how many rows of a sample bytes cannot tell from the nearest ones, for each of those. The number is
 * less than among all rows, which lie denser, by a factor that hardly depends on how many there are.
 */
function loosenessOf(sample: Float32Array, stride: number, scale: number): number {
  const rows = sample.length / stride;
  const losses = Float64Array.from({ length: rows }, (_, row) => lossOf(sample, row * stride, stride, scale));
  const distances = new Float64Array(rows);
  let within = 0;
  let nearest = 0;
  for (let a = 0; a < rows; a += JUDGED_STEP) {
    for (let b = 0; b < rows; b++) distances[b] = distanceOf(sample, a * stride, b * stride, stride);
    distances[a] = Infinity;
    const threshold = distances.slice().sort()[Math.min(rows, SAMPLE_NEIGHBOURS) - 1];
    for (let b = 0; b < rows; b++) {
      if (distances[b] <= threshold) nearest++;
      if (distances[b] - losses[a] - losses[b] <= threshold) within++;
    }
  }
  return within / Math.max(1, nearest);
}

function lossOf(sample: Float32Array, begin: number, stride: number, scale: number): number {
  let sum = 0;
  for (let at = begin; at < begin + stride; at++) {
    const steps = Math.max(-127, Math.min(127, Math.round(sample[at] / scale)));
    sum += (sample[at] - steps * scale) ** 2;
  }
  return Math.sqrt(sum);
}

function distanceOf(sample: Float32Array, a: number, b: number, stride: number): number {
  let sum = 0;
  for (let at = 0; at < stride; at++) sum += (sample[a + at] - sample[b + at]) ** 2;
  return Math.sqrt(sum);
}
