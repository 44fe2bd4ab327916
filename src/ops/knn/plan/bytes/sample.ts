/**
 * This judges by a sample of train how many pairs bytes would leave for float32. Pure; a wrong judgement
 * costs time, never a neighbour.
 */

/** A sample takes this many rows of train, and looks at this many neighbours of each. */
const SAMPLE_ROWS = 128;
const SAMPLE_NEIGHBOURS = 2;
/** One of so many rows of a sample is compared with all of it: of 784 columns all take 20 ms of a search. */
const JUDGED_STEP = 4;

/** A sample shows this. */
export interface SampleJudgement {
  /** The columns have these means, float32 [stride]. */
  readonly centre: Float32Array;
  /** No entry is larger in magnitude once its column's mean is subtracted. */
  readonly largest: number;
  /** For each row that is among the nearest, bytes of that range cannot rule out this many. */
  readonly looseness: number;
}

/** Judges a sample. @param sample float32 [rows][stride], which is changed */
export function judged(sample: Float32Array, stride: number): SampleJudgement {
  const centre = moveToCentre(sample, stride);
  const largest = sample.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
  return { centre, largest, looseness: loosenessOf(sample, stride, largest / 127) };
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
  const losses = Array.from({ length: rows }, (_, row) => lossOf(sample, row * stride, stride, scale));
  let within = 0;
  let nearest = 0;
  for (let a = 0; a < rows; a += JUDGED_STEP) {
    const distances = Array.from({ length: rows }, (_, b) =>
      a === b ? Infinity : distanceOf(sample, a * stride, b * stride, stride),
    );
    const threshold = [...distances].sort((x, y) => x - y)[Math.min(rows, SAMPLE_NEIGHBOURS) - 1];
    nearest += distances.filter((distance) => distance <= threshold).length;
    within += distances.filter((distance, b) => distance - losses[a] - losses[b] <= threshold).length;
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
