/**
 * This module makes a table of a matrix: columns x, y and z of points, else "0", "1" and so on; NaN as
 * missing cells.
 */
import { untilAborted } from "../core/async/aborted.ts";
import { InvalidInputError } from "../core/errors.ts";
import type { Matrix } from "../core/matrix.ts";
import type { MatrixStream } from "../core/matrixStream.ts";
import { Bitset } from "../table/bitset.ts";
import type { Column } from "../table/column.ts";
import { numberedNames } from "../table/names.ts";
import { chunkRows, type TableStream } from "../table/stream.ts";
import { Table } from "../table/table.ts";

/**
 * A matrix has at most so many columns. Each has a name and, in a table, an object; a header of a few bytes
 * may claim billions.
 */
export const MOST_COLUMNS = 2 ** 20;

interface Width {
  readonly name: string;
  readonly cols: number;
}

/** Returns "0", "1" and so on. @throws InvalidInputError for more columns than MOST_COLUMNS. */
export function columnNames(width: Width): string[] {
  checkWidth(width);
  return numberedNames(width.cols);
}

/** @throws InvalidInputError for more columns than MOST_COLUMNS. */
export function checkWidth({ name, cols }: Width): void {
  if (cols <= MOST_COLUMNS) return;
  throw new InvalidInputError(
    `its rows have ${cols} columns, and at most ${MOST_COLUMNS} can be named; shorten the rows, or read the file without ` +
      `names (openMatrix)`,
    { file: name },
  );
}

/**
 * Makes a table of a matrix.
 * @throws InvalidInputError for more columns than MOST_COLUMNS, and, while reading, for an infinity, with its
 *   row.
 */
export function matrixTable(matrix: MatrixStream): TableStream {
  const { name, rows, once } = matrix;
  const header = namesOf(matrix);
  return {
    name,
    schema: header.map((column) => ({ name: column, kind: "numeric" })),
    guesses: [],
    rows,
    once,
    async *chunks(options = {}) {
      const { signal } = options;
      const maxRows = chunkRows(options, header.length);
      let begin = 0;
      const chunks = matrix.chunks({ maxRows, ...(signal === undefined ? {} : { signal }) });
      for await (const chunk of untilAborted(chunks, signal)) {
        const first = begin;
        begin += chunk.rows;
        yield new Table(
          header.map((column, col) => columnOf(chunk, col, { name: column, first, file: name })),
          { file: name, header, placeOf: (row) => ({ row: first + row }), firstText: () => undefined },
        );
      }
    },
  };
}

function namesOf(matrix: MatrixStream): readonly string[] {
  const { name, cols, columns } = matrix;
  if (columns === undefined) return columnNames(matrix);
  if (columns.length === cols) return columns;
  throw new InvalidInputError(
    `has ${cols} columns, but names for ${columns.length}; each needs one (columns)`,
    {
      file: name,
    },
  );
}

function columnOf(
  { data, rows, cols }: Matrix,
  col: number,
  { name, first, file }: { readonly name: string; readonly first: number; readonly file: string },
): Column {
  const values = new Float64Array(rows);
  let valid: Bitset | undefined;
  for (let row = 0; row < rows; row++) {
    const value = data[row * cols + col];
    values[row] = value;
    if (Number.isFinite(value)) continue;
    if (!Number.isNaN(value))
      throw new InvalidInputError(`${value} is not a finite number`, {
        file,
        row: first + row,
        column: name,
      });
    valid ??= Bitset.full(rows);
    valid.clear(row);
  }
  return { kind: "numeric", name, values, ...(valid === undefined ? {} : { valid }) };
}
