/**
 * This module reads files as signals and writes signals as files. A signal is a channel of a sound, a row of
 * a matrix (or its only column), or a column of a table. Where bytes come from and go to is the caller's.
 */
import { InvalidInputError } from "../core/errors.ts";
import type { Matrix } from "../core/matrix.ts";
import { collectMatrix } from "../core/matrixStream.ts";
import {
  matrixStreamOf,
  outputFormat,
  readFound,
  readWav,
  recognise,
  writeMatrix,
  writeNpy,
  writeTable,
  writeWav,
} from "../io/index.ts";
import type {
  ByteSource,
  FormatName,
  NpyStream,
  Pieces,
  ReadOptions,
  Wav,
  WriteOptions,
} from "../io/index.ts";
import type { Samples } from "../ops/convolve/index.ts";
import { Table } from "../table/index.ts";
import { tableNumbers } from "./tableNumbers.ts";
import type { SignalValue } from "./values.ts";

interface SignalReading extends ReadOptions {
  /** It is the column of a table; of what is no table it is not asked. */
  readonly column?: string | undefined;
  /** It is true for a sound; by default the name of the file says so. */
  readonly sound?: boolean;
  /** Messages have this name for it; default "column". */
  readonly naming?: string;
}

/** @throws InvalidInputError for text, gaps, and a table of several columns of which none is named */
export async function readSignal(source: ByteSource, options: SignalReading): Promise<SignalValue> {
  const { column, naming = "column", format, signal, memory, ...reading } = options;
  const { name: file } = source;
  const { sound = isSound(file) } = options;
  if (sound) {
    const { data, rows, cols, rate, form } = await readWav(source, { signal, memory });
    return { samples: transposed(data, rows, cols), rows: cols, by: "columns", sound: { rate, form } };
  }
  const found = await recognise(source, format, signal);
  if (found.format.holds === "matrix") {
    const stream = (await matrixStreamOf(found, { memory, signal }))!;
    const matrix = await collectMatrix(stream, { signal });
    const { data, rows, cols } = matrix;
    if (rows === 0 && cols > 1) {
      throw new InvalidInputError(`holds no signals, but 0 rows of ${cols} samples`, { file });
    }
    const samples = samplesOf(matrix);
    const shape = found.format.name === "npy" ? (stream as NpyStream).header.shape : [rows, cols];
    return cols === 1
      ? { samples, rows: 1, by: "columns", shape }
      : { samples, rows: data.length / shape.at(-1)!, by: "rows", shape };
  }
  const limits = { ...(signal === undefined ? {} : { signal }), ...(memory === undefined ? {} : { memory }) };
  const table = await readFound(found, { ...reading, ...limits });
  const { name, data } = tableNumbers(table, column, file, naming);
  return { samples: data, rows: 1, by: "columns", column: name };
}

interface Writing {
  readonly file: string;
  readonly format: FormatName | undefined;
  readonly csv: WriteOptions;
}

/**
 * Makes the bytes of signals, in the form that their file had.
 * @returns them, and how many samples a sound could not hold
 * @throws InvalidInputError for a sound without a rate
 */
export function signalPieces(
  { samples, rows, by, column, sound, shape = [] }: SignalValue,
  { file, format, csv }: Writing,
): { readonly pieces: Pieces | Iterable<Uint8Array>; readonly clipped: number } {
  const length = samples.length / rows;
  const columns = by === "columns";
  const data = columns ? transposed(samples, rows, length) : samples;
  const matrix = columns ? { data, rows: length, cols: rows } : { data, rows, cols: length };
  if (isSound(file)) {
    if (!sound) {
      throw new InvalidInputError("the signal has no sample rate, so it is not a sound; write .npy or .csv", {
        file,
      });
    }
    const { bytes, clipped } = writeWav({ ...(matrix as Wav), ...sound });
    return { pieces: [bytes], clipped };
  }
  const { name } = outputFormat(file, format);
  if (name === "npy" && (shape.length > 0 || rows === 1)) {
    const axis = columns ? 0 : shape.length - 1;
    const written = shape.length > 0 ? shape.map((size, at) => (at === axis ? length : size)) : [length];
    return { pieces: writeNpy(data, { shape: written }), clipped: 0 };
  }
  if (column === undefined) return { pieces: writeMatrix(name, matrix, csv), clipped: 0 };
  const values = data as Float64Array;
  const table = new Table([{ kind: "numeric", name: column, values }]);
  return { pieces: writeTable(name, table, csv), clipped: 0 };
}

export function isSound(path: string): boolean {
  return /\.wav(\.gz)?$/i.test(path);
}

/** Returns [cols][rows] of [rows][cols]. */
function transposed<A extends Samples>(data: A, rows: number, cols: number): A {
  if (cols === 1 || rows === 1) return data;
  const turned = data.slice() as A;
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) turned[col * rows + row] = data[row * cols + col];
  }
  return turned;
}

/**
 * Returns samples as float64 where they are whole numbers and a tap or the fill is none, as numpy promotes
 * them; otherwise as they are.
 */
export function promoted(samples: Samples, mask: ArrayLike<number>, fill: number): Samples {
  const isWhole = (value: number) => value === (value | 0);
  if (!(samples instanceof Int32Array) || (isWhole(fill) && Array.prototype.every.call(mask, isWhole)))
    return samples;
  return Float64Array.from(samples);
}

/** Small whole numbers become int32; those of 32 bits without a sign float64. */
function samplesOf({ data }: Matrix): Samples {
  if (data instanceof Float32Array || data instanceof Float64Array || data instanceof Int32Array) return data;
  return data instanceof Uint32Array ? Float64Array.from(data) : Int32Array.from(data);
}

export function noColumns(file: string, naming = "column"): InvalidInputError {
  return new InvalidInputError(`has no named columns; leave out ${naming}`, { file });
}
