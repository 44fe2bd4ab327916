/**
 * This module turns CSV text into records: pieces of text of any size go in, each record comes out once, with
 * the line it starts on. Usual records are read by lines.ts, others by PapaParse. Quotes are judged here;
 * what cells mean is not.
 */
import type { ParseConfig } from "papaparse";
import { InvalidInputError } from "../../core/errors.ts";
import { MOST_TEXT_COLUMNS } from "../chunkColumn.ts";
import { LineCells, MOST_CELLS, TextCells, type RecordCells } from "./lines.ts";
import { BlankRuns, LineSkipper, withoutHash } from "./skip.ts";

/**
 * It is PapaParse's parser of text in memory. The rest of PapaParse (streams, workers, guesses) is not used.
 */
export type PapaParser = typeof import("papaparse").Parser;

export interface CsvFormat {
  readonly delimiter: string;
  /** Lines end so; "\n" covers "\r\n" too. */
  readonly newline: "\n" | "\r";
  /** So many lines above the first record are left out. The default is 0. */
  readonly skip?: number;
  /** The first record begins with "#", which is no part of its first cell. The default is false. */
  readonly hash?: boolean;
  /** Runs of blanks divide the cells; the delimiter, a tab, is what they become. The default is false. */
  readonly blanks?: boolean;
  /** Lines that start so are no records. There is none by default. */
  readonly comment?: string | undefined;
}

export interface CsvRecord {
  readonly cells: string[];
  /** The record stops here in the text parsed, after its line end. */
  readonly end: number;
  /** It is the index into the text parsed where a quote in the record is wrong. */
  readonly badQuote: number | undefined;
}

/**
 * A record has at most so many characters. No honest record is longer; a quote that is never closed swallows
 * the rest of the file.
 */
const MAX_RECORD_CHARS = 1 << 27;

/** Loads the parser on demand, so that pages which read no CSV do without it. */
export async function loadParser(): Promise<PapaParser> {
  const { Papa } = await import("./papaparse.generated.ts");
  return Papa.Parser;
}

/**
 * Parses the complete records of a text; what follows the last line end outside quotes is left alone.
 * @param onRecord returns false to stop.
 */
export function parseRecords(
  text: string,
  { delimiter, newline, comment }: CsvFormat,
  Parser: PapaParser,
  onRecord: (record: CsvRecord) => boolean,
): void {
  let begin = 0;
  const config: ParseConfig<string[][]> = {
    delimiter,
    newline,
    ...(comment === undefined ? {} : { comments: comment }),
    step: ({ data, errors, meta }) => {
      const cells = data[0];
      if (newline === "\n" && cells[cells.length - 1].endsWith("\r")) {
        dropReturn(cells, delimiter, text.slice(begin, meta.cursor - 1));
      }
      begin = meta.cursor;
      if (!onRecord({ cells, end: meta.cursor, badQuote: errors[0]?.index })) parser.abort();
    },
  };
  const parser = new Parser(config as ParseConfig);
  parser.parse(text, 0, true);
}

export class RecordReader {
  readonly #file: string;
  readonly #format: CsvFormat;
  readonly #Parser: PapaParser;
  readonly #onRecord: (cells: RecordCells, line: number) => void;
  readonly #usual: LineCells;
  readonly #maxChars: number;
  #pending = "";
  /**
   * Pending characters are parsed again when there are so many: a record longer than the pieces would else
   * cost its square.
   */
  #parseAt = 1;
  #line: number;
  #skipper: LineSkipper | undefined;
  readonly #blanks: BlankRuns | undefined;
  #hash: boolean;

  /** @param skipped the number of lines of `format.skip` that are gone already */
  constructor(
    file: string,
    format: CsvFormat,
    Parser: PapaParser,
    onRecord: (cells: RecordCells, line: number) => void,
    maxChars = MAX_RECORD_CHARS,
    skipped = 0,
  ) {
    const { skip = 0, blanks = false, hash = false } = format;
    this.#line = 1 + skip;
    this.#skipper = skip > skipped ? new LineSkipper(skip - skipped) : undefined;
    this.#blanks = blanks ? new BlankRuns(format.comment) : undefined;
    this.#hash = hash;
    this.#file = file;
    this.#format = format;
    this.#Parser = Parser;
    this.#onRecord = onRecord;
    this.#usual = new LineCells(format.delimiter);
    this.#maxChars = maxChars;
  }

  push(given: string): void {
    this.#pending += this.#prepared(given);
    if (this.#pending.length >= this.#parseAt) this.#parse();
  }

  /** Ends the text, whose last line may lack its end. */
  end(): void {
    const { newline } = this.#format;
    if (this.#blanks !== undefined) this.#pending += this.#blanks.end();
    if (this.#pending !== "" && !this.#pending.endsWith(newline)) this.#pending += newline;
    this.#parse();
    if (this.#pending !== "") throw this.#unclosed();
  }

  #prepared(given: string): string {
    let text = this.#skipper === undefined ? given : this.#skipper.push(given);
    if (this.#hash && text !== "") {
      text = withoutHash(text);
      this.#hash = text === "";
    }
    return this.#blanks === undefined ? text : this.#blanks.push(text);
  }

  #parse(): void {
    const text = this.#pending;
    const begin = this.#format.newline === "\n" ? this.#parseUsual(text) : this.#parseAny(text);
    this.#pending = text.slice(begin);
    if (this.#pending.length > this.#maxChars) throw this.#unclosed();
    this.#parseAt = begin === 0 ? 2 * text.length : 1;
  }

  /** Parses usual records. @returns where the complete records end */
  #parseUsual(text: string): number {
    const cells = this.#usual;
    const { comment } = this.#format;
    cells.start(text);
    if (comment === undefined) {
      while (cells.next()) {
        this.#onRecord(cells, this.#line);
        this.#line += cells.lines;
      }
    } else {
      for (;;) {
        cells.end = this.#afterComments(text, cells.end);
        if (!cells.next()) break;
        this.#onRecord(cells, this.#line);
        this.#line += cells.lines;
      }
    }
    const { end } = cells;
    if (cells.overfull) throw this.#tooManyCells();
    return cells.unusual ? end + this.#parseAny(text.slice(end)) : end;
  }

  /** Parses any records. @returns where the complete records end */
  #parseAny(text: string): number {
    if (mayHaveTooManyCells(text, this.#format)) throw this.#tooManyCells();
    const quoted = text.includes('"');
    let begin = 0;
    parseRecords(text, this.#format, this.#Parser, ({ cells, end, badQuote }) => {
      begin = this.#afterComments(text, begin);
      if (badQuote !== undefined) throw this.#badQuote(text, begin, badQuote);
      if (this.#format.newline === "\r" && text[begin] === "\n") throw this.#mixedEnds();
      this.#onRecord(new TextCells(cells), this.#line);
      this.#line += quoted ? countOf(this.#format.newline, text, begin, end) : 1;
      begin = end;
      return true;
    });
    return this.#afterComments(text, begin);
  }

  /** Returns where the first record at or behind `begin` starts, below complete lines of comment. */
  #afterComments(text: string, begin: number): number {
    const { comment, newline } = this.#format;
    if (comment === undefined) return begin;
    let at = begin;
    while (text.startsWith(comment, at)) {
      const end = text.indexOf(newline, at);
      if (end < 0) return at;
      this.#line++;
      at = end + 1;
    }
    return at;
  }

  /** Makes the error for text in which PapaParse finds no end of the first record. */
  #unclosed(): InvalidInputError {
    const parser = new this.#Parser({ delimiter: this.#format.delimiter, newline: this.#format.newline });
    const { errors } = parser.parse(this.#pending, 0, false) as { errors: { code: string; index: number }[] };
    const first = errors[0];
    if (first === undefined) {
      return new InvalidInputError(
        `is longer than ${this.#maxChars} characters; expected a text file of lines`,
        { file: this.#file, line: this.#line },
      );
    }
    if (first.code !== "MissingQuotes") return this.#badQuote(this.#pending, 0, first.index);
    return new InvalidInputError(
      "a quote is opened here and never closed; close it, or double it if it is meant as text",
      {
        file: this.#file,
        line: this.#line + countOf(this.#format.newline, this.#pending, 0, first.index),
      },
    );
  }

  #badQuote(text: string, begin: number, index: number): InvalidInputError {
    return new InvalidInputError(
      "the quoted cell that starts here has text after its closing quote; write a quote inside a quoted cell twice",
      { file: this.#file, line: this.#line + countOf(this.#format.newline, text, begin, index) },
    );
  }

  #tooManyCells(): InvalidInputError {
    return new InvalidInputError(
      `has more than ${MOST_CELLS} cells, and at most ${MOST_TEXT_COLUMNS} columns are read from a text file; store it as a matrix ` +
        `(.npy), or name another delimiter (option delimiter)`,
      { file: this.#file, line: this.#line },
    );
  }

  #mixedEnds(): InvalidInputError {
    return new InvalidInputError(
      "lines end with CR above and with LF here; save the file with one kind of line end",
      {
        file: this.#file,
        line: this.#line,
      },
    );
  }
}

/**
 * Returns true where the first record has so many delimiters outside quotes. PapaParse would make a string
 * for each.
 */
function mayHaveTooManyCells(text: string, { delimiter, newline }: CsvFormat): boolean {
  if (text.length <= MOST_CELLS) return false;
  let cells = 1;
  let quoted = false;
  for (let at = 0; at < text.length && cells <= MOST_CELLS; at++) {
    const unit = text[at];
    if (unit === '"') quoted = !quoted;
    else if (!quoted && unit === delimiter) cells++;
    else if (!quoted && unit === newline) return false;
  }
  return cells > MOST_CELLS;
}

/**
 * Takes the "\r" of "\r\n" off an unquoted last cell; PapaParse itself skips it after a closing quote.
 * @param raw the record as written, without "\n", and the comments above it.
 */
function dropReturn(cells: string[], delimiter: string, raw: string): void {
  const last = cells.length - 1;
  const cell = cells[last];
  const unquoted = raw === cell || raw.endsWith(delimiter + cell) || raw.endsWith("\n" + cell);
  if (unquoted) cells[last] = cell.slice(0, -1);
}

function countOf(unit: string, text: string, begin: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf(unit, begin); at >= 0 && at < end; at = text.indexOf(unit, at + 1)) count++;
  return count;
}
