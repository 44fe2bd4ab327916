/**
 * This module turns rows into CSV text, in pieces to be written one after the other. Cells are quoted only
 * where a reader would otherwise take them apart or trim them; numbers are in their shortest round-trip form.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import type { Table } from "../../table/table.ts";
import { checkSeparators } from "./options.ts";
import { formatNumber, type Decimal } from "../number.ts";
import { printedCells } from "../time.ts";
import { wellFormed } from "../bytes/utf8.ts";
import { plural } from "../../core/plural.ts";

/**
 * It is a cell to write. null is a missing cell, written as an empty one. NaN and infinities are written by
 * name.
 * @example
 * const rows: CsvCell[][] = [
 *   ["a", 1.5],
 *   [null, NaN],
 * ];
 * [...writeCsv(["name", "size"], rows)].join(""); // => "name,size\na,1.5\n,NaN\n"
 */
export type CsvCell = string | number | null;

/**
 * `writeCsv` takes these options.
 * @example
 * const options: CsvWriteOptions = { decimal: ",", newline: "\r\n", header: false };
 * [...writeCsv(["name", "size"], [["a", 1.5]], options)].join(""); // => "a;1,5\r\n"
 */
export interface CsvWriteOptions {
  /** It is "," by default, or ";" when `decimal` is ",". */
  readonly delimiter?: string;
  /** Decimals begin with it; default ".". */
  readonly decimal?: Decimal;
  /** Lines end with this; default "\n". */
  readonly newline?: "\n" | "\r\n";
  /** False leaves out the header, as for the rest of a file. The default is true. */
  readonly header?: boolean;
}

export const csvWriteNames: OptionNames<CsvWriteOptions> = {
  delimiter: 1,
  decimal: 1,
  newline: 1,
  header: 1,
};

const PIECE_CHARS = 1 << 16;

/**
 * Writes the header and the rows, as pieces of some 64 thousand characters, each ending with a whole line.
 * @throws InvalidInputError for a row that has more or fewer cells than the header, and for half of a
 *   surrogate pair.
 * @example
 * [...writeCsv(["name", "size"], [["a, b", 1.5], ["c", null]])].join(""); // => 'name,size\n"a, b",1.5\nc,\n'
 */
export function* writeCsv(
  header: readonly string[],
  rows: Iterable<readonly CsvCell[]>,
  options: CsvWriteOptions = {},
): Generator<string, void, undefined> {
  checkOptions(options, "writeCsv", csvWriteNames);
  if (!Array.isArray(header))
    throw new InvalidInputError(
      'writeCsv takes names of columns and rows of cells; a Table is written by writeTable("csv", table)',
    );
  yield* csvLines(header, rows, options);
}

function* csvLines(
  header: readonly string[],
  rows: Iterable<readonly CsvCell[]>,
  options: CsvWriteOptions,
): Generator<string, void, undefined> {
  const { decimal = ".", newline = "\n" } = options;
  const delimiter = options.delimiter ?? (decimal === "," ? ";" : ",");
  checkSeparators(delimiter, decimal);
  if (newline !== "\n" && newline !== "\r\n")
    throw new InvalidInputError(`the newline is ${JSON.stringify(newline)}; expected "\\n" or "\\r\\n"`);
  const lineOf = (cells: readonly CsvCell[]) => csvLine(cells, delimiter, decimal) + newline;
  let piece = options.header === false ? "" : lineOf(header);
  let count = 0;
  for (const row of rows) {
    if (row.length !== header.length) {
      throw new InvalidInputError(
        `row ${count} has ${plural(row.length, "cell")}, but the header has ${header.length}`,
      );
    }
    piece += lineOf(row);
    count++;
    if (piece.length < PIECE_CHARS) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

/** Does writeCsv for a stream: the header once, then the rows of each table. */
export async function* csvPieces(
  header: readonly string[],
  tables: AsyncIterable<Table>,
  rowsOf: (table: Table) => Iterable<readonly CsvCell[]>,
  options: CsvWriteOptions = {},
): AsyncGenerator<string, void, undefined> {
  yield* csvLines(header, [], options);
  for await (const table of tables) {
    for (const piece of csvLines(header, rowsOf(table), { ...options, header: false })) yield piece;
  }
}

/** Gives a table's rows as cells for writeCsv; dates and times are texts of ISO 8601. */
export function* cellsOf(table: Table): Generator<CsvCell[], void, undefined> {
  const printed = table.columns.map(printedCells);
  for (let row = 0; row < table.rows; row++) yield printed.map((cellAt) => cellAt(row));
}

function csvLine(cells: readonly CsvCell[], delimiter: string, decimal: Decimal): string {
  const texts = cells.map((cell) => {
    if (cell === null) return "";
    return quoted(typeof cell === "number" ? formatNumber(cell, decimal) : wellFormed(cell), delimiter);
  });
  // A blank line would be read as no row at all by many readers.
  return texts.length === 1 && texts[0] === "" ? '""' : texts.join(delimiter);
}

/** Quotes a cell where it must be. U+FEFF at the start of a file is taken for a byte-order mark. */
function quoted(text: string, delimiter: string): string {
  const needed = /["\r\n]|^[ \t\uFEFF]|[ \t]$/.test(text) || text.includes(delimiter);
  return needed ? `"${text.replaceAll('"', '""')}"` : text;
}
