/** A matrix as a table: columns "0", "1" and so on, NaN as missing cells. */
import { InvalidInputError } from "../core/errors.ts";
import type { Matrix } from "../core/matrix.ts";
import type { MatrixStream } from "../core/matrixStream.ts";
import { Bitset } from "../table/bitset.ts";
import type { Column } from "../table/column.ts";
import { chunkRows, type TableStream } from "../table/stream.ts";
import { Table } from "../table/table.ts";

/** @throws InvalidInputError, while reading, for an infinity, with its row. */
export function matrixTable(matrix: MatrixStream): TableStream {
  const { name, cols, rows, once } = matrix;
  const header = Array.from({ length: cols }, (_, col) => String(col));
  return {
    name,
    schema: header.map((column) => ({ name: column, kind: "numeric" })),
    guesses: [],
    rows,
    once,
    async *chunks(options = {}) {
      const { signal } = options;
      const maxRows = chunkRows(options);
      let begin = 0;
      for await (const chunk of matrix.chunks({ maxRows, ...(signal === undefined ? {} : { signal }) })) {
        const first = begin;
        begin += chunk.rows;
        yield new Table(
          header.map((_, col) => columnOf(chunk, col, first, name)),
          { file: name, header, placeOf: (row) => ({ row: first + row }), firstText: () => undefined },
        );
      }
    },
  };
}

function columnOf({ data, rows, cols }: Matrix, col: number, first: number, file: string): Column {
  const name = String(col);
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
