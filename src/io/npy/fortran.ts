/**
 * This module streams the rows of arrays in Fortran order, which lie column by column in the file. The bytes
 * of a block of rows are collected from every column, then turned round chunk by chunk. A block is as large
 * as the memory allowed, so that a file that fits is read once, from start to end, and a larger one in few
 * long stretches.
 */
import { unlessAborted } from "../../core/async/aborted.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { Matrix, NumericArray } from "../../core/matrix.ts";
import { rowsPerChunk } from "../../core/matrixStream.ts";
import type { MatrixStream } from "../../core/matrixStream.ts";
import type { FileElementType } from "../elements.ts";
import { allocated } from "../bytes/pieces.ts";
import { checkLength } from "../rowStream.ts";
import type { OpenedRows, RowLayout } from "../rowStream.ts";
import { errorAt } from "../bytes/source.ts";
import type { ByteSource } from "../bytes/source.ts";

export interface FortranLayout extends RowLayout {
  readonly rows: number;
  readonly shape: readonly number[];
  readonly type: FileElementType;
}

/** It holds consecutive rows of every column of the file, as bytes. */
interface FortranRows {
  readonly firstRow: number;
  readonly rows: number;
  /** Views rows `begin` to `end` of the array, of column `column` of the file. */
  bytes(column: number, begin: number, end: number): Uint8Array;
}

/**
 * A tile of rows fills so many bytes of the array, which stay within the second-level cache of today's
 * processors.
 */
const TILE_BYTES = 2 ** 18;
const MIN_TILE_ROWS = 64;

/**
 * Makes the stream.
 * @param memory bytes a block may have
 * @throws InvalidInputError while reading, when all is one block but larger than `memory`: the source can
 *   only be read from start to end, and the consumer does not want all rows at once
 */
export function fortranStream(
  file: OpenedRows<unknown>,
  layout: FortranLayout,
  memory: number,
): MatrixStream {
  const { source } = file;
  const { rows, cols, rowBytes } = layout;
  checkLength(source, layout);
  return {
    name: source.name,
    cols,
    rows,
    rowBytes,
    once: source.once === true,
    async *chunks({ maxRows, signal } = {}) {
      const size = rowsPerChunk(rowBytes, maxRows);
      const blocks =
        rows * rowBytes <= memory || size >= rows
          ? wholeBlock(file, layout, signal)
          : slicedBlocks(source, layout, size * Math.max(1, Math.floor(memory / rowBytes / size)), signal);
      for await (const block of blocks) {
        const blockEnd = block.firstRow + block.rows;
        for (let begin = block.firstRow; begin < blockEnd; begin += size) {
          signal?.throwIfAborted();
          yield turned(block, begin, Math.min(blockEnd, begin + size), layout, source);
        }
      }
    },
  };
}

async function* wholeBlock(
  { start }: OpenedRows<unknown>,
  { begin, rows, rowBytes, type, content }: FortranLayout,
  signal: AbortSignal | undefined,
): AsyncGenerator<FortranRows> {
  const cursor = await start(signal);
  try {
    const all = await cursor.take(rows * rowBytes);
    if (all.length < rows * rowBytes) throw truncated(cursor.source, begin + all.length);
    if ((await cursor.take(1)).length > 0) {
      throw errorAt(cursor.source, begin + all.length, `${content} end here, but more bytes follow`);
    }
    const columnBytes = rows * type.bytes;
    yield {
      firstRow: 0,
      rows,
      bytes: (column, from, to) =>
        all.subarray(column * columnBytes + from * type.bytes, column * columnBytes + to * type.bytes),
    };
  } finally {
    await cursor.close();
  }
}

async function* slicedBlocks(
  source: ByteSource,
  { begin, rows, cols, rowBytes, type }: FortranLayout,
  blockRows: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<FortranRows> {
  if (source.slice === undefined || source.byteLength === undefined) {
    throw new InvalidInputError(
      `the array is in Fortran order and must be held as a whole, ${rows * rowBytes} bytes, since it can only be read from ` +
        `start to end; allow as much with the option memory, unpack it to a file, or save it in C order ` +
        `(numpy.ascontiguousarray)`,
      { file: source.name },
    );
  }
  for (let firstRow = 0; firstRow < rows; firstRow += blockRows) {
    const count = Math.min(blockRows, rows - firstRow);
    const columns: Uint8Array[] = [];
    for (let column = 0; column < cols; column++) {
      signal?.throwIfAborted();
      const from = begin + (column * rows + firstRow) * type.bytes;
      const bytes = await unlessAborted(source.slice(from, from + count * type.bytes), signal);
      if (bytes.length < count * type.bytes) throw truncated(source, from + bytes.length);
      columns.push(bytes);
    }
    yield {
      firstRow,
      rows: count,
      bytes: (column, from, to) =>
        columns[column].subarray((from - firstRow) * type.bytes, (to - firstRow) * type.bytes),
    };
  }
}

/**
 * Turns rows `begin` to `end` into a matrix, in tiles of rows that stay in the processor's cache while all
 * columns pass.
 */
function turned(
  block: FortranRows,
  begin: number,
  end: number,
  layout: FortranLayout,
  source: ByteSource,
): Matrix {
  const { cols, rowBytes } = layout;
  const tile = Math.max(MIN_TILE_ROWS, Math.floor(TILE_BYTES / rowBytes));
  let data: NumericArray | undefined;
  for (let top = begin; top < end; top += tile) {
    const bottom = Math.min(end, top + tile);
    for (let column = 0; column < cols; column++) {
      const target = columnInRow(column, layout.shape);
      const values = decoded(block, column, target, top, bottom, layout, source);
      const length = (end - begin) * cols;
      data ??= allocated(length * values.BYTES_PER_ELEMENT, source.name, () => arrayLike(values, length));
      let at = (top - begin) * cols + target;
      for (let row = 0; row < values.length; row++, at += cols) data[at] = values[row];
    }
  }
  return { data: data ?? new Float64Array(0), rows: end - begin, cols };
}

/** Makes an array of the same type, which may hold 64-bit integers. */
function arrayLike(values: NumericArray, length: number): NumericArray {
  return new (values.constructor as new (length: number) => NumericArray)(length);
}

/** Decodes rows `top` to `bottom` of a column of the file, which is column `target` of the array. */
function decoded(
  block: FortranRows,
  column: number,
  target: number,
  top: number,
  bottom: number,
  { begin, rows, type }: FortranLayout,
  source: ByteSource,
): NumericArray {
  return type.decode(block.bytes(column, top, bottom).slice(), (index, problem) => {
    const byte = begin + (column * rows + top + index) * type.bytes;
    return errorAt(source, byte, `row ${top + index}, column ${target} ${problem}`);
  });
}

/**
 * Returns the place where the column of the file belongs: there the second axis of the array is innermost, in
 * our rows the last is.
 */
function columnInRow(column: number, [, ...sizes]: readonly number[]): number {
  let rest = column;
  let target = 0;
  for (const size of sizes) {
    target = target * size + (rest % size);
    rest = Math.floor(rest / size);
  }
  return target;
}

function truncated(source: ByteSource, byte: number): InvalidInputError {
  return errorAt(source, byte, "the file ends here, within the array; it is truncated");
}
