/**
 * A dense numeric matrix: row-major, columns innermost, a view on the caller's memory that is never written to.
 * Not a table: columns have no names and there are no missing cells (see table/).
 */
import { InvalidInputError, assert } from "./errors.ts";

/** Elements of a matrix. Distances are evaluated in float64, which holds all of these. */
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

/** Row indices are 32-bit, and the largest stands for "none". */
const MAX_ROWS = 2 ** 32 - 2;

/** [rows, cols], cols innermost; row i starts at i * cols. */
export interface Matrix {
  readonly data: NumericArray;
  readonly rows: number;
  readonly cols: number;
}

/**
 * What callers may pass as a matrix: a flat array with its shape, or one array per row.
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
  | {
      readonly data: NumericArray | BigInt64Array | BigUint64Array;
      readonly rows: number;
      readonly cols: number;
    }
  | readonly (readonly number[])[]
  | readonly NumericArray[];

/**
 * The caller's matrix in our form, checked: a flat array is kept as it is, rows are copied to float64.
 * @param name how errors call it, such as "train".
 * @throws InvalidInputError for a wrong length, ragged rows, no columns, an integer beyond 2^53, NaN or infinity; a
 *   bad cell is named by its row and column (from 0).
 */
export function toMatrix(input: MatrixLike, name: string): Matrix {
  const matrix = isFlat(input) ? fromFlat(input, name) : fromRows(input, name);
  if (matrix.rows > MAX_ROWS) {
    throw new InvalidInputError(`${name} has ${matrix.rows} rows; at most ${MAX_ROWS} can be numbered`);
  }
  if (matrix.rows < 1) {
    throw new InvalidInputError(`${name} has no rows; pass a matrix of at least one row`);
  }
  checkFinite(matrix, name);
  return matrix;
}

/** Zeros of the same type. */
export function zerosLike(data: NumericArray, length: number): NumericArray {
  const kind = numericKinds.find((each) => data instanceof each);
  assert(kind !== undefined, "the array's type is none of a matrix");
  return new kind(length);
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
  const { data, rows, cols } = input;
  checkShape(input, name);
  return { data: isBigInt(data) ? bigIntsToFloat64(data, cols, name) : data, rows, cols };
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
      `${name}.data must be a typed array of float64, float32 or integers; for nested arrays pass the rows themselves`,
    );
  }
  if (data.length !== rows * cols) {
    throw new InvalidInputError(
      `${name}.data has ${data.length} values, but ${rows} rows x ${cols} columns need ${rows * cols}`,
    );
  }
}

function fromRows(input: readonly (readonly number[] | NumericArray)[], name: string): Matrix {
  if (!Array.isArray(input)) {
    throw new InvalidInputError(
      `${name} must be { data, rows, cols } or an array of rows, not ${typeof input}`,
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
  input.forEach((row, i) => {
    if (row.length !== cols) {
      throw new InvalidInputError(`${name} row ${i} has ${row.length} values, but row 0 has ${cols}`);
    }
    for (let j = 0; j < cols; j++) {
      const value: unknown = row[j];
      if (typeof value !== "number") {
        throw new InvalidInputError(`${name} row ${i}, column ${j} is ${String(value)}; expected a number`);
      }
      data[i * cols + j] = value;
    }
  });
  return { data, rows, cols };
}

function isBigInt(
  data: NumericArray | BigInt64Array | BigUint64Array,
): data is BigInt64Array | BigUint64Array {
  return data instanceof BigInt64Array || data instanceof BigUint64Array;
}

function bigIntsToFloat64(data: BigInt64Array | BigUint64Array, cols: number, name: string): Float64Array {
  const limit = 2n ** 53n;
  return Float64Array.from({ length: data.length }, (_, at) => {
    const value = data[at];
    if (value > limit || value < -limit) {
      throw new InvalidInputError(
        `${name} row ${Math.floor(at / cols)}, column ${at % cols} is ${value}, beyond 2^53, where float64 is no ` +
          `longer exact; rescale the column or pass it as nominal values`,
      );
    }
    return Number(value);
  });
}

function checkFinite({ data, cols }: Matrix, name: string): void {
  if (!(data instanceof Float64Array || data instanceof Float32Array)) return;
  for (let at = 0; at < data.length; at++) {
    if (Number.isFinite(data[at])) continue;
    throw new InvalidInputError(
      `${name} row ${Math.floor(at / cols)}, column ${at % cols} is ${data[at]}; a matrix must be finite: remove or ` +
        `fill such rows first`,
    );
  }
}
