/**
 * Reads a file as elements of one type: an array of any shape from .npy, whose 64-bit integers stay as they
 * are, the rows of another matrix, or one column of a table.
 */
import { tableNumbers } from "../../graph/tableNumbers.ts";
import { matrixStreamOf, readFound, readNpyArray, recognise } from "../../io/index.ts";
import { collectMatrix, InvalidInputError } from "../../node.ts";
import type { NumericArray } from "../../node.ts";
import { inputSource } from "../files.ts";
import { readOptions, type FormatOptions } from "../options/reading.ts";

export type FileElements = NumericArray | BigInt64Array | BigUint64Array;

export interface Elements {
  readonly data: FileElements;
  /** The file had this shape; a column of a table has [length]. */
  readonly shape: readonly number[];
  /** There are so many rows, each as long as the last axis, or 1 where the file has a single column. */
  readonly rows: number;
  /** The column has this name, where it is one of a table. */
  readonly column?: string;
}

interface ElementsOptions extends FormatOptions {
  readonly column?: string;
  readonly memory?: number;
}

/** @throws InvalidInputError for text, gaps, and a table of several columns of which none is named */
export async function readElements(
  path: string,
  options: ElementsOptions,
  signal: AbortSignal,
): Promise<Elements> {
  const { column, memory } = options;
  const found = await recognise(await inputSource(path, signal), options.inputFormat, signal);
  if (found.format.holds === "matrix") {
    if (column !== undefined) {
      throw new InvalidInputError("has no named columns; leave out --column", { file: path });
    }
    const { data, shape } =
      found.format.name === "npy" ? await readNpyArray(found.source, { signal }) : await matrixOf();
    const last = shape.at(-1)!;
    const isRow = data.length === 0 || last === data.length || data.length === shape[0];
    return { data, shape, rows: isRow ? 1 : data.length / last };
  }
  const table = await readFound(found, { ...readOptions(options), signal });
  const { name, data } = tableNumbers(table, column, path, "--column");
  return { data, shape: [data.length], rows: 1, column: name };

  async function matrixOf() {
    const stream = await matrixStreamOf(found, { memory, signal });
    const { data, rows, cols } = await collectMatrix(stream!, { signal });
    return { data, shape: [rows, cols] };
  }
}
