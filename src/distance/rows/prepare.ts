/**
 * This module makes rows as the filters want them: centred, scaled by a power of two, rounded to float32,
 * padded to the stride, and with the meta numbers of the interval. Rows are prepared while they are uploaded,
 * so the input is never copied whole; a device may also prepare them itself (distance/contract/prepare.ts),
 * where they are float32 and nothing else is done to them. The choice of form or scale is not here:
 * distance/forms/technique.ts makes it and describes it as a `RowPreparation`.
 */
import { rowAt, rowCount } from "../../runtime/source.ts";
import type { HostSource, RowSet } from "../../runtime/source.ts";
import { assert } from "../../core/errors.ts";
import { froundUp, scaleByPowerOfTwo } from "../../core/math.ts";
import type { Matrix } from "../../core/matrix.ts";
import { readRow } from "../../core/matrix.ts";
import { fetchOf, type Fetch } from "../../core/fetchable.ts";
import type { DistanceCore } from "../core.ts";
import { ordinary, shapeRow } from "./forms.ts";
import type { RowFacts } from "./forms.ts";
import { strideOf, type ColumnPlaces, type RowPreparation } from "./preparation.ts";
import { SMALLEST_NORMAL } from "../float32.ts";

/**
 * It lies beyond every value and interval, with room for adding two: the base of a row that is last, the
 * margin of one unknown.
 */
const FAR = 2 ** 120;

/**
 * It gives the rows of one side as a source. Its parts are "values", float32 [stride]; "meta", float32 [base,
 * product, margin, 0]; "raw", float32 [stride], the entries as they are; "centre", float32 [stride], the same
 * whatever the row.
 */
export class PreparedRows implements HostSource {
  readonly rows: number;
  readonly #matrix: Matrix;
  readonly #how: RowPreparation;
  readonly #columns: ColumnPlaces | undefined;
  readonly #stride: number;
  readonly #isPlain: boolean;
  readonly #row: Float64Array;
  /** It holds one prepared row; entries past the columns stay zero. */
  readonly #prepared: Float32Array;
  /**
   * The base, product and margin of each row, [rows][3], once it was written, so that its meta does not
   * prepare it again; NaN before.
   */
  #meta = new Float32Array();

  /** Makes the source. @param columns of rows with codes or gaps */
  constructor(matrix: Matrix, how: RowPreparation, columns?: ColumnPlaces) {
    this.rows = matrix.rows;
    this.#columns = columns;
    this.#matrix = matrix;
    this.#how = how;
    this.#stride = how.mixed?.columns.length ?? strideOf(matrix.cols);
    this.#isPlain = !columns && isPlainly(how);
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
      if (cols > SHORT) out.set(data.subarray(begin, begin + cols), i * stride);
      else for (let j = 0; j < cols; j++) out[i * stride + j] = data[begin + j];
    }
  }

  /**
   * Prepares the row in memory of our own: `target` may be mapped from a GPU, where reading costs a thousand
   * times writing.
   */
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

  /** Does what `#prepare` does, for rows that are only moved and scaled, to the same bits in one pass. */
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
    const { core, p, factsExponent } = this.#how;
    const { power: given } = facts;
    const power =
      given === undefined ? normPower(prepared, core, p) : scaleByPowerOfTwo(given, factsExponent);
    this.#meta.set(metaOf(this.#how, power, facts), 3 * index);
  }

  #writeMeta(index: number, out: Float32Array, at: number): void {
    if (Number.isNaN(this.#meta[3 * index])) this.#prepare(index);
    for (let part = 0; part < 3; part++) out[at + part] = this.#meta[3 * index + part];
    out[at + 3] = 0;
  }
}

/** Tells whether rows are only moved and scaled. */
export function isPlainly({ rows, mixed, exponent }: RowPreparation): boolean {
  return rows.kind === "plain" && !mixed && Math.abs(exponent) <= FACTOR_EXPONENTS;
}

/** Returns the base, product and margin of a row. @param power what bound.ts calls norm^power */
export function metaOf(
  { base, bound, core, factsExponent }: RowPreparation,
  power: number,
  { verdict, base: own, size }: RowFacts = ordinary,
): [number, number, number] {
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
  return [
    verdict === "last" ? FAR : bases[base],
    froundUp(bound.productFactor * norm),
    verdict === "unknown" ? FAR : froundUp(margin),
  ];
}

/** Up to so many columns a row is copied sooner number by number than by a call. */
const SHORT = 16;

/** Returns what bound.ts calls norm^power: sum x^2 for dot and l2, sum |x|, max |x|, sum |x|^p. */
function normPower(row: Float32Array, core: DistanceCore, p: number): number {
  if (core === "dot" || core === "l2") return squaresOf(row);
  let sum = 0;
  for (let j = 0; j < row.length; j++) {
    const x = Math.abs(row[j]);
    if (core === "l1") sum += x;
    else if (core === "linf") sum = Math.max(sum, x);
    else if (x > 0) sum += x ** p;
  }
  return sum;
}

/** Adds up squares as distance/wasm/rows.ts does, by four sums. The length is a multiple of four. */
function squaresOf(row: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let j = 0; j < row.length; j += 4) {
    a += row[j] * row[j];
    b += row[j + 1] * row[j + 1];
    c += row[j + 2] * row[j + 2];
    d += row[j + 3] * row[j + 3];
  }
  return a + c + (b + d);
}

/** Powers of two up to this exponent are float64, and so are their inverses. */
const FACTOR_EXPONENTS = 1000;

function scaleRow(row: Float64Array, exponent: number): void {
  if (Math.abs(exponent) <= FACTOR_EXPONENTS) {
    const factor = 2 ** exponent;
    for (let j = 0; j < row.length; j++) row[j] *= factor;
  } else {
    for (let j = 0; j < row.length; j++) row[j] = scaleByPowerOfTwo(row[j], exponent);
  }
}
