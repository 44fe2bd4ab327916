/**
 * These are the options that a caller may give for a CSV file, and the same checked and with defaults filled
 * in. The delimiter may stay open: sniff.ts finds it in the file.
 */
import { InvalidInputError, oneOf } from "../../core/errors.ts";
import { type OptionNames } from "../../core/options.ts";
import type { RecordCells } from "./lines.ts";
import type { Decimal } from "../number.ts";
import { checkSigns, type NumberSigns } from "./syntax.ts";

/** This delimiter stands for runs of spaces and tabs. */
export const BLANKS = "blanks";

/**
 * These cells mean "no value" unless `na` says otherwise. They are compared exactly, without the spaces and
 * tabs around them.
 */
export const MISSING_TOKENS: readonly string[] = [
  "",
  "?",
  "NA",
  "N/A",
  "NaN",
  "nan",
  "null",
  "NULL",
  "None",
  "none",
  "nil",
  "#N/A",
  "#NA",
  "<NA>",
  "n/a",
  "N.A.",
];

/**
 * These dashes mean "no value" among numbers, unless `na` says otherwise; among words they are one, such as
 * the other half of "+".
 */
export const DASHES = /^[ \t]*(?:-{1,3}|[\u2013\u2014])[ \t]*$/;

/**
 * They say what the caller knows about a CSV file; all of them are optional.
 * @example
 * const options: CsvOptions = { decimal: ",", na: ["-"], nominal: ["plot"] };
 * const table = await readCsv(textSource("plot;width\n07;1,5\n08;-\n", "leaves.csv"), options);
 * table.column("plot").kind; // => "nominal"
 */
export interface CsvOptions {
  /**
   * The text has this encoding, by a name that TextDecoder knows, such as "windows-1252". The default is
   * UTF-8, or UTF-16 where the file starts with its byte-order mark.
   */
  readonly encoding?: string;
  /**
   * It is one character, or "blanks" for runs of spaces and tabs. The default is whichever of , ; tab | and
   * blanks divides the first lines evenly.
   */
  readonly delimiter?: string;
  /** Decimals begin with it; default ".". With "," the comma is not considered as a delimiter. */
  readonly decimal?: Decimal;
  /**
   * The first line holds the columns' names. False says that it is a row like all others; columns are then
   * called "0", "1" and so on, like those of a matrix. The default is true.
   */
  readonly header?: boolean;
  /** This many lines at the start of the file are skipped. The default is 0. */
  readonly skip?: number;
  /** Lines that start with this are skipped; "" skips none. The default is "#", but only above the header. */
  readonly comment?: string;
  /**
   * These cells mean "no value", quoted or not; [] for none. They replace the default: empty cells, "NA",
   * "null" and the like, and dashes among numbers.
   */
  readonly na?: readonly string[];
  /**
   * This separator may stand between groups of three digits: with "," the cell 1,200 is 1200. The default is
   * none: such cells are text.
   */
  readonly thousands?: string;
  /**
   * These may stand before or after numbers, such as "$" and "kg"; "%" divides the number by 100. The default
   * is none: such cells are text.
   */
  readonly units?: readonly string[];
  /** These columns are kept as text, whatever they hold. */
  readonly nominal?: readonly string[];
  /**
   * These columns must hold numbers; text in them is an error. Only in these are whole numbers with leading
   * zeros read as numbers.
   */
  readonly numeric?: readonly string[];
  /** These columns must hold dates or times; other cells are an error. */
  readonly dates?: readonly string[];
  /**
   * In a stream the distinct texts of nominal columns may take roughly this many bytes; a table that is read
   * whole may take this many, or 64 times the bytes of its file if that is more. The default is 1 GiB.
   */
  readonly memory?: number;
  /**
   * Ignores columns in `nominal`, `numeric` and `dates` that the file lacks: a test file may lack the label.
   * The default is false.
   */
  readonly ignoreUnknown?: boolean;
  /**
   * Keeps every cell's characters, so that the rows can be written back unchanged: table.origin.textOf. The
   * default is false.
   */
  readonly keepText?: boolean;
  readonly signal?: AbortSignal;
  /** It is called with the bytes read so far, and in all if that is known. */
  readonly onProgress?: (bytes: number, byteLength: number | undefined) => void;
}

export const csvNames: OptionNames<CsvOptions> = {
  encoding: 1,
  delimiter: 1,
  decimal: 1,
  header: 1,
  skip: 1,
  comment: 1,
  na: 1,
  thousands: 1,
  units: 1,
  nominal: 1,
  numeric: 1,
  dates: 1,
  memory: 1,
  ignoreUnknown: 1,
  keepText: 1,
  signal: 1,
  onProgress: 1,
};

export interface CsvSettings extends NumberSigns {
  readonly encoding: string | undefined;
  readonly delimiter: string | undefined;
  readonly header: boolean;
  readonly skip: number;
  readonly comment: string | undefined;
  readonly na: readonly string[];
  /** Dashes among numbers mean "no value". */
  readonly dashes: boolean;
  readonly nominal: readonly string[];
  readonly numeric: readonly string[];
  readonly dates: readonly string[];
  readonly ignoreUnknown: boolean;
  readonly keepText: boolean;
}

export function csvSettings(options: CsvOptions): CsvSettings {
  const { delimiter, decimal = ".", na = MISSING_TOKENS, nominal = [], numeric = [] } = options;
  const { thousands, units = [] } = options;
  const { header = true, skip = 0, comment, ignoreUnknown = false, keepText = false } = options;
  if (delimiter !== BLANKS) checkSeparators(delimiter, decimal);
  if (!Number.isSafeInteger(skip) || skip < 0)
    throw new InvalidInputError(`skip is ${skip}; expected the number of lines to skip, such as 1`);
  if (comment !== undefined && /[\r\n"]/.test(comment)) {
    throw new InvalidInputError(
      `comment lines start with ${JSON.stringify(comment)}; expected characters such as "#"`,
    );
  }
  if (comment !== undefined && comment === (delimiter === BLANKS ? "\t" : delimiter)) {
    throw new InvalidInputError(
      `the delimiter and the start of lines of comment are both ${JSON.stringify(comment)}; name another start, such as "#"`,
    );
  }
  const declared = { nominal, numeric, dates: options.dates ?? [] };
  checkDeclared(declared);
  const signs = { decimal, thousands, units };
  checkSigns(signs);
  const dashes = options.na === undefined;
  const rows = { header, skip, comment, ignoreUnknown, keepText };
  return { encoding: options.encoding, delimiter, ...signs, ...rows, na, dashes, ...declared };
}

type Declared = Pick<CsvSettings, "nominal" | "numeric" | "dates">;

/**
 * Checks that columns are declared to be one thing.
 * @throws InvalidInputError for a column that is to be two
 */
export function checkDeclared(declared: Declared): void {
  const known = new Map<string, string>();
  for (const [kind, names] of Object.entries<readonly string[]>({ ...declared })) {
    for (const name of names) {
      const other = known.get(name);
      if (other !== undefined && other !== kind) {
        throw new InvalidInputError(
          `column ${JSON.stringify(name)} is declared both ${other} and ${kind}; choose one`,
        );
      }
      known.set(name, kind);
    }
  }
}

/** Makes a test for cells that mean "no value". */
export function missingTest(tokens: readonly string[]): (cells: RecordCells, cell: number) => boolean {
  const all = new Set(tokens);
  const firstUnits = new Set(tokens.map((token) => token.charCodeAt(0)));
  // Most cells begin with a digit, and hardly a token does.
  const digits = tokens.some((token) => /^[-+.\d]/.test(token));
  return (cells, cell) => {
    const first = cells.first(cell);
    if (!digits && first >= PLUS && first <= NINE) return false;
    const padded = first === SPACE || first === TAB;
    if (!padded && !firstUnits.has(first)) return false;
    const text = cells.text(cell);
    return all.has(text) || all.has(text.replace(/^[ \t]+|[ \t]+$/g, ""));
  };
}

/** Checks the separators; the writer shares it. */
export function checkSeparators(delimiter: string | undefined, decimal: string): asserts decimal is Decimal {
  if (decimal !== "." && decimal !== ",") {
    throw new InvalidInputError(
      `the decimal separator is ${JSON.stringify(decimal)}; expected ${oneOf(['"."', '","'])}`,
    );
  }
  if (delimiter === undefined) return;
  if (delimiter.length !== 1 || /["\r\n\uFEFF\0]/.test(delimiter)) {
    throw new InvalidInputError(
      `the delimiter is ${JSON.stringify(delimiter)}; expected one character that is neither a quote nor a line end`,
    );
  }
  if (delimiter === decimal) {
    throw new InvalidInputError(
      `the delimiter and the decimal separator are both ${JSON.stringify(decimal)}; name another delimiter, such as ";"`,
    );
  }
}

const [TAB, SPACE, PLUS, NINE] = [9, 32, 43, 57];
