/**
 * Rows as the filters want them: centred, scaled by a power of two, rounded to float32, padded to the stride, and with
 * the meta numbers of the interval. Rows are prepared while they are uploaded, so the input is never copied whole.
 * Not the choice of form or scale: that is plan/technique.ts, which describes it as a `Preparation`.
 */
import { rowAt, rowCount } from "./backend.ts";
import type { HostSource, RowSet } from "./backend.ts";
import { type Bound } from "./bound.ts";
import { assert } from "./errors.ts";
import { froundUp, roundUp, scaleByPowerOfTwo } from "./math.ts";
import type { Matrix } from "./matrix.ts";
import { readRow } from "./matrix.ts";
import type { DistanceCore } from "./primitives.ts";
import { shapeRow } from "./rowForms.ts";
import type { RowFacts, RowForm } from "./rowForms.ts";

/** Plain data: how one side (train or queries) becomes float32 rows. */
export interface Preparation {
  readonly core: DistanceCore;
  /** What the meta's base holds: half of what a pair adds to its dot. */
  readonly base: "squaredNorm" | "minusSquaredNorm" | "half" | "zero" | "own";
  /** Subtracted in float64, one per column; undefined leaves rows where they are. */
  readonly centre: Float64Array | undefined;
  /** After centring. */
  readonly rows: RowForm;
  /** Rows are multiplied by 2^exponent, and what belongs to them beside their entries by 2^factsExponent. */
  readonly exponent: number;
  readonly factsExponent: number;
  readonly p: number;
  readonly bound: Bound;
}

/** float32 entries from one prepared row to the next. */
export function strideOf(cols: number): number {
  return roundUp(cols, 4);
}

const SMALLEST_NORMAL = 2 ** -126;

/** Beyond every value and interval, with room for adding two: the base of a row that is last, the margin of one unknown. */
const FAR = 2 ** 120;

/** Parts: "values", float32 [stride]; "meta", float32 [base, product, margin, 0]. */
export class PreparedRows implements HostSource {
  readonly rows: number;
  readonly #matrix: Matrix;
  readonly #how: Preparation;
  readonly #stride: number;
  readonly #row: Float64Array;
  /** One prepared row; entries past the columns stay zero. */
  readonly #prepared: Float32Array;
  /** [rows][3], base, product, margin of each row once it was written, so that its meta does not prepare it again; NaN before. */
  readonly #meta: Float32Array;

  constructor(matrix: Matrix, how: Preparation) {
    this.rows = matrix.rows;
    this.#matrix = matrix;
    this.#how = how;
    this.#stride = strideOf(matrix.cols);
    this.#row = new Float64Array(matrix.cols);
    this.#prepared = new Float32Array(this.#stride);
    this.#meta = new Float32Array(3 * matrix.rows).fill(NaN);
  }

  rowBytes(part: string): number {
    return part === "meta" ? 16 : this.#stride * 4;
  }

  fill(part: string, rows: RowSet, target: Uint8Array): void {
    const out = new Float32Array(target.buffer, target.byteOffset, target.byteLength >> 2);
    const width = this.rowBytes(part) >> 2;
    const count = rowCount(rows);
    assert(out.length === count * width, "the upload target does not fit its rows");
    for (let i = 0; i < count; i++) {
      if (part === "meta") this.#writeMeta(rowAt(rows, i), out, i * width);
      else out.set(this.#prepare(rowAt(rows, i)), i * width);
    }
  }

  /** The row in memory of our own: `target` may be mapped from a GPU, where reading costs a thousand times writing. */
  #prepare(index: number): Float32Array {
    const row = this.#row;
    const prepared = this.#prepared;
    const { centre, exponent } = this.#how;
    readRow(this.#matrix, index, row);
    if (centre) for (let j = 0; j < row.length; j++) row[j] -= centre[j];
    const facts = shapeRow(row, this.#how.rows);
    if (exponent !== 0) scaleRow(row, exponent);
    for (let j = 0; j < row.length; j++) prepared[j] = Math.abs(row[j]) < SMALLEST_NORMAL ? 0 : row[j];
    if (Number.isNaN(this.#meta[3 * index])) this.#keepMeta(index, prepared, facts);
    return prepared;
  }

  #keepMeta(index: number, prepared: Float32Array, { verdict, base: own, size }: RowFacts): void {
    const { base, bound, core, p, factsExponent } = this.#how;
    const power = normPower(prepared, core, p);
    const norm = core === "dot" || core === "l2" ? Math.sqrt(power) : power;
    const margin =
      bound.marginFactor * power +
      (size === 0 ? 0 : bound.sizeFactor * scaleByPowerOfTwo(size, factsExponent)) +
      bound.marginConstant;
    const bases = {
      squaredNorm: power,
      minusSquaredNorm: -power,
      half: 0.5,
      zero: 0,
      own: scaleByPowerOfTwo(own, factsExponent),
    };
    this.#meta[3 * index] = verdict === "last" ? FAR : bases[base];
    this.#meta[3 * index + 1] = froundUp(bound.productFactor * norm);
    this.#meta[3 * index + 2] = verdict === "unknown" ? FAR : froundUp(margin);
  }

  #writeMeta(index: number, out: Float32Array, at: number): void {
    if (Number.isNaN(this.#meta[3 * index])) this.#prepare(index);
    for (let part = 0; part < 3; part++) out[at + part] = this.#meta[3 * index + part];
    out[at + 3] = 0;
  }
}

/** What bound.ts calls norm^power: sum x^2 for dot and l2, sum |x|, max |x|, sum |x|^p. */
function normPower(row: Float32Array, core: DistanceCore, p: number): number {
  let sum = 0;
  for (let j = 0; j < row.length; j++) {
    const x = Math.abs(row[j]);
    if (core === "dot" || core === "l2") sum += x * x;
    else if (core === "l1") sum += x;
    else if (core === "linf") sum = Math.max(sum, x);
    else if (x > 0) sum += x ** p;
  }
  return sum;
}

function scaleRow(row: Float64Array, exponent: number): void {
  if (Math.abs(exponent) <= 1000) {
    const factor = 2 ** exponent;
    for (let j = 0; j < row.length; j++) row[j] *= factor;
  } else {
    for (let j = 0; j < row.length; j++) row[j] = scaleByPowerOfTwo(row[j], exponent);
  }
}

/** What the plan must know of a matrix to choose form, centre and scale. */
export interface Range {
  /** Largest |x - centre|, or |x| without a centre. */
  readonly largest: number;
  /** Every x - centre is a whole number below 2^24, so it is exact in float32. */
  readonly exact: boolean;
}

/**
 * The column means of a sample without its extremes, which a far row may not move, rounded to whole numbers where all values are whole, so that centring keeps them exact. A mean that
 * is not finite becomes 0.
 */
export function centreOf({ data, rows, cols }: Matrix): Float64Array {
  const count = Math.min(rows, CENTRE_ROWS);
  const sample = new Float64Array(cols * count);
  for (let i = 0; i < count; i++) {
    const begin = Math.floor((i * rows) / count) * cols;
    for (let j = 0; j < cols; j++) sample[j * count + i] = data[begin + j];
  }
  const whole = isWhole(data);
  return Float64Array.from({ length: cols }, (_, j) => {
    const mean = trimmedMean(sample.subarray(j * count, (j + 1) * count).sort());
    return Number.isFinite(mean) ? (whole ? Math.round(mean) : mean) : 0;
  });
}

const CENTRE_ROWS = 1024;
/** Of the sample, left out at either end. */
const TRIMMED = 1 / 32;

function trimmedMean(sorted: Float64Array): number {
  const trimmed = Math.floor(sorted.length * TRIMMED);
  let sum = 0;
  for (let i = trimmed; i < sorted.length - trimmed; i++) sum += sorted[i];
  return sum / (sorted.length - 2 * trimmed);
}

export function rangeOf({ data, rows, cols }: Matrix, centre: Float64Array | undefined): Range {
  let largest = 0;
  for (let at = 0, i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++, at++) {
      const x = Math.abs(centre ? data[at] - centre[j] : data[at]);
      if (x > largest) largest = x;
    }
  }
  const wholeCentre = !centre || centre.every((mean) => Number.isInteger(mean));
  const exactFloat = data instanceof Float32Array && !centre;
  return { largest, exact: exactFloat || (largest < 2 ** 24 && wholeCentre && isWhole(data)) };
}

function isWhole(data: Matrix["data"]): boolean {
  if (!(data instanceof Float64Array || data instanceof Float32Array)) return true;
  for (let at = 0; at < data.length; at++) if (!Number.isInteger(data[at])) return false;
  return true;
}
