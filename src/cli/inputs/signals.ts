/**
 * Reads a file as signals: each channel of a sound, each row of a matrix (or its only column), or one column
 * of a table.
 */
import { decompressed, matrixStreamOf, peek, readFound, readWav, recognise } from "../../io/index.ts";
import type { ByteSource, Wav } from "../../io/index.ts";
import { collectMatrix, InvalidInputError } from "../../node.ts";
import type { Matrix, Samples } from "../../node.ts";
import { encode, unknownColumn } from "../../table/index.ts";
import { DASH, inputSource } from "../files.ts";
import { readOptions, type FormatOptions } from "../options/reading.ts";

export interface Signals {
  /** [rows][samples] */
  readonly samples: Samples;
  readonly rows: number;
  /** The way the file had them: by rows, or by columns, as sounds and tables have them. */
  readonly by: "rows" | "columns";
  /** The name of the column, where it is one of a table. */
  readonly column?: string;
  /** The sound's rate and form. */
  readonly sound?: Pick<Wav, "rate" | "form">;
}

interface SignalOptions extends FormatOptions {
  readonly column?: string;
  readonly memory?: number;
}

/**
 * Reads a file; `column` is for tables alone, so that a column can go with a mask from a matrix.
 * @throws InvalidInputError for text, gaps, and a table of several columns of which none is named
 */
export async function readSignals(
  path: string,
  options: SignalOptions,
  signal: AbortSignal,
): Promise<Signals> {
  const { column, memory } = options;
  const given = await inputSource(path, signal);
  const { source, isWav } =
    path === DASH && options.inputFormat === undefined
      ? await lookedAt(given, signal)
      : { source: given, isWav: isSound(path) };
  if (isWav) {
    const { data, rows, cols, rate, form } = await readWav(source, { signal, memory });
    return { samples: transposed(data, rows, cols), rows: cols, by: "columns", sound: { rate, form } };
  }
  const found = await recognise(source, options.inputFormat, signal);
  if (found.format.holds === "matrix") {
    const stream = await matrixStreamOf(found, { memory, signal });
    const matrix = await collectMatrix(stream!, { signal });
    const byColumn = matrix.cols === 1;
    return {
      samples: samplesOf(matrix),
      rows: byColumn ? 1 : matrix.rows,
      by: byColumn ? "columns" : "rows",
    };
  }
  const table = await readFound(found, { ...readOptions(options), signal });
  const name = column ?? table.names[0];
  if (column === undefined && table.names.length !== 1) {
    throw new InvalidInputError(`has ${table.names.length} columns; name one of them (--column)`, {
      file: path,
    });
  }
  if (!table.names.includes(name)) throw unknownColumn(name, table.names, path);
  if (table.column(name).kind !== "numeric") {
    throw new InvalidInputError(`column ${JSON.stringify(name)} holds text; name one of numbers (--column)`, {
      file: path,
    });
  }
  const { data } = encode(table, [name], { missing: "error" });
  return { samples: Float64Array.from(data), rows: 1, by: "columns", column: name };
}

/** Tells a sound without a name by its first bytes. */
async function lookedAt(
  given: ByteSource,
  signal: AbortSignal,
): Promise<{ readonly source: ByteSource; readonly isWav: boolean }> {
  const unpacked = await decompressed(given, { signal });
  const { head, source } = await peek(unpacked, 12, signal);
  return { source, isWav: /^RIFF[^]{4}WAVE$/.test(String.fromCharCode(...head)) };
}

export function isSound(path: string): boolean {
  return /\.wav(\.gz)?$/i.test(path);
}

/** Returns [cols][rows] of [rows][cols]. */
export function transposed<A extends Samples>(data: A, rows: number, cols: number): A {
  if (cols === 1 || rows === 1) return data;
  const turned = data.slice() as A;
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) turned[col * rows + row] = data[row * cols + col];
  }
  return turned;
}

/** Small whole numbers become int32; those of 32 bits without a sign float64. */
function samplesOf({ data }: Matrix): Samples {
  if (data instanceof Float32Array || data instanceof Float64Array || data instanceof Int32Array) return data;
  return data instanceof Uint32Array ? Float64Array.from(data) : Int32Array.from(data);
}

export function noColumns(file: string): InvalidInputError {
  return new InvalidInputError("has no named columns; leave out --column", { file });
}
