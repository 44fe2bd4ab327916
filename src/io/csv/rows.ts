/**
 * This module says which records of a CSV file are rows: the first one is the header, unless the settings say
 * that it is a row too; every other one must be as wide, and blank lines are none. The first row settles the
 * header: it may name one column too few, over the names of the rows, or end with delimiters. From the header
 * and the settings follows the rule of each column.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { numberedNames, unknownColumn } from "../../table/names.ts";
import type { ColumnSchema } from "../../table/stream.ts";
import type { TableOrigin } from "../../table/table.ts";
import { MOST_TEXT_COLUMNS } from "../chunkColumn.ts";
import type { ColumnRule } from "./cells.ts";
import type { RecordCells } from "./lines.ts";
import { missingTest, type CsvSettings } from "./options.ts";
import { parseNumber } from "../number.ts";
import { quote } from "../quote.ts";
import { TimeReader } from "../time.ts";

export class RowGate {
  delimiter = ",";
  /** They are the columns' names, from the file or numbered; empty before the first record. */
  header: readonly string[] = [];
  /** Each column has one; empty before the first record. */
  rules: readonly ColumnRule[] = [];
  /** So many rows were let through so far. */
  rows = 0;
  readonly #file: string;
  readonly #settings: CsvSettings;
  /** It is the header as it is written, until the first row. */
  #written: { readonly names: string[]; readonly line: number } | undefined;

  /** The last column is only there since the first row ends with a delimiter, which the header does not. */
  #open = false;

  constructor(file: string, settings: CsvSettings) {
    this.#file = file;
    this.#settings = settings;
  }

  /**
   * Says whether a record is a row: false for the header and for blank lines.
   * @throws InvalidInputError for a header or a row that is not as it must be.
   */
  isRow(cells: RecordCells, line: number): boolean {
    // In a file of one column a blank line is an empty cell.
    if (cells.count === 1 && this.header.length !== 1 && isBlank(cells, this.#written)) return false;
    if (this.header.length === 0) {
      if (this.#settings.header && this.#written === undefined) {
        this.#checkCount(cells.count, line);
        this.#written = { names: cells.texts(), line };
        return false;
      }
      this.#start(cells.count, cells);
    }
    if (cells.count !== this.header.length) throw this.#notARow(cells.count, line);
    if (this.#open) this.#checkLast(cells, line);
    this.rows++;
    return true;
  }

  /** @throws InvalidInputError when there was no row. */
  end(): void {
    const place = { file: this.#file };
    if (this.header.length === 0 && this.#written === undefined) {
      const names = this.#settings.header ? "a line of column names and " : "";
      throw new InvalidInputError(`is empty; expected ${names}rows`, place);
    }
    if (this.rows > 0) return;
    if (this.#written !== undefined) this.#start(this.#written.names.length);
    throw new InvalidInputError(`has a header but no rows; add rows${OR_NO_HEADER}`, place);
  }

  #checkCount(count: number, line: number): void {
    if (count <= MOST_TEXT_COLUMNS) return;
    throw new InvalidInputError(
      `has ${count} columns, and at most ${MOST_TEXT_COLUMNS} are read from a text file; store it as a matrix (.npy), or ` +
        `name another delimiter (option delimiter)`,
      { file: this.#file, line },
    );
  }

  /**
   * Settles the header and the rules of the columns.
   * @param first the first row, where there is one
   */
  #start(count: number, first?: RecordCells): void {
    const { line = 1, names } = this.#written ?? {};
    this.#checkCount(count, line);
    const written = names === undefined ? undefined : fitted(names, count, first);
    this.#open = names !== undefined && isOpen(names, count, first);
    const header = written === undefined ? numberedNames(count) : written.map(nameOf);
    checkHeader(header, this.#file, line);
    const { nominal, numeric, dates, ignoreUnknown, na, dashes, decimal, thousands, units } = this.#settings;
    const signs = { decimal, thousands, units };
    const known = new Set(header);
    const unknown = [...nominal, ...numeric, ...dates].find((name) => !known.has(name));
    if (unknown !== undefined && !ignoreUnknown) throw unknownColumn(unknown, header, this.#file);
    const isMissing = missingTest(na);
    const [texts, numbers, times] = [new Set(nominal), new Set(numeric), new Set(dates)];
    this.header = header;
    this.rules = header.map((name, at) => {
      const kind = texts.has(name)
        ? "nominal"
        : numbers.has(name)
          ? "numeric"
          : times.has(name)
            ? "dates"
            : "infer";
      const unnamed = written?.[at] === "" ? { unnamed: true } : {};
      return { file: this.#file, name, kind, signs, isMissing, dashes, ...unnamed };
    });
  }

  /** @throws InvalidInputError for a cell in a column that an empty cell of the first row made. */
  #checkLast(cells: RecordCells, line: number): void {
    const last = cells.count - 1;
    if (Number.isNaN(cells.first(last)) || cells.text(last).trim() === "") return;
    throw new InvalidInputError(
      `has ${quote(cells.text(last))} in a column without a name that is empty in the first row: either the names of the ` +
        `rows are in front, without a name in the header, or lines end with a delimiter too many; give each column a ` +
        `name in the header`,
      { file: this.#file, line, column: last + 1 },
    );
  }

  #notARow(count: number, line: number): InvalidInputError {
    const names = this.#written?.names.length;
    const header = this.#settings.header ? "the header" : "the first line";
    const other = names !== undefined && names !== this.header.length ? "the first row" : header;
    return new InvalidInputError(
      `has ${countCells(count)}, but ${other} has ${this.header.length}; add or remove cells, quote cells that ` +
        `contain the delimiter ${JSON.stringify(this.delimiter)}, name another delimiter (option delimiter), or leave out lines ` +
        `above the header (option skip or comment)`,
      { file: this.#file, line },
    );
  }
}

/**
 * Returns the name of the first column where it names the rows, since the header has no name for it.
 * @param kept the names of the table's columns
 */
export function rowNamesOf(
  [first]: readonly ColumnRule[],
  kept: readonly string[],
): Pick<TableOrigin, "rowNames"> {
  return first.unnamed === true && kept[0] === first.name ? { rowNames: first.name } : {};
}

/**
 * Returns true where every column of numbers is called by a number, or by what means no value, and the names
 * do not just count the columns.
 */
export function looksLikeRow(
  columns: readonly Pick<ColumnSchema, "name" | "kind">[],
  { decimal, header, na }: CsvSettings,
): boolean {
  if (!header) return false;
  const isMissing = new Set(na);
  const names = columns.flatMap(({ name, kind }) => (kind === "numeric" ? [name] : []));
  const isValue = (name: string) =>
    parseNumber(name, decimal) !== undefined || new TimeReader().read(name) !== undefined;
  const numbers = names.filter(isValue);
  const counted = columns.every(({ name }, column) => name === String(column));
  return (
    !counted && numbers.length > 0 && names.every((name) => numbers.includes(name) || isMissing.has(name))
  );
}

const OR_NO_HEADER = ", or read line 1 as a row (--no-header)";

/**
 * Returns the names in the header, "" where there is none, for rows of `count` cells. With one name too few
 * the first column is that of the rows' names, as R writes them; but where the first row ends with a
 * delimiter, the last column has no name, and no other row may have a cell there. Delimiters at the end of
 * the header alone are no columns.
 */
function fitted(written: readonly string[], count: number, first: RecordCells | undefined): string[] {
  const names = written.map((name) => name.replace(/^[ \t]+|[ \t]+$/g, ""));
  while (names.length > count && names.at(-1) === "") names.pop();
  if (!isOneShort(names, count) || first === undefined) return names;
  return isOpen(names, count, first) ? [...names, ""] : ["", ...names];
}

function isOneShort(names: readonly string[], count: number): boolean {
  return names.length >= 2 && names.length === count - 1;
}

function isOpen(names: readonly string[], count: number, first: RecordCells | undefined): boolean {
  return isOneShort(names, count) && first?.text(count - 1) === "";
}

function nameOf(written: string, at: number): string {
  return written === "" ? `column ${at + 1}` : written;
}

function isBlank(cells: RecordCells, written: { readonly names: readonly string[] } | undefined): boolean {
  return written?.names.length !== 1 && cells.text(0).trim() === "";
}

function checkHeader(header: readonly string[], file: string, line: number): void {
  const seen = new Map<string, number>();
  header.forEach((name, at) => {
    const column = at + 1;
    const first = seen.get(name);
    if (first !== undefined) {
      throw new InvalidInputError(
        `is called ${JSON.stringify(name)}, like column ${first}; rename one of them in the header${OR_NO_HEADER}`,
        { file, line, column },
      );
    }
    seen.set(name, column);
  });
}

function countCells(count: number): string {
  return count === 1 ? "1 cell" : `${count} cells`;
}
