/**
 * This module names the columns of a matrix 0, 1 and so on, so that what learns by columns takes matrices,
 * too: preparation, pipelines and cross-validation.
 */
import { InvalidInputError } from "../core/errors.ts";
import { toMatrix, type Matrix } from "../core/matrix.ts";
import { cellOf } from "../table/column.ts";
import { Table } from "../table/table.ts";
import type { Rows } from "./features.ts";
import type { Labels } from "./labels.ts";
import type { Targets } from "./target.ts";
import { plural } from "../core/plural.ts";

/**
 * Returns a table as it is, and a matrix as a table of numbers, where NaN is a missing cell.
 * @param name errors call the matrix so
 * @throws InvalidInputError for rows that are neither, and for a matrix of nominal codes
 */
export function asTable(rows: Rows, name: string): Table {
  if (rows instanceof Table) return rows;
  const { data, rows: count, cols, kinds = [] } = toMatrix(rows, name, "skip");
  const coded = kinds.findIndex((kind) => kind !== "numeric");
  if (coded >= 0)
    throw new InvalidInputError(`column ${coded} of ${name} holds codes of nominal values; pass a table`);
  const columns = Array.from({ length: cols }, (_, column) => [
    String(column),
    Float64Array.from({ length: count }, (__, row) => data[row * cols + column]),
  ]);
  return Table.fromColumns(Object.fromEntries(columns) as Record<string, Float64Array>);
}

/** Returns the numbers of a table that `asTable` made; a missing cell is NaN. */
export function asMatrix({ columns, rows }: Table): Matrix {
  const cols = columns.length;
  const data = new Float64Array(rows * cols);
  columns.forEach((column, c) => {
    for (let row = 0; row < rows; row++) data[row * cols + c] = Number(cellOf(column, row) ?? NaN);
  });
  return { data, rows, cols, gaps: data.some(Number.isNaN) };
}

/** Says whether the columns of a table are named as those of a matrix. */
export function isOfMatrix({ names }: Table): boolean {
  return names.every((name, at) => name === String(at));
}

/**
 * Returns rows as a table with their labels in a column, and the name of it.
 * @param labels one per row, or the name of a column of a table
 * @throws InvalidInputError for a wrong number of labels, and for a name where rows are a matrix
 */
export function labelledTable(
  rows: Rows,
  labels: Labels | Targets | string,
): { table: Table; label: string } {
  const table = asTable(rows, "rows");
  if (typeof labels === "string") {
    if (rows instanceof Table) return { table, label: labels };
    throw new InvalidInputError(
      `label ${JSON.stringify(labels)} names a column, but rows are a matrix; pass one label per row`,
    );
  }
  const { length } = (labels as ArrayLike<unknown> | undefined) ?? [];
  if (length !== table.rows)
    throw new InvalidInputError(
      `${plural(length, "label")} for ${plural(table.rows, "row")}; pass one label per row`,
    );
  let label = "label";
  while (table.has(label)) label += "'";
  return { table: table.withColumn(label, Array.from(labels as ArrayLike<string | number | null>)), label };
}
