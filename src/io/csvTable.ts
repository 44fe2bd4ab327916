/**
 * CSV records to a table: the header and its rules, the width of every row, and which line each row came from. Types are
 * each column's own business (csvColumn.ts).
 */
import { InvalidInputError } from "../core/errors.ts";
import { unknownColumn } from "../table/names.ts";
import { Table, type TableOrigin } from "../table/table.ts";
import { ColumnBuilder } from "./csvColumn.ts";
import { missingTest, type CsvSettings } from "./csvOptions.ts";
import { RunList } from "./lists.ts";

export class TableBuilder {
  delimiter = ",";
  readonly #file: string;
  readonly #settings: CsvSettings;
  readonly #lines = new RunList();
  #header: readonly string[] | undefined;
  #columns: ColumnBuilder[] = [];
  #rows = 0;
  #blankLine: number | undefined;

  constructor(file: string, settings: CsvSettings) {
    this.#file = file;
    this.#settings = settings;
  }

  add(cells: string[], line: number): void {
    if (this.#header === undefined) {
      this.#start(cells);
      return;
    }
    if (cells.length === 1 && cells[0] === "" && this.#columns.length > 1) {
      this.#blankLine ??= line;
      return;
    }
    this.#checkWidth(cells, line);
    this.#lines.push(this.#rows, line - this.#rows);
    this.#rows++;
    for (let j = 0; j < cells.length; j++) this.#columns[j].add(cells[j], line);
  }

  finish(): Table {
    if (this.#header === undefined) {
      throw new InvalidInputError("is empty; expected a line of column names and rows", { file: this.#file });
    }
    if (this.#rows === 0) {
      throw new InvalidInputError("has a header but no rows", { file: this.#file });
    }
    const finished = this.#columns.map((column) => column.finish());
    const texts = this.#settings.keepText ? finished.map(({ textOf }) => textOf) : undefined;
    const firstTexts = new Map(finished.map(({ column, firstText }) => [column.name, firstText]));
    return new Table(
      finished.map(({ column }) => column),
      originOf(this.#file, this.#header, this.#lines, firstTexts, texts),
    );
  }

  #start(header: readonly string[]): void {
    checkHeader(header, this.#file);
    const { nominal, numeric, ignoreUnknown, na, decimal } = this.#settings;
    const unknown = [...nominal, ...numeric].find((name) => !header.includes(name));
    if (unknown !== undefined && !ignoreUnknown) throw unknownColumn(unknown, header, this.#file);
    const isMissing = missingTest(na);
    this.#header = header;
    this.#columns = header.map((name) => {
      const kind = nominal.includes(name) ? "nominal" : numeric.includes(name) ? "numeric" : "infer";
      return new ColumnBuilder({ file: this.#file, name, kind, decimal, isMissing });
    });
  }

  /** Blank lines may only end the file. */
  #checkWidth(cells: readonly string[], line: number): void {
    if (this.#blankLine !== undefined) {
      throw new InvalidInputError("is blank, but rows follow; remove the line", {
        file: this.#file,
        line: this.#blankLine,
      });
    }
    const expected = this.#columns.length;
    if (cells.length === expected) return;
    throw new InvalidInputError(
      `has ${countCells(cells.length)}, but the header has ${expected}; add or remove cells, quote cells that contain the ` +
        `delimiter ${JSON.stringify(this.delimiter)}, or name another delimiter (--delimiter)`,
      { file: this.#file, line },
    );
  }
}

/** Apart from the builder, whose memory its functions would otherwise keep. */
function originOf(
  file: string,
  header: readonly string[],
  lines: RunList,
  firstTexts: ReadonlyMap<string, { readonly line: number; readonly text: string } | undefined>,
  texts: readonly ((row: number) => string)[] | undefined,
): TableOrigin {
  return {
    file,
    header,
    placeOf: (row) => ({ line: row + lines.get(row) }),
    firstText: (name) => firstTexts.get(name),
    ...(texts === undefined ? {} : { textOf: (row: number) => texts.map((textOf) => textOf(row)) }),
  };
}

function checkHeader(header: readonly string[], file: string): void {
  const seen = new Map<string, number>();
  header.forEach((name, at) => {
    const column = at + 1;
    if (name.trim() === "") {
      throw new InvalidInputError("has no name; every column needs one in the header", {
        file,
        line: 1,
        column,
      });
    }
    const first = seen.get(name);
    if (first !== undefined) {
      throw new InvalidInputError(
        `is called ${JSON.stringify(name)}, like column ${first}; rename one of them in the header`,
        { file, line: 1, column },
      );
    }
    seen.set(name, column);
  });
}

function countCells(count: number): string {
  return count === 1 ? "1 cell" : `${count} cells`;
}
