/**
 * A table has named columns of equal length and is immutable: select, drop and take give a new table that
 * shares what it can. It is not a matrix: cells may be missing or nominal (encode.ts makes the matrix), and
 * not a file: `origin` only remembers one.
 */
import { assert, InvalidInputError } from "../core/errors.ts";
import { Bitset } from "./bitset.ts";
import { cellOf, columnLength, withType, type Column, type NominalType, type NumericType } from "./column.ts";
import { columnFrom, columnsFromRows, type Cell, type ColumnInput } from "./columnInput.ts";
import type { Guess } from "./guess.ts";
import { repeatedName, unknownColumn } from "./names.ts";
import { plural } from "../core/plural.ts";

/**
 * A row of a text file starts on this line, counted from 1; in any other file it has this number, counted
 * from 0.
 * @example
 * const shown = (place: RowPlace) => ("line" in place ? `line ${place.line}` : `row ${place.row}`);
 * const { origin } = await readCsv(textSource('x,note\n1,"two\nlines"\n2,one\n', "notes.csv"));
 * origin && shown(origin.placeOf(1)); // => "line 4"
 */
export type RowPlace = { readonly line: number } | { readonly row: number };

/**
 * It says where a table was read from, for messages and for writing its rows back unchanged.
 * @example
 * const table = await readCsv(textSource("id,x\n07,1.50\n08,2\n", "points.csv"), { keepText: true });
 * const origin: TableOrigin | undefined = table.take([1]).origin;
 * origin?.placeOf(0); // => { line: 3 }
 * origin?.textOf?.(0); // => ["08", "2"]
 */
export interface TableOrigin {
  readonly file: string;
  /** The file has these columns, in its order. */
  readonly header: readonly string[];
  /** Line 1 of a CSV file was taken for the header, but looks like a row: see the option `header`. */
  readonly namesInDoubt?: boolean;
  /** The cells of a CSV file were separated by this character; undefined for runs of blanks. */
  readonly delimiter?: string;
  /**
   * It is the first column if the header has no name for it, as in files of pandas and R: it names the rows,
   * and is a feature only if you list it as one.
   */
  readonly rowNames?: string;
  /**
   * The reader noticed these things in a whole CSV file and did not decide them, such as words that look like
   * numbers. Each names the option, of the library and of the command line, that changes it.
   */
  readonly hints?: readonly Guess[];
  /**
   * Returns where row `row` of this table stands: the line it starts on, or its number in a file that has no
   * lines.
   */
  placeOf(row: number): RowPlace;
  /**
   * Returns the cells of row `row` in the order of `header`, character by character as they were; only with
   * the option `keepText`.
   */
  readonly textOf?: (row: number) => string[];
  /**
   * Returns the cell that made a column nominal: the first one that is not a number. It is undefined for
   * columns declared nominal.
   */
  firstText(column: string): { readonly line: number; readonly text: string } | undefined;
}

/**
 * It holds the cells of a row by the names of their columns; null is a missing cell.
 * @example
 * const [row] = Table.fromColumns({ x: [1], kind: ["a"] });
 * const first: TableRow = row;
 * first; // => { x: 1, kind: "a" }
 */
export type TableRow = Record<string, number | string | null>;

/**
 * A table has named columns of equal length and never changes.
 * @example
 * const table = Table.fromColumns({ x: [1, 2, 3], kind: ["a", "b", null] });
 * table.names; // => ["x", "kind"]
 * table.rows; // => 3
 *
 * const some = table.select(["x"]).take([2, 0]);
 * encode(some, ["x"]).data; // => Float64Array [3, 1]
 *
 * Table.fromRows([{ x: 1 }, { x: 2, y: 5 }]).names; // => ["x", "y"]
 *
 * table.values("kind"); // => ["a", "b", null]
 * const large = table.filter(({ x }) => Number(x) > 1).withColumn("twice", ({ x }) => 2 * Number(x));
 * large.toRows(); // => [{ x: 2, kind: "b", twice: 4 }, { x: 3, kind: null, twice: 6 }]
 */
export class Table {
  readonly columns: readonly Column[];
  readonly rows: number;
  readonly origin: TableOrigin | undefined;
  /** It has the places of the columns by their names; tables of the same names share it. */
  readonly #places: ReadonlyMap<string, number>;

  /** @throws InvalidInputError for what is no column, columns of the same name, or of unequal lengths. */
  constructor(columns: readonly Column[], origin?: TableOrigin);
  /** @internal */
  constructor(columns: readonly Column[], origin: TableOrigin, like: Table);
  constructor(columns: readonly Column[], origin?: TableOrigin, like?: Table) {
    if (like === undefined && !areColumns(columns))
      throw new InvalidInputError(
        "a table is made of columns; pass rows to Table.fromRows, and values by name to Table.fromColumns",
      );
    this.columns = columns;
    this.rows = columns.length === 0 ? 0 : columnLength(columns[0]);
    this.origin = origin;
    if (like !== undefined) {
      this.#places = like.#places;
      return;
    }
    this.#places = new Map(columns.map((column, at) => [column.name, at]));
    if (this.#places.size < columns.length) {
      const repeated = repeatedName(columns.map(({ name }) => name));
      throw new InvalidInputError(
        `two columns have the name ${JSON.stringify(repeated)}; rename one of them`,
      );
    }
    for (const column of columns) if (columnLength(column) !== this.rows) throw unequal(column, columns[0]);
  }

  /**
   * Makes a table of columns. Numbers make a numeric column, strings a nominal one; null, undefined and NaN
   * are missing cells. A Float64Array is kept as it is, so do not write to it afterwards; everything else is
   * copied.
   * @throws InvalidInputError for unequal lengths, mixed types, infinity, or integers beyond 2^53.
   */
  static fromColumns(columns: Readonly<Record<string, ColumnInput>>): Table {
    const made = Object.entries(columns).map(([name, values]) => columnFrom(name, values));
    if (made.length === 0) throw new InvalidInputError("a table needs at least one column");
    return new Table(made);
  }

  /**
   * Makes a table of one object per row. The columns are all keys met, in order of first appearance; an
   * absent key is a missing cell.
   */
  static fromRows(rows: readonly Readonly<Record<string, Cell>>[]): Table {
    return Table.fromColumns(columnsFromRows(rows));
  }

  /** Returns the names of the columns, in their order. */
  get names(): string[] {
    return this.columns.map(({ name }) => name);
  }

  /** Returns true if there is a column of that name. */
  has(name: string): boolean {
    return this.#places.has(name);
  }

  /**
   * Returns the column of that name.
   * @throws InvalidInputError for an unknown name, with the names there are and the nearest one.
   */
  column(name: string): Column {
    const place = this.#places.get(name);
    if (place !== undefined) return this.columns[place];
    throw unknownColumn(name, this.names, this.origin?.file);
  }

  /**
   * Returns the cells of a column as users see them: numbers (dates as milliseconds), texts, null where one
   * is missing.
   */
  values(name: string): (number | string | null)[] {
    const column = this.column(name);
    return Array.from({ length: this.rows }, (_, row) => cellOf(column, row));
  }

  /** Returns an object per row, as `fromRows` takes them. */
  toRows(): TableRow[] {
    return [...this];
  }

  /** Iterates over the rows, an object for each. */
  *[Symbol.iterator](): Generator<TableRow, void, undefined> {
    for (let row = 0; row < this.rows; row++) yield rowOf(this, row);
  }

  /** Returns a table of the first rows; default 5. */
  head(rows = 5): Table {
    return this.take(Array.from({ length: Math.min(rows, this.rows) }, (_, row) => row));
  }

  /** Returns a table of the rows for which `wanted` is true. */
  filter(wanted: (row: TableRow, index: number) => boolean): Table {
    const rows = Array.from({ length: this.rows }, (_, row) => row);
    return this.take(rows.filter((row) => wanted(rowOf(this, row), row)));
  }

  /**
   * Returns a table with one more column, or with new cells in the column of that name.
   * @param values one per row, or a function that makes one from each row
   */
  withColumn(name: string, values: ColumnInput | ((row: TableRow, index: number) => Cell)): Table {
    const cells = typeof values === "function" ? Array.from(this, values) : values;
    const column = columnFrom(name, cells);
    if (!this.has(name)) return new Table([...this.columns, column]);
    return new Table(this.columns.map((each) => (each.name === name ? column : each)));
  }

  /** Returns the rows, for JSON.stringify. */
  toJSON(): TableRow[] {
    return this.toRows();
  }

  /**
   * Returns names, the first ten rows and the number of rows as text, which console.log shows in Node.
   * @internal
   */
  toString(): string {
    const shown = this.head(10);
    const cells = [
      this.names,
      ...Array.from(shown, (row) => this.names.map((name) => String(row[name] ?? ""))),
    ];
    const widths = this.names.map((_, at) => Math.max(...cells.map((row) => row[at].length)));
    const lines = cells.map((row) => row.map((cell, at) => cell.padStart(widths[at])).join("  "));
    return [...lines, `${this.rows} ${this.rows === 1 ? "row" : "rows"}`].join("\n");
  }

  /** @internal */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return this.toString();
  }

  /** Returns a table of these columns, in this order. */
  select(names: readonly string[]): Table {
    const repeated = repeatedName(names);
    if (repeated !== undefined)
      throw new InvalidInputError(`column ${JSON.stringify(repeated)} is named twice`);
    return new Table(
      names.map((name) => this.column(name)),
      this.origin,
    );
  }

  /**
   * Returns a table of the same names, with each of these columns in the place of its name. It takes the time
   * of these columns alone.
   * @internal
   */
  replaced(columns: readonly Column[], origin: TableOrigin): Table {
    const all = this.columns.slice();
    for (const column of columns) {
      const place = this.#places.get(column.name);
      assert(place !== undefined && columnLength(column) === this.rows, "a column takes another's place");
      all[place] = column;
    }
    return new Table(all, origin, this);
  }

  /** Returns a table of all columns but these. */
  drop(names: readonly string[]): Table {
    const gone = new Set(names.map((name) => this.column(name)));
    return new Table(
      this.columns.filter((column) => !gone.has(column)),
      this.origin,
    );
  }

  /**
   * Returns the same cells with other types of some columns: "real", "integer" or "date" (milliseconds) for
   * numbers, "polynominal" or "binominal" for nominal values. Only RapidMiner's nominal similarities ask
   * whether a column is binominal.
   * @throws InvalidInputError for an unknown column, or values that are not of the type.
   */
  withTypes(types: Readonly<Record<string, NumericType | NominalType>>): Table {
    for (const name of Object.keys(types)) this.column(name);
    return new Table(
      this.columns.map((column) => {
        const type = Object.hasOwn(types, column.name) ? types[column.name] : undefined;
        return type === undefined ? column : withType(column, type);
      }),
      this.origin,
    );
  }

  /** Returns a table of these rows (from 0), in this order; a row may be taken more than once. */
  take(rows: ArrayLike<number>): Table {
    const taken = Uint32Array.from(rows, (row) => {
      if (Number.isInteger(row) && row >= 0 && row < this.rows) return row;
      throw new InvalidInputError(
        `row ${row} does not exist; the table has ${plural(this.rows, "row")}, counted from 0`,
      );
    });
    const { origin } = this;
    return new Table(
      this.columns.map((column) => takeCells(column, taken)),
      origin && originOf(origin, taken),
    );
  }
}

function rowOf({ columns }: Table, row: number): TableRow {
  return Object.fromEntries(columns.map((column) => [column.name, cellOf(column, row)]));
}

function unequal(column: Column, first: Column): InvalidInputError {
  return new InvalidInputError(
    `column ${JSON.stringify(column.name)} has ${plural(columnLength(column), "cell")}, but ` +
      `${JSON.stringify(first.name)} has ${columnLength(first)}`,
  );
}

function takeCells(column: Column, rows: Uint32Array): Column {
  const valid = column.valid && takeBits(column.valid, rows);
  const gaps = valid === undefined ? {} : { valid };
  const { valid: _, ...rest } = column;
  if (rest.kind === "numeric") {
    return { ...rest, values: Float64Array.from(rows, (row) => rest.values[row]), ...gaps };
  }
  return { ...rest, codes: rows.map((row) => rest.codes[row]), ...gaps };
}

/** Takes the bits of rows; undefined when none of the rows taken has a gap. */
function takeBits(bits: Bitset, rows: Uint32Array): Bitset | undefined {
  const taken = new Bitset(rows.length);
  rows.forEach((row, at) => {
    if (bits.get(row)) taken.set(at);
  });
  return taken.count() === rows.length ? undefined : taken;
}

function originOf(origin: TableOrigin, rows: Uint32Array): TableOrigin {
  const { textOf, rowNames, delimiter } = origin;
  return {
    file: origin.file,
    header: origin.header,
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(rowNames === undefined ? {} : { rowNames }),
    placeOf: (row) => origin.placeOf(rows[row]),
    firstText: (column) => origin.firstText(column),
    ...(textOf === undefined ? {} : { textOf: (row: number) => textOf(rows[row]) }),
  };
}

function areColumns(given: unknown): boolean {
  return (
    Array.isArray(given) &&
    given.every((each: Partial<Column> | null) => each?.kind === "numeric" || each?.kind === "nominal")
  );
}
