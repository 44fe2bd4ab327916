/**
 * This module finds the delimiter, the line ends and what stands above the header in the start of a CSV file.
 * Later lines may contradict the guess; they are then reported as ragged, never silently mended.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { BLANKS, type CsvSettings } from "./options.ts";
import { parseNumber } from "../number.ts";
import { parseRecords, type CsvFormat, type PapaParser } from "./records.ts";
import { MOST_CELLS } from "./lines.ts";
import { BlankRuns, withoutHash } from "./skip.ts";

/** This many characters are looked at, so that the guess does not depend on how the file arrives. */
export const SAMPLE_CHARS = 1 << 16;

/** This is the format, and `found` says whether its delimiter was seen: a file of one column has none. */
export interface SniffedFormat extends CsvFormat {
  readonly found: boolean;
}

const SAMPLE_RECORDS = 100;
const CANDIDATES = [",", ";", "\t", "|"];
const SEPARATOR = /"?sep=([^"\r\n])"?(?:\r\n?|\n|$)/iy;
const LINE_END = /[\r\n]/g;
const BLANK = /^[ \t\r]*$/;

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
  const newline = lineEnd(sample, settings.comment ?? "#");
  const above = linesAbove(sample, newline, settings);
  const comment = settings.comment === undefined || settings.comment === "" ? undefined : settings.comment;
  const text = whole && !sample.endsWith(newline) ? sample + newline : sample;
  const body = comment === undefined ? text.slice(above.end) : withoutComments(text, comment, newline);
  const given = settings.delimiter ?? above.delimiter;
  if (comment !== undefined && given === comment) {
    throw new InvalidInputError(
      `the line sep=${given} names the delimiter, and lines of comment start with it too; name another start of them ` +
        `(option comment) or the delimiter (option delimiter)`,
    );
  }
  const divider = given === undefined ? dividerOf(body, newline, settings, Parser) : dividerFor(given);
  const format = { ...divider, newline, skip: settings.skip + above.lines, comment };
  const { hash } = above;
  if (!settings.header || hash === undefined) return format;
  if (!isHeader(hash.text + newline, body, format, settings, Parser)) return format;
  return { ...format, skip: settings.skip + hash.lines, hash: true };
}

/** These lines stand before the header: `sep=;`, which Excel reads, and lines of comment. */
interface LinesAbove {
  /** There are so many as LineSkipper counts them, to which a CR alone ends a line in any file. */
  readonly lines: number;
  /** The line behind them starts at this index. */
  readonly end: number;
  readonly delimiter?: string;
  /** It is the last of them, where it starts with "#", and the number of those above it. */
  readonly hash?: { readonly text: string; readonly lines: number };
}

function linesAbove(sample: string, newline: string, { comment }: CsvSettings): LinesAbove {
  const mark = comment ?? "#";
  const linesIn = (text: string) => text.match(/\r\n|\n|\r/g)?.length ?? 1;
  const none = { lines: 0, end: 0 };
  let above: LinesAbove = none;
  let lines = 0;
  for (let at = 0; at < sample.length;) {
    SEPARATOR.lastIndex = at;
    const separator = SEPARATOR.exec(sample);
    if (separator !== null) return { lines: lines + 1, end: SEPARATOR.lastIndex, delimiter: separator[1] };
    const next = sample.indexOf(newline, at);
    const text = sample.slice(at, next < 0 ? sample.length : next);
    const isComment = mark !== "" && text.startsWith(mark);
    if (!isComment && !BLANK.test(text)) break;
    // A file of comments alone has no line to read below them.
    if (next < 0 || next + 1 >= sample.length) return none;
    const end = next + 1;
    const before = lines;
    lines += linesIn(sample.slice(at, end));
    // Lines of comment that the caller names are left out with all others (records.ts).
    if (isComment && comment === undefined) above = { lines, end, hash: { text, lines: before } };
    at = end;
  }
  return above;
}

/**
 * Says whether a line that starts with "#" names columns: it has as many cells as the line below, and that is
 * a row, or the "#" belongs to a word and the line below is no header itself, over a row with numbers.
 */
function isHeader(
  line: string,
  body: string,
  format: CsvFormat,
  { decimal, na }: CsvSettings,
  Parser: PapaParser,
): boolean {
  const [names] = recordsOf(withoutHash(line), format, Parser, 1);
  const [first, second = []] = recordsOf(body, format, Parser, 2);
  if (names === undefined || names.length !== first?.length) return false;
  const isNumber = (cell: string) => parseNumber(cell, decimal) !== undefined;
  const isValue = (cell: string) => isNumber(cell) || (cell !== "" && na.includes(cell));
  if (first.some(isValue)) return true;
  return names.length > 1 && /^#[^#\s]/.test(line) && !second.some(isNumber);
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
  const candidates = CANDIDATES.filter(
    (candidate) => candidate !== settings.decimal && candidate !== settings.comment,
  );
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
  if (settings.comment !== "\t" && dividesByBlanks(text, newline, settings, Parser))
    return dividerFor(BLANKS);
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
 * "\r\n". Lines of comment above it may hold quotes and carriage returns that mean nothing.
 */
function lineEnd(sample: string, comment: string): "\n" | "\r" {
  let quoted = false;
  let begin = 0;
  while (comment !== "" && sample.startsWith(comment, begin)) {
    LINE_END.lastIndex = begin;
    if (!LINE_END.test(sample)) return begin === 0 ? "\n" : "\r";
    begin = LINE_END.lastIndex;
    if (sample[begin - 1] === "\n" || sample[begin] === "\n") return "\n";
    // The last carriage return may have its line feed behind the sample; those before have none.
    if (begin === sample.length) return sample.indexOf("\r") + 1 < begin ? "\r" : "\n";
  }
  for (let at = begin; at < sample.length; at++) {
    const unit = sample[at];
    if (unit === '"') quoted = !quoted;
    else if (!quoted && unit === "\n") return "\n";
    else if (!quoted && unit === "\r")
      return sample[at + 1] === "\n" || at + 1 === sample.length ? "\n" : "\r";
  }
  return "\n";
}
