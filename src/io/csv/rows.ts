/**
 * This module knows which records of a CSV file are rows: the first one is the header, unless the settings
 * say that it is a row too; every other one must be as wide, and blank lines may only end the file. From the
 * header and the settings follows the rule of each column.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { numberedNames, unknownColumn } from "../../table/names.ts";
import type { ColumnSchema } from "../../table/stream.ts";
import { MOST_TEXT_COLUMNS } from "../chunkColumn.ts";
import type { ColumnRule } from "./cells.ts";
import type { Cells } from "./lines.ts";
import { missingTest, type CsvSettings } from "./options.ts";
import { parseNumber } from "../number.ts";

export class RowGate {
  delimiter = ",";
  /** The columns' names, from the file or numbered; empty before the first record. */
  header: readonly string[] = [];
  /** One per column; empty before the first record. */
  rules: readonly ColumnRule[] = [];
  /** Rows let through so far. */
  rows = 0;
  readonly #file: string;
  readonly #settings: CsvSettings;
  #blankLine: number | undefined;

  constructor(file: string, settings: CsvSettings) {
    this.#file = file;
    this.#settings = settings;
  }

  /**
   * Says whether a record is a row: false for the header and for blank lines.
   * @throws InvalidInputError for a header or a row that is not as it must be.
   */
  isRow(cells: Cells, line: number): boolean {
    if (this.header.length === 0) {
      this.#start(cells);
      if (this.#settings.header) return false;
    }
    if (cells.count === 1 && this.header.length > 1 && cells.text(0) === "") {
      this.#blankLine ??= line;
      return false;
    }
    if (this.#blankLine !== undefined || cells.count !== this.header.length)
      throw this.#notARow(cells.count, line);
    this.rows++;
    return true;
  }

  /** @throws InvalidInputError when there was no row. */
  end(): void {
    const place = { file: this.#file };
    if (this.header.length === 0) {
      const names = this.#settings.header ? "a line of column names and " : "";
      throw new InvalidInputError(`is empty; expected ${names}rows`, place);
    }
    if (this.rows > 0) return;
    throw new InvalidInputError(`has a header but no rows; add rows${OR_NO_HEADER}`, place);
  }

  #start(cells: Cells): void {
    if (cells.count > MOST_TEXT_COLUMNS) {
      throw new InvalidInputError(
        `has ${cells.count} columns, and at most ${MOST_TEXT_COLUMNS} are read from a text file; store it as a matrix (.npy), or ` +
          `name another delimiter (--delimiter)`,
        { file: this.#file, line: 1 },
      );
    }
    const header = this.#settings.header ? cells.texts() : numberedNames(cells.count);
    checkHeader(header, this.#file);
    const { nominal, numeric, ignoreUnknown, na, decimal } = this.#settings;
    const known = new Set(header);
    const unknown = [...nominal, ...numeric].find((name) => !known.has(name));
    if (unknown !== undefined && !ignoreUnknown) throw unknownColumn(unknown, header, this.#file);
    const isMissing = missingTest(na);
    const [texts, numbers] = [new Set(nominal), new Set(numeric)];
    this.header = header;
    this.rules = header.map((name) => {
      const kind = texts.has(name) ? "nominal" : numbers.has(name) ? "numeric" : "infer";
      return { file: this.#file, name, kind, decimal, isMissing };
    });
  }

  #notARow(count: number, line: number): InvalidInputError {
    if (this.#blankLine !== undefined) {
      return new InvalidInputError("is blank, but rows follow; remove the line", {
        file: this.#file,
        line: this.#blankLine,
      });
    }
    return new InvalidInputError(
      `has ${countCells(count)}, but ${this.#settings.header ? "the header" : "line 1"} has ${this.header.length}; add or remove cells, quote cells that ` +
        `contain the delimiter ${JSON.stringify(this.delimiter)}, or name another delimiter (--delimiter)`,
      { file: this.#file, line },
    );
  }
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
  const numbers = names.filter((name) => parseNumber(name, decimal) !== undefined);
  const counted = columns.every(({ name }, column) => name === String(column));
  return (
    !counted && numbers.length > 0 && names.every((name) => numbers.includes(name) || isMissing.has(name))
  );
}

const OR_NO_HEADER = ", or read line 1 as a row (--no-header)";

function checkHeader(header: readonly string[], file: string): void {
  const seen = new Map<string, number>();
  header.forEach((name, at) => {
    const column = at + 1;
    if (name.trim() === "") {
      throw new InvalidInputError("has no name; every column needs one in the header" + OR_NO_HEADER, {
        file,
        line: 1,
        column,
      });
    }
    const first = seen.get(name);
    if (first !== undefined) {
      throw new InvalidInputError(
        `is called ${JSON.stringify(name)}, like column ${first}; rename one of them in the header${OR_NO_HEADER}`,
        { file, line: 1, column },
      );
    }
    seen.set(name, column);
  });
}

function countCells(count: number): string {
  return count === 1 ? "1 cell" : `${count} cells`;
}
