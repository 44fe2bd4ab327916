/**
 * From a table to the matrix that operators take: the chosen features, in the order given, as float64 rows. Nominal
 * features and missing cells are refused for now; the mixed measures will take them.
 */
import { InvalidInputError } from "../core/errors.ts";
import type { Matrix } from "../core/matrix.ts";
import type { Column, NumericColumn } from "./column.ts";
import { listNames } from "./names.ts";
import type { Table } from "./table.ts";

/** What `encode` takes. */
export interface EncodeOptions {
  /** How errors call the table; by default its file, or "the table". */
  readonly name?: string;
  /** For a test table: how errors call the table its features come from. */
  readonly trainedOn?: string;
}

/**
 * Rows x features, features innermost, a copy. Other columns of the table are ignored.
 * @throws InvalidInputError for a feature the table lacks, a nominal one, or a missing cell, with file and line if known.
 * @example
 * const table = Table.fromColumns({ width: [1, 2], kind: ["a", "b"], length: [5, 6] });
 * encode(table, ["length", "width"]); // => { data: [5, 1, 6, 2], rows: 2, cols: 2 }
 */
export function encode(table: Table, features: readonly string[], options: EncodeOptions = {}): Matrix {
  if (features.length === 0)
    throw new InvalidInputError("no features are chosen; at least one column is needed");
  if (options.trainedOn !== undefined) checkSameFeatures(table, features, options.trainedOn, options.name);
  const columns = table.select(features).columns.map((column) => numericOnly(table, column, options.name));
  return { data: interleave(columns, table.rows), rows: table.rows, cols: columns.length };
}

/** Rows at a time, so that what is written stays in the cache however many columns there are. */
const BLOCK_ROWS = 128;

function interleave(columns: readonly NumericColumn[], rows: number): Float64Array {
  const cols = columns.length;
  const data = new Float64Array(rows * cols);
  for (let begin = 0; begin < rows; begin += BLOCK_ROWS) {
    const end = Math.min(rows, begin + BLOCK_ROWS);
    columns.forEach(({ values }, j) => {
      for (let row = begin; row < end; row++) data[row * cols + j] = values[row];
    });
  }
  return data;
}

function checkSameFeatures(
  table: Table,
  features: readonly string[],
  trainedOn: string,
  name?: string,
): void {
  const lacking = features.filter((feature) => !table.has(feature));
  if (lacking.length === 0) return;
  const file = name ?? table.origin?.file;
  throw new InvalidInputError(
    `lacks ${lacking.length === 1 ? "the column" : "the columns"} ${listNames(lacking)}, ` +
      `${lacking.length === 1 ? "a feature" : "features"} of ${trainedOn}; it has ${listNames(table.names)}. ` +
      `Add what is missing, or choose features that both have (--features)`,
    { file: file ?? "the test table" },
  );
}

function numericOnly(table: Table, column: Column, name: string | undefined): NumericColumn {
  const { origin } = table;
  const file = name ?? origin?.file ?? "the table";
  if (column.kind === "nominal") {
    const text = origin?.firstText(column.name);
    const place = { file, column: column.name, ...(text === undefined ? {} : { line: text.line }) };
    const why =
      text === undefined ? "" : `${JSON.stringify(text.text)} is not a number, so the column is nominal; `;
    const remedy = text === undefined ? "" : "correct the cell or ";
    throw new InvalidInputError(
      `${why}nominal features are not supported yet: ${remedy}leave the column out (--features)`,
      place,
    );
  }
  const row = column.valid?.firstClear() ?? -1;
  if (row >= 0) {
    const place =
      origin === undefined
        ? { file, column: column.name }
        : { file, column: column.name, line: origin.lineOf(row) };
    throw new InvalidInputError(
      `the cell ${origin === undefined ? `of row ${row} (from 0) ` : ""}is missing; missing values are not supported yet: ` +
        `fill the gaps or leave the column out (--features)`,
      place,
    );
  }
  return column;
}
