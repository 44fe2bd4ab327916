/**
 * Rows as the filters want them: centred, scaled by a power of two, rounded to float32, padded to the stride, and with
 * the meta numbers of the interval. Rows are prepared while they are uploaded, so the input is never copied whole; a device
 * may also prepare them itself (primitives/prepare.ts), where they are float32 and nothing else is done to them.
 * Not the choice of form or scale: that is plan/technique.ts, which describes it as a `Preparation`.
 */
import { rowAt, rowCount } from "../../runtime/backend.ts";
import type { HostSource, RowSet } from "../../runtime/backend.ts";
import { type Bound } from "../bound/bound.ts";
import { assert } from "../../core/errors.ts";
import type { MixedRows } from "./mixed.ts";
import { froundUp, roundUp, scaleByPowerOfTwo } from "../../core/math.ts";
import type { Matrix } from "../../core/matrix.ts";
import { readRow, slicesOf } from "../../core/matrix.ts";
import { fetchOf, type Fetch } from "../../core/fetchable.ts";
import type { DistanceCore } from "../../runtime/primitives.ts";
import { ordinary, shapeRow } from "./forms.ts";
import type { Yielding } from "../../core/async/yielding.ts";
import type { RowFacts, RowForm } from "./forms.ts";

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
  /** Of rows with codes or gaps. */
  readonly mixed?: MixedRows | undefined;
  /** Who prepares; a device takes the parts "raw" and "centre" instead of "values" and "meta". */
  readonly on: "host" | "device";
}

/** Puts the columns of a row where its entries are, where that is not in their order (mixedRows.ts). */
export interface ColumnPlaces {
  /** Numbers, which norms are made of, and zeros everywhere else. */
  putNumbers(row: Float64Array, prepared: Float32Array): void;
  /** What is no number, or not there. */
  putOthers(matrix: Matrix, index: number, row: Float64Array, prepared: Float32Array): void;
}

/** float32 entries from one prepared row to the next. */
export function strideOf(cols: number): number {
  return roundUp(cols, 4);
}

const SMALLEST_NORMAL = 2 ** -126;

/** Beyond every value and interval, with room for adding two: the base of a row that is last, the margin of one unknown. */
const FAR = 2 ** 120;

/**
 * Parts: "values", float32 [stride]; "meta", float32 [base, product, margin, 0]; "raw", float32 [stride], the entries as they
 * are; "centre", float32 [stride], the same whatever the row.
 */
export class PreparedRows implements HostSource {
  readonly rows: number;
  readonly #matrix: Matrix;
  readonly #how: Preparation;
  readonly #columns: ColumnPlaces | undefined;
  readonly #stride: number;
  readonly #isPlain: boolean;
  readonly #row: Float64Array;
  /** One prepared row; entries past the columns stay zero. */
  readonly #prepared: Float32Array;
  /** [rows][3], base, product, margin of each row once it was written, so that its meta does not prepare it again; NaN before. */
  #meta = new Float32Array();

  /** @param columns of rows with codes or gaps */
  constructor(matrix: Matrix, how: Preparation, columns?: ColumnPlaces) {
    this.rows = matrix.rows;
    this.#columns = columns;
    this.#matrix = matrix;
    this.#how = how;
    this.#stride = how.mixed?.columns.length ?? strideOf(matrix.cols);
    this.#isPlain = how.rows.kind === "plain" && !columns && Math.abs(how.exponent) <= FACTOR_EXPONENTS;
    this.#row = new Float64Array(matrix.cols);
    this.#prepared = new Float32Array(this.#stride);
  }

  rowBytes(part: string): number {
    return part === "meta" ? 16 : this.#stride * 4;
  }

  fill(part: string, rows: RowSet, target: Uint8Array): void {
    const out = new Float32Array(target.buffer, target.byteOffset, target.byteLength >> 2);
    const width = this.rowBytes(part) >> 2;
    const count = rowCount(rows);
    assert(out.length === count * width, "the upload target does not fit its rows");
    if (part === "raw") return this.#copy(rows, out);
    if (part === "centre") return out.fill(0).set(this.#how.centre ?? []);
    if (this.#meta.length === 0) this.#meta = new Float32Array(3 * this.rows).fill(NaN);
    for (let i = 0; i < count; i++) {
      if (part === "meta") this.#writeMeta(rowAt(rows, i), out, i * width);
      else out.set(this.#prepare(rowAt(rows, i)), i * width);
    }
  }

  fetcher(part: string, rows: RowSet): Fetch | undefined {
    const { data, cols } = this.#matrix;
    const fetch = fetchOf(data);
    const asTheyAre = part === "raw" && cols === this.#stride && data instanceof Float32Array;
    if (!fetch || !asTheyAre || !("begin" in rows)) return undefined;
    return (target, begin) => fetch(target, rows.begin * cols * 4 + begin);
  }

  #copy(rows: RowSet, out: Float32Array): void {
    const { data, cols } = this.#matrix;
    const stride = this.#stride;
    if ("begin" in rows && cols === stride) return out.set(data.subarray(rows.begin * cols, rows.end * cols));
    if (cols < stride) out.fill(0);
    for (let i = 0; i < rowCount(rows); i++) {
      const begin = rowAt(rows, i) * cols;
      out.set(data.subarray(begin, begin + cols), i * stride);
    }
  }

  /** The row in memory of our own: `target` may be mapped from a GPU, where reading costs a thousand times writing. */
  #prepare(index: number): Float32Array {
    const row = this.#row;
    const prepared = this.#prepared;
    const { centre, exponent } = this.#how;
    if (this.#isPlain) {
      this.#move(index);
      if (Number.isNaN(this.#meta[3 * index])) this.#keepMeta(index, prepared, ordinary);
      return prepared;
    }
    readRow(this.#matrix, index, row);
    if (centre) for (let j = 0; j < row.length; j++) row[j] -= centre[j];
    const facts = shapeRow(row, this.#how.rows);
    if (exponent !== 0) scaleRow(row, exponent);
    if (this.#columns) this.#columns.putNumbers(row, prepared);
    else for (let j = 0; j < row.length; j++) prepared[j] = Math.abs(row[j]) < SMALLEST_NORMAL ? 0 : row[j];
    if (Number.isNaN(this.#meta[3 * index])) this.#keepMeta(index, prepared, facts);
    this.#columns?.putOthers(this.#matrix, index, row, prepared);
    return prepared;
  }

  /** What `#prepare` does to rows that are only moved and scaled, to the same bits in one pass. */
  #move(index: number): void {
    const { data, cols } = this.#matrix;
    const { centre, exponent } = this.#how;
    const prepared = this.#prepared;
    const factor = 2 ** exponent;
    const begin = index * cols;
    for (let j = 0; j < cols; j++) {
      const x = (centre ? data[begin + j] - centre[j] : data[begin + j]) * factor;
      prepared[j] = Math.abs(x) < SMALLEST_NORMAL ? 0 : x;
    }
  }

  #keepMeta(index: number, prepared: Float32Array, facts: RowFacts): void {
    const { base, bound, core, p, factsExponent } = this.#how;
    const { verdict, base: own, size, power: given } = facts;
    const power =
      given === undefined ? normPower(prepared, core, p) : scaleByPowerOfTwo(given, factsExponent);
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
      own: own === 0 ? 0 : scaleByPowerOfTwo(own, factsExponent),
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
  if (core === "dot" || core === "l2") {
    for (let j = 0; j < row.length; j++) sum += row[j] * row[j];
    return sum;
  }
  for (let j = 0; j < row.length; j++) {
    const x = Math.abs(row[j]);
    if (core === "l1") sum += x;
    else if (core === "linf") sum = Math.max(sum, x);
    else if (x > 0) sum += x ** p;
  }
  return sum;
}

/** Powers of two up to this are float64, as are their inverses. */
const FACTOR_EXPONENTS = 1000;

function scaleRow(row: Float64Array, exponent: number): void {
  if (Math.abs(exponent) <= FACTOR_EXPONENTS) {
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
  /** Every x is a float32, so that a device may prepare the rows. */
  readonly single?: boolean;
  /**
   * Nobody looked at all rows: `largest` is what a sample makes likely, and whoever prepares the rows must see whether it
   * holds and whether they are finite.
   */
  readonly assumed?: boolean;
  /** Of rows with codes or gaps: the smallest |x - centre| that is not 0, Infinity where all are. */
  readonly smallest?: number;
  /** The largest code of a nominal column; these are no part of `largest`, `exact` and `smallest`. Default: there are none. */
  readonly largestCode?: number;
  /** The fewest cells of a row that are not missing; default all. */
  readonly fewest?: number;
}

/**
 * The column means of a sample without its extremes, which a far row may not move: rounded to whole numbers where the sample is
 * whole, so that centring keeps whole numbers exact, and to float32 where all values are. A mean that is not finite
 * becomes 0.
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
    const mean = trimmedMean(column.subarray(0, present).sort());
    if (!Number.isFinite(mean)) return 0;
    return whole ? Math.round(mean) : single ? Math.fround(mean) : mean;
  });
}

/** Whether rows of float32 may stay where they are, since that widens their intervals little beside how distances spread. */
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
 * How far the centre may be from the origin, squared, in squares of the distance of rows from it. Intervals grow with the columns
 * and the squares of rows, while squared distances spread less the more columns there are, by the root: WIDE / 2^23 bounds
 * their quotient.
 */
const DISPENSABLE = 8;
const WIDE = 2 ** 17;

/** Some rows, evenly spread. */
function sampleOf({ data, rows, cols }: Matrix): Float64Array {
  const count = Math.min(rows, SAMPLE_ROWS);
  const sample = new Float64Array(cols * count);
  for (let i = 0; i < count; i++) {
    const begin = Math.floor((i * rows) / count) * cols;
    sample.set(data.subarray(begin, begin + cols), i * cols);
  }
  return sample;
}

const SAMPLE_ROWS = 256;
/** Of the sample, left out at either end. */
const TRIMMED = 1 / 32;

function trimmedMean(sorted: Float64Array): number {
  const trimmed = Math.floor(sorted.length * TRIMMED);
  let sum = 0;
  for (let i = trimmed; i < sorted.length - trimmed; i++) sum += sorted[i];
  return sum / (sorted.length - 2 * trimmed);
}

export function rangeOf({ data, cols }: Matrix, centre: Float64Array | undefined): Range {
  const largest = largestOf(data, cols, centre);
  const wholeCentre = !centre || centre.every((mean) => Number.isInteger(mean));
  const exactFloat = data instanceof Float32Array && !centre;
  const exact = exactFloat || (largest < 2 ** 24 && wholeCentre && isWhole(data));
  return { largest, exact, single: isSingle(data) };
}

/** `of`, such as rangeOf, of all rows, as work that may pause. */
export function* findRange(
  matrix: Matrix,
  centre: Float64Array | undefined,
  of: typeof rangeOf = rangeOf,
): Yielding<Range> {
  let range: Range | undefined;
  for (const slice of slicesOf(matrix)) {
    range = wider(range, of(slice, centre), matrix.cols);
    yield;
  }
  assert(range !== undefined, "a matrix has rows");
  return range;
}

function wider(a: Range | undefined, b: Range, cols: number): Range {
  if (!a) return b;
  return {
    ...b,
    largest: Math.max(a.largest, b.largest),
    smallest: Math.min(a.smallest ?? Infinity, b.smallest ?? Infinity),
    exact: a.exact && b.exact,
    largestCode: Math.max(a.largestCode ?? 0, b.largestCode ?? 0),
    fewest: Math.min(a.fewest ?? cols, b.fewest ?? cols),
  };
}

function isNominal(kinds: Matrix["kinds"], column: number): boolean {
  return kinds !== undefined && kinds[column] !== "numeric";
}

export function hasNominal(kinds: Matrix["kinds"]): boolean {
  return kinds?.some((kind) => kind !== "numeric") ?? false;
}

/** How many times larger than a sample's the largest of all rows may well be. */
const PROMISE_FACTOR = 16;

/** The range that a sample makes likely, of rows that nobody looked at; undefined where it makes nothing likely. */
export function assumedRange(matrix: Matrix, centre: Float64Array | undefined): Range | undefined {
  const { data, cols } = matrix;
  const largest = PROMISE_FACTOR * largestOf(sampleOf(matrix), cols, centre);
  if (!isSingle(data) || !(largest > 0 && largest < MOST_PROMISED)) return undefined;
  const exact = data instanceof Float32Array && !centre;
  return { largest: Math.fround(largest), exact, single: true, assumed: true };
}

const MOST_PROMISED = 2 ** 126;

function largestOf(data: Matrix["data"], cols: number, centre: Float64Array | undefined): number {
  let largest = 0;
  if (!centre) {
    for (let at = 0; at < data.length; at++)
      largest = Math.abs(data[at]) > largest ? Math.abs(data[at]) : largest;
    return largest;
  }
  for (let begin = 0; begin < data.length; begin += cols) {
    for (let j = 0; j < cols; j++) {
      const x = Math.abs(data[begin + j] - centre[j]);
      if (x > largest) largest = x;
    }
  }
  return largest;
}

/** Types whose values float32 holds. */
function isSingle(data: Matrix["data"]): boolean {
  return data instanceof Float32Array || data.BYTES_PER_ELEMENT <= 2;
}

function isWhole(data: Matrix["data"]): boolean {
  if (!(data instanceof Float64Array || data instanceof Float32Array)) return true;
  for (let at = 0; at < data.length; at++)
    if (!Number.isInteger(data[at]) && !Number.isNaN(data[at])) return false;
  return true;
}
