/**
 * This module finds the delimiter, the line ends and what stands above the header in the start of a CSV file.
 * Later lines may contradict the guess; they are then reported as ragged, never silently mended.
 */
import { BLANKS, type CsvSettings } from "./options.ts";
import { parseNumber } from "../number.ts";
import { parseRecords, type CsvFormat, type PapaParser } from "./records.ts";
import { MOST_CELLS } from "./lines.ts";
import { BlankRuns, withoutHash } from "./skip.ts";

/** The characters looked at; fixed, so that the guess does not depend on how the file arrives. */
export const SAMPLE_CHARS = 1 << 16;

/** The format, and whether its delimiter was seen: a file of one column has none. */
export interface SniffedFormat extends CsvFormat {
  readonly found: boolean;
}

const SAMPLE_RECORDS = 100;
const CANDIDATES = [",", ";", "\t", "|"];
const SEPARATOR = /^"?sep=([^"\r\n])"?\r?(?:\n|$)/i;

/**
 * Finds the format.
 * @param sample the text behind the lines that the settings skip
 * @param whole the sample is all of the file.
 */
export function sniffFormat(
  sample: string,
  whole: boolean,
  settings: CsvSettings,
  Parser: PapaParser,
): SniffedFormat {
  const newline = lineEnd(sample);
  const above = linesAbove(sample, newline, settings);
  const comment = settings.comment === undefined || settings.comment === "" ? undefined : settings.comment;
  const text = whole && !sample.endsWith(newline) ? sample + newline : sample;
  const body = comment === undefined ? text.slice(above.end) : withoutComments(text, comment, newline);
  const given = settings.delimiter ?? above.delimiter;
  const divider = given === undefined ? dividerOf(body, newline, settings, Parser) : dividerFor(given);
  const format = { ...divider, newline, skip: settings.skip + above.lines, comment };
  const { hash } = above;
  if (hash === undefined || !isHeader(hash.text + newline, body, format, settings, Parser)) return format;
  return { ...format, skip: format.skip - 1, hash: true };
}

/** The lines before the header: `sep=;`, which Excel reads, or lines of comment. */
interface LinesAbove {
  readonly lines: number;
  /** The index where the line behind them starts. */
  readonly end: number;
  readonly delimiter?: string;
  /** The last of them, where it starts with "#". */
  readonly hash?: { readonly text: string };
}

function linesAbove(sample: string, newline: string, { comment }: CsvSettings): LinesAbove {
  const separator = SEPARATOR.exec(sample);
  if (separator !== null) return { lines: 1, end: separator[0].length, delimiter: separator[1] };
  let [lines, end] = [0, 0];
  if (comment !== undefined) return { lines, end };
  let text = "";
  while (sample[end] === "#") {
    const next = sample.indexOf(newline, end);
    // A file of comments alone has no line to read below them.
    if (next < 0 || next + 1 >= sample.length) return { lines: 0, end: 0 };
    text = sample.slice(end, next);
    end = next + 1;
    lines++;
  }
  return lines === 0 ? { lines, end } : { lines, end, hash: { text } };
}

/**
 * Says whether a line that starts with "#" names columns: it has as many cells as the line below, and that is
 * a row, or the "#" belongs to a word.
 */
function isHeader(
  line: string,
  body: string,
  format: CsvFormat,
  { decimal }: CsvSettings,
  Parser: PapaParser,
): boolean {
  const [names] = recordsOf(withoutHash(line), format, Parser, 1);
  const [first] = recordsOf(body, format, Parser, 1);
  if (names === undefined || names.length !== first?.length) return false;
  const isRow = first.some((cell) => parseNumber(cell, decimal) !== undefined);
  return isRow || (names.length > 1 && /^#[^#\s]/.test(line));
}

function withoutComments(text: string, comment: string, newline: string): string {
  const lines = text.split(newline);
  return lines.filter((line) => !line.startsWith(comment)).join(newline);
}

type Divider = Pick<SniffedFormat, "delimiter" | "blanks" | "found">;

function dividerFor(given: string): Divider {
  return given === BLANKS
    ? { delimiter: "\t", blanks: true, found: true }
    : { delimiter: given, found: true };
}

function dividerOf(text: string, newline: "\n" | "\r", settings: CsvSettings, Parser: PapaParser): Divider {
  const candidates = CANDIDATES.filter((candidate) => candidate !== settings.decimal);
  let best: string | undefined;
  let most = 0;
  let inHeader = candidates[0];
  let mostInHeader = 1;
  for (const candidate of candidates) {
    const records = recordsOf(text, { delimiter: candidate, newline }, Parser);
    const header = records.length > 0 ? records[0].length : text.split(candidate).length;
    if (header > mostInHeader) [inHeader, mostInHeader] = [candidate, header];
    const found = evenness(header, records);
    if (found > most) [best, most] = [candidate, found];
  }
  if (best !== undefined) return { delimiter: best, found: true };
  if (dividesByBlanks(text, newline, settings, Parser)) return dividerFor(BLANKS);
  return { delimiter: inHeader, found: mostInHeader > 1 };
}

/**
 * Returns the number of cells of every record, or 0 where they differ or are one. It is less than that where
 * rows have one more, the names of the rows, or one fewer, since the header ends with a delimiter.
 */
function evenness(header: number, records: readonly string[][]): number {
  if (header < 2) return 0;
  const rows = records.slice(1);
  if (rows.every(({ length }) => length === header)) return header;
  const isShort = rows.every(({ length }) => length === header + 1);
  const isLong = records[0].at(-1) === "" && rows.every(({ length }) => length === header - 1);
  return isShort || isLong ? header / MOST_CELLS : 0;
}

/**
 * Says whether runs of blanks divide all lines alike, and make a column of numbers: words with blanks between
 * them are mostly text.
 */
function dividesByBlanks(
  text: string,
  newline: "\n" | "\r",
  { decimal, header: named, na }: CsvSettings,
  Parser: PapaParser,
): boolean {
  const divided = new BlankRuns().push(text);
  const records = recordsOf(divided, { delimiter: "\t", newline }, Parser);
  const rows = records.slice(named ? 1 : 0);
  if (rows.length === 0 || evenness(records[0].length, records) === 0) return false;
  const isNumber = (cell: string) => parseNumber(cell, decimal) !== undefined;
  const missing = new Set(na);
  return rows[0].some((_, at) => {
    const cells = rows.map((row) => row[at]).filter((cell) => !missing.has(cell));
    return cells.length > 0 && cells.every(isNumber);
  });
}

function isNotBlank(cells: readonly string[]): boolean {
  return cells.length > 1 || cells[0].trim() !== "";
}

function recordsOf(text: string, format: CsvFormat, Parser: PapaParser, most = SAMPLE_RECORDS): string[][] {
  const records: string[][] = [];
  const divided = format.blanks === true ? new BlankRuns().push(text) : text;
  parseRecords(divided, { ...format, skip: 0, comment: undefined }, Parser, ({ cells }) => {
    if (isNotBlank(cells)) records.push(cells);
    return records.length < most;
  });
  return records;
}

/**
 * Returns "\r" only for files whose first line ends with a lone carriage return; "\n" also reads files with
 * "\r\n".
 */
function lineEnd(sample: string): "\n" | "\r" {
  let quoted = false;
  for (let at = 0; at < sample.length; at++) {
    const unit = sample[at];
    if (unit === '"') quoted = !quoted;
    else if (!quoted && unit === "\n") return "\n";
    else if (!quoted && unit === "\r")
      return sample[at + 1] === "\n" || at + 1 === sample.length ? "\n" : "\r";
  }
  return "\n";
}
