/**
 * A matrix is dense and numeric: row-major, columns innermost, a view on the caller's memory that is never
 * written to. A missing cell is NaN; a nominal one is the code of its value. It is not a table: columns have
 * no names, codes no strings (see table/).
 */
import { InvalidInputError, assert, oneOf } from "./errors.ts";
import { PIECE, atOnce, type Yielding } from "./async/yielding.ts";
import { plural } from "./plural.ts";

/**
 * A matrix holds elements of one of these types. Distances are evaluated in float64, which represents all of
 * them exactly.
 * @example
 * const pixels: NumericArray = Uint8Array.of(0, 255, 128, 0);
 * const { distances } = await kneighbors({ data: pixels, rows: 2, cols: 2 }, [[0, 252]], { k: 1 });
 * distances; // => [3]
 */
export type NumericArray =
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray;

const numericKinds = [
  Float64Array,
  Float32Array,
  Int32Array,
  Uint32Array,
  Int16Array,
  Uint16Array,
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
] as const;

/** There are at most this many rows: row indices are 32-bit, and the largest stands for "none". */
const MAX_ROWS = 2 ** 32 - 2;

export const columnKinds = ["numeric", "nominal", "binominal"] as const;

/**
 * A column holds numbers, or codes of nominal values, 0, 1 ... in the training column's dictionary.
 * "binominal" has two values; code 0 is the negative one.
 * @example
 * const kinds: ColumnKind[] = ["numeric", "nominal"];
 * const train = { data: Float64Array.of(1, 0, 1, 7), rows: 2, cols: 2, kinds };
 * const { distances } = await kneighbors(train, [[1, 2]], { k: 2 });
 * distances; // => [1, 1]
 */
export type ColumnKind = (typeof columnKinds)[number];

export const missingPolicies = ["error", "skip", "rescale"] as const;

/**
 * It says what a missing cell means; see `MetricOptions.missing`.
 * @example
 * const distancesWith = async (missing: MissingPolicy) =>
 *   (await kneighbors([[3, NaN, NaN, NaN]], [[0, 0, 0, 0]], { k: 1, missing })).distances;
 * await distancesWith("skip"); // => [3]
 * await distancesWith("rescale"); // => [6]
 */
export type MissingPolicy = (typeof missingPolicies)[number];

/**
 * A matrix is dense, [rows, cols], cols innermost; row i starts at i * cols.
 * @example
 * const matrix: Matrix = { data: Float32Array.of(0, 0, 3, NaN), rows: 2, cols: 2, gaps: true };
 * const { distances } = await kneighbors(matrix, [[0, 0]], { k: 2 });
 * distances; // => [0, 3]
 */
export interface Matrix {
  readonly data: NumericArray;
  readonly rows: number;
  readonly cols: number;
  /** Each column has a kind; undefined means that all are numeric. */
  readonly kinds?: readonly ColumnKind[] | undefined;
  /**
   * True says that cells may be NaN, which means missing. By default only the option `missing` allows NaN.
   */
  readonly gaps?: boolean | undefined;
  /** Errors number rows from this one on: it is the number of row 0 if the matrix is a chunk. Default 0. */
  readonly firstRow?: number | undefined;
}

/**
 * Callers may pass a matrix as a flat array with its shape, or one array per row.
 * @example
 * const flat: MatrixLike = { data: new Float32Array([0, 0, 3, 4]), rows: 2, cols: 2 };
 * const rows: MatrixLike = [
 *   [0, 0],
 *   [3, 4],
 * ];
 * const { distances } = await kneighbors(flat, rows, { k: 2 });
 * distances; // => [0, 5, 0, 5]
 */
export type MatrixLike =
  | (Omit<Matrix, "data"> & { readonly data: NumericArray | BigInt64Array | BigUint64Array })
  | readonly (readonly number[])[]
  | readonly NumericArray[];

/**
 * Returns the caller's matrix in our form, checked: a flat array is kept as it is, rows are copied to
 * float64.
 * @param name how errors call it, such as "train".
 * @param missing by default, cells may be missing where the matrix itself says so (`gaps`), as one made of a
 *   table does
 * @throws InvalidInputError for a wrong length, ragged rows, no columns, an integer beyond 2^53, infinity, a
 *   missing cell where none may be, or a nominal value that is no code; a bad cell is named by its row and
 *   column (from 0).
 */
export function toMatrix(input: MatrixLike, name: string, missing?: MissingPolicy): Matrix {
  return atOnce(makeMatrix(input, name, missing));
}

/** Does what `toMatrix` does, as work that may pause. */
export function* makeMatrix(input: MatrixLike, name: string, missing?: MissingPolicy): Yielding<Matrix> {
  return yield* checkMatrix(yield* shapeMatrix(input, name), name, missing);
}

/** Does the second half of `makeMatrix`. @returns the matrix, which knows whether cells are missing */
export function* checkMatrix(matrix: Matrix, name: string, missing?: MissingPolicy): Yielding<Matrix> {
  const mayMiss = missing === undefined ? matrix.gaps === true : missing !== "error";
  let gaps = false;
  for (const slice of slicesOf(matrix)) {
    if (checkValues(slice, name, mayMiss, missing)) gaps = true;
    yield;
  }
  return { ...matrix, gaps };
}

/** Gives the matrix in slices, each of as many rows as a piece of work goes over. */
export function* slicesOf(matrix: Matrix): Generator<Matrix, void, undefined> {
  const { data, rows, cols, firstRow = 0 } = matrix;
  const step = Math.max(1, Math.floor(PIECE / cols));
  for (let begin = 0; begin < rows; begin += step) {
    const end = Math.min(begin + step, rows);
    const part = data.subarray(begin * cols, end * cols);
    yield { ...matrix, data: part, rows: end - begin, firstRow: firstRow + begin };
  }
}

/** Does the first half of `makeMatrix`: nobody has looked at the values. */
export function* shapeMatrix(input: MatrixLike, name: string): Yielding<Matrix> {
  const matrix = isFlat(input) ? fromFlat(input, name) : yield* fromRows(input, name);
  if (matrix.rows > MAX_ROWS) {
    throw new InvalidInputError(`${name} has ${matrix.rows} rows; at most ${MAX_ROWS} can be numbered`);
  }
  if (matrix.rows < 1) {
    throw new InvalidInputError(`${name} has no rows; pass a matrix of at least one row`);
  }
  checkKinds(matrix, name);
  return matrix;
}

/** Returns zeros of the same type. */
export function zerosLike(data: NumericArray, length: number): NumericArray {
  const kind = numericKinds.find((each) => data instanceof each);
  assert(kind !== undefined, "the array's type is none of a matrix");
  return new kind(length);
}

/** Copies the rows of those numbers, in that order, into a matrix of their own. */
export function takeRows({ data, cols, kinds, gaps }: Matrix, rows: ArrayLike<number>): Matrix {
  const taken = zerosLike(data, rows.length * cols);
  for (let i = 0; i < rows.length; i++) {
    taken.set(data.subarray(rows[i] * cols, (rows[i] + 1) * cols), i * cols);
  }
  return { data: taken, rows: rows.length, cols, kinds, gaps };
}

/** Returns how errors call the element `at` of the data, such as "train row 3, column 1". */
export function cellName(
  { cols, firstRow = 0 }: Pick<Matrix, "cols" | "firstRow">,
  name: string,
  at: number,
): string {
  return `${name} row ${firstRow + Math.floor(at / cols)}, column ${at % cols}`;
}

/** Copies row `index` into `target` as float64. */
export function readRow({ data, cols }: Matrix, index: number, target: Float64Array): void {
  const begin = index * cols;
  for (let j = 0; j < cols; j++) target[j] = data[begin + j];
}

function isFlat(input: MatrixLike): input is Extract<MatrixLike, { data: unknown }> {
  return typeof input === "object" && input !== null && "data" in input;
}

function fromFlat(input: Extract<MatrixLike, { data: unknown }>, name: string): Matrix {
  const { data, rows, cols, kinds, gaps, firstRow } = input;
  checkShape(input, name);
  const numbers = isBigInt(data) ? bigIntsToFloat64(data, input, name) : data;
  return { data: numbers, rows, cols, kinds, gaps, firstRow };
}

/** @throws InvalidInputError unless the data are a typed array of rows x cols values. */
export function checkShape({ data, rows, cols }: Extract<MatrixLike, { data: unknown }>, name: string): void {
  if (!Number.isInteger(rows) || !Number.isInteger(cols) || rows < 0 || cols < 1) {
    throw new InvalidInputError(
      `${name} has the shape ${rows} x ${cols}; expected whole numbers and at least one column`,
    );
  }
  if (!isBigInt(data) && !numericKinds.some((kind) => data instanceof kind)) {
    throw new InvalidInputError(
      `${name}.data must be a typed array; for nested arrays pass the rows themselves`,
    );
  }
  if (data.length !== rows * cols) {
    throw new InvalidInputError(
      `${name}.data has ${plural(data.length, "value")}, but ${plural(rows, "row")} x ${plural(cols, "column")} need ${rows * cols}`,
    );
  }
}

function* fromRows(input: readonly (readonly number[] | NumericArray)[], name: string): Yielding<Matrix> {
  if (!Array.isArray(input)) {
    throw new InvalidInputError(
      `${name} must be { data, rows, cols } or an array of rows, not ${ArrayBuffer.isView(input) ? input.constructor.name : typeof input}`,
    );
  }
  const rows = input.length;
  const missing = input.findIndex((row: unknown) => typeof row !== "object" || row === null);
  if (missing >= 0) {
    throw new InvalidInputError(
      `${name} row ${missing} is ${String(input[missing])}; expected an array of numbers`,
    );
  }
  const cols = input[0]?.length ?? 0;
  if (rows > 0 && cols < 1)
    throw new InvalidInputError(`${name} has no columns; a row needs at least one value`);
  const data = new Float64Array(rows * cols);
  const step = Math.max(1, Math.floor(PIECE / cols));
  for (let i = 0; i < rows; i++) {
    const row = input[i];
    if (row.length !== cols) {
      throw new InvalidInputError(
        `${name} row ${i} has ${plural(row.length, "value")}, but row 0 has ${cols}`,
      );
    }
    for (let j = 0; j < cols; j++) {
      const value: unknown = row[j];
      if (typeof value !== "number") {
        throw new InvalidInputError(
          `${name} row ${i}, column ${j} is ${typeof value === "string" ? JSON.stringify(value) : String(value) + (typeof value === "bigint" ? "n" : "")}; expected a number`,
        );
      }
      data[i * cols + j] = value;
    }
    if (i % step === 0) yield;
  }
  return { data, rows, cols };
}

function isBigInt(
  data: NumericArray | BigInt64Array | BigUint64Array,
): data is BigInt64Array | BigUint64Array {
  return data instanceof BigInt64Array || data instanceof BigUint64Array;
}

function bigIntsToFloat64(
  data: BigInt64Array | BigUint64Array,
  shape: Pick<Matrix, "cols" | "firstRow">,
  name: string,
): Float64Array {
  const limit = 2n ** 53n;
  const numbers = new Float64Array(data.length);
  for (let at = 0; at < data.length; at++) {
    const value = data[at];
    if (value > limit || value < -limit) {
      throw new InvalidInputError(
        `${cellName(shape, name, at)} is ${value}, beyond 2^53, where float64 is no longer exact; rescale the column or ` +
          `pass it as nominal`,
      );
    }
    numbers[at] = Number(value);
  }
  return numbers;
}

function checkKinds({ kinds, cols }: Matrix, name: string): void {
  if (kinds === undefined) return;
  if (kinds.length !== cols) {
    throw new InvalidInputError(
      `${name}.kinds names ${plural(kinds.length, "column")}, but ${name} has ${cols}; give one kind per column`,
    );
  }
  const unknown = kinds.findIndex((kind) => !columnKinds.includes(kind));
  if (unknown < 0) return;
  throw new InvalidInputError(
    `${name}.kinds of column ${unknown} is ${JSON.stringify(kinds[unknown])}; expected ${oneOf(columnKinds)}`,
  );
}

/** @returns whether some cell is missing */
function checkValues(matrix: Matrix, name: string, mayMiss: boolean, policy?: MissingPolicy): boolean {
  const { data, kinds } = matrix;
  if (kinds) checkCodes(matrix, kinds, name);
  if (data instanceof Float32Array ? largestBits(data) < INFINITE : !(data instanceof Float64Array))
    return false;
  let gaps = false;
  for (let at = 0; at < data.length; at++) {
    if (Number.isFinite(data[at])) continue;
    const missing = Number.isNaN(data[at]);
    if (missing && mayMiss) {
      gaps = true;
      continue;
    }
    const skip = policy === "error" ? "" : ', or pass missing: "skip"';
    const remedy = missing ? `remove or fill such rows first${skip}` : "remove such rows first";
    throw new InvalidInputError(
      `${cellName(matrix, name, at)} is ${data[at]}; a matrix must be finite: ${remedy}`,
    );
  }
  return gaps;
}

/** Infinity has these bits; those of NaN without their sign are above them. */
export const INFINITE = 0x7f800000;

/**
 * Returns the largest bits of the magnitudes, which have the order of these. Loops over matrices see arrays
 * of all types and are slower.
 */
export function largestBits({ buffer, byteOffset, length }: Float32Array): number {
  const words = new Int32Array(buffer, byteOffset, length);
  let largest = 0;
  for (let at = 0; at < length; at++) largest = Math.max(largest, words[at] & 0x7fffffff);
  return largest;
}

function checkCodes(matrix: Matrix, kinds: readonly ColumnKind[], name: string): void {
  const { data, cols } = matrix;
  const nominal = kinds.flatMap((kind, j) => (kind === "numeric" ? [] : [j]));
  for (let begin = 0; begin < data.length; begin += cols) {
    for (const j of nominal) {
      const code = data[begin + j];
      if (Number.isNaN(code) || (Number.isInteger(code) && code >= 0)) continue;
      throw new InvalidInputError(
        `${cellName(matrix, name, begin + j)} is ${code}, but the column is ${kinds[j]}; expected a code 0, 1, 2 ... or NaN`,
      );
    }
  }
}

/** Says whether a column holds codes of nominal values. */
export function isNominal(kinds: Matrix["kinds"], column: number): boolean {
  return kinds !== undefined && kinds[column] !== "numeric";
}

export function hasNominal(kinds: Matrix["kinds"]): boolean {
  return kinds?.some((kind) => kind !== "numeric") ?? false;
}
