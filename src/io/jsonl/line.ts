/**
 * This module parses one line of a JSON lines file: a flat object of numbers, texts, booleans and nulls,
 * strictly as RFC 8259 has them. JSON.parse would not do: it rounds long integers, drops repeated keys and
 * puts keys that look like whole numbers first, all without a word, and Node 20 does not show it the text.
 * This parser takes 1.2 times its time (bench/results/files-decoders.md).
 */
import { InvalidInputError } from "../../core/errors.ts";
import { isFractionIn, largeInteger, reasonAgainstLarge, shortNumberIn } from "../number.ts";
import { shortened } from "../quote.ts";

export type JsonCell = number | string | boolean | null;

export interface CellListener {
  /** Is called for each cell in the order of the line. The parser's `raw` is the cell as it is written. */
  onCell(key: string, cell: JsonCell): void;
  /** Says of a key whether an object or a list there is passed over, since nobody asked for its column. */
  readonly isLeftOut: (key: string) => boolean;
}

/** Returns what says of a key whether it is none of the columns that are wanted. */
export function leftOutBy(wanted: readonly string[] | undefined): CellListener["isLeftOut"] {
  const names = wanted && new Set(wanted);
  return (key) => names?.has(key) === false;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** These characters end a string, or need a closer look. */
const SPECIAL = /["\\\u0000-\u001f]/g;
const LONE_SURROGATE = /\p{Surrogate}/u;
const [TAB, LF, CR, SPACE, QUOTE, COMMA, MINUS, POINT, ZERO, NINE, COLON] = [
  9, 10, 13, 32, 34, 44, 45, 46, 48, 57, 58,
];
const [UPPER_E, OPEN_LIST, BACKSLASH, CLOSE_LIST, LOWER_E, OPEN, CLOSE] = [69, 91, 92, 93, 101, 123, 125];
/** Words go by their first unit. */
const WORDS: ReadonlyMap<number, readonly [string, JsonCell]> = new Map([
  [110, ["null", null]],
  [116, ["true", true]],
  [102, ["false", false]],
]);

export class JsonLineParser {
  readonly #file: string;
  readonly #listener: CellListener;
  #text = "";
  #at = 0;
  #line = 0;
  #column = 0;
  /**
   * The cell that was read last begins and ends here, the quotes of a string aside; one with escapes has its
   * text.
   */
  #cellBegin = 0;
  #cellEnd = 0;
  #unescapedCell: string | undefined;
  /** The line before had these keys, by place in the line; they have no escapes. */
  readonly #keys: string[] = [];

  constructor(file: string, listener: CellListener) {
    this.#file = file;
    this.#listener = listener;
  }

  /**
   * Parses one object.
   * @param column the number of characters before the text, in its first line
   * @throws InvalidInputError naming line and character for anything but one flat object.
   */
  parse(text: string, line: number, column = 0): void {
    this.#text = text;
    this.#column = column;
    this.#at = 0;
    this.#line = line;
    if (this.#next() !== OPEN) throw this.#unexpected('one object per line, such as {"a": 1, "b": "x"}');
    this.#at++;
    if (this.#next() === CLOSE) this.#at++;
    else this.#pairs();
    if (!Number.isNaN(this.#next())) throw this.#unexpected("the end of the line after the object");
  }

  /** It is the cell that was read last, as it is written; a string without its quotes and escapes. */
  get raw(): string {
    return this.#unescapedCell ?? this.#text.slice(this.#cellBegin, this.#cellEnd);
  }

  /** Makes an error at the cell that was read last, for the listener. */
  error(message: string, key: string): InvalidInputError {
    return new InvalidInputError(message, { file: this.#file, line: this.#lineAt(), column: key });
  }

  #pairs(): void {
    for (let place = 0; ; place++) {
      if (this.#next() !== QUOTE) throw this.#unexpected("a key in double quotes");
      const key = this.#key(place);
      if (this.#next() !== COLON) throw this.#unexpected("a colon after the key");
      this.#at++;
      this.#cell(key);
      const end = this.#next();
      if (end !== COMMA && end !== CLOSE) throw this.#unexpected("a comma or } after the value");
      this.#at++;
      if (end === CLOSE) return;
    }
  }

  /**
   * Returns the key. Mostly it is the one that the line before had there, which needs no string of its own.
   */
  #key(place: number): string {
    const text = this.#text;
    const begin = this.#at + 1;
    const known = this.#keys.length > place ? this.#keys[place] : undefined;
    if (known !== undefined && text.startsWith(known, begin)) {
      const end = begin + known.length;
      if (text.charCodeAt(end) === QUOTE) {
        this.#at = end + 1;
        return known;
      }
    }
    const key = this.#string();
    // Without escapes, since it is as long as what is written; a repeated one ends in an error.
    if (this.#at - begin === key.length + 1 && place <= this.#keys.length) this.#keys[place] = key;
    return key;
  }

  #cell(key: string): void {
    const first = this.#next();
    const begin = this.#at;
    this.#unescapedCell = undefined;
    if (first === QUOTE) {
      const text = this.#string();
      this.#unescapedCell = text;
      this.#listener.onCell(key, text);
      return;
    }
    this.#cellBegin = begin;
    const word = isDigit(first) ? undefined : WORDS.get(first);
    if (word !== undefined && this.#text.startsWith(word[0], begin)) {
      this.#at = this.#cellEnd = begin + word[0].length;
      this.#listener.onCell(key, word[1]);
      return;
    }
    const short = this.#shortNumber(begin);
    if (!Number.isNaN(short)) {
      this.#listener.onCell(key, short);
      return;
    }
    NUMBER.lastIndex = begin;
    const raw = NUMBER.exec(this.#text)?.[0];
    if (raw === undefined) {
      const isNested = first === OPEN || first === OPEN_LIST;
      if (!isNested || !this.#listener.isLeftOut(key)) throw this.#notACell(first, key);
      this.#passOver();
      return;
    }
    this.#at = this.#cellEnd = begin + raw.length;
    this.#listener.onCell(key, Number(raw));
  }

  /**
   * Reads the number at #at where it has no exponent, as most have none: a fast way round the regular
   * expression. Otherwise it gives NaN.
   */
  #shortNumber(begin: number): number {
    const text = this.#text;
    let end = begin;
    for (let unit = text.charCodeAt(end); isDigit(unit) || unit === POINT || unit === MINUS;)
      unit = text.charCodeAt(++end);
    const next = text.charCodeAt(end);
    const first = begin + (text.charCodeAt(begin) === MINUS ? 1 : 0);
    const leadingZero = text.charCodeAt(first) === ZERO && isDigit(text.charCodeAt(first + 1));
    const isJson = !leadingZero && isDigit(text.charCodeAt(first)) && isDigit(text.charCodeAt(end - 1));
    if (!isJson || next === LOWER_E || next === UPPER_E) return NaN;
    const short = shortNumberIn(text, begin, end, ".");
    const value =
      Number.isNaN(short) && isFractionIn(text, begin, end, ".") ? Number(text.slice(begin, end)) : short;
    if (!Number.isNaN(value)) this.#at = this.#cellEnd = end;
    return value;
  }

  /** Returns the text between the quotes at #at. */
  #string(): string {
    const text = this.#text;
    const begin = this.#at + 1;
    let at = begin;
    for (let unit = text.charCodeAt(at); unit >= SPACE && unit !== QUOTE && unit !== BACKSLASH;)
      unit = text.charCodeAt(++at);
    if (text.charCodeAt(at) === QUOTE) {
      this.#at = at + 1;
      return text.slice(begin, at);
    }
    let escaped = false;
    SPECIAL.lastIndex = begin;
    for (let found = SPECIAL.exec(text); found !== null; found = SPECIAL.exec(text)) {
      const unit = text.charCodeAt(found.index);
      if (unit === QUOTE) {
        this.#at = found.index + 1;
        return escaped ? this.#unescaped(begin - 1) : text.slice(begin, found.index);
      }
      this.#at = found.index;
      if (unit !== BACKSLASH) throw this.#fail("a control character must be escaped in a string, as \\u0009");
      escaped = true;
      SPECIAL.lastIndex = found.index + 2;
    }
    this.#at = begin - 1;
    throw this.#fail("a string is opened here and not closed in this line");
  }

  /** Returns a text without its escapes. @param begin of the quoted string that ends at #at. */
  #unescaped(begin: number): string {
    try {
      const text = JSON.parse(this.#text.slice(begin, this.#at)) as string;
      if (!LONE_SURROGATE.test(text)) return text;
      this.#at = begin;
      throw this.#fail(
        "this string holds half of a surrogate pair, which no text file can; write the whole character",
      );
    } catch (error) {
      if (error instanceof InvalidInputError) throw error;
      this.#at = begin;
      throw this.#fail(
        "a backslash in this string starts no escape that JSON knows; write \\\\ for a backslash",
      );
    }
  }

  /** Passes over the object or list at #at. */
  #passOver(): void {
    const text = this.#text;
    const begin = this.#at;
    let depth = 0;
    for (let end = begin; end < text.length; end++) {
      const unit = text.charCodeAt(end);
      if (unit === QUOTE) {
        this.#at = end;
        this.#string();
        end = this.#at - 1;
      } else if (unit === OPEN || unit === OPEN_LIST) depth++;
      else if ((unit === CLOSE || unit === CLOSE_LIST) && --depth === 0) {
        this.#at = end + 1;
        if (isJson(text.slice(begin, end + 1))) return;
        break;
      }
    }
    this.#at = begin;
    throw this.#fail(
      "this object or list is no JSON, or does not end here; correct it, or leave the key out",
    );
  }

  /** Returns the UTF-16 unit at #at after white space, NaN at the end. */
  #next(): number {
    const text = this.#text;
    let unit = text.charCodeAt(this.#at);
    while (unit === SPACE || unit === LF || unit === TAB || unit === CR) unit = text.charCodeAt(++this.#at);
    return unit;
  }

  #notACell(first: number, key: string): InvalidInputError {
    if (first === OPEN || first === OPEN_LIST) {
      return this.error(
        `holds ${first === OPEN ? "an object" : "a list"}; nested values do not fit a table: give each its own key, or ` +
          `leave the key out, or name the columns to read (option columns)`,
        key,
      );
    }
    if (/^[-+]?(nan|inf)/i.test(this.#text.slice(this.#at, this.#at + 4)))
      return this.#fail("NaN and infinities are not JSON; write null for a missing value");
    return this.#unexpected("a number, a string in double quotes, true, false or null");
  }

  #unexpected(expected: string): InvalidInputError {
    const found = this.#text.slice(this.#at, this.#at + 12);
    return this.#fail(
      `${found === "" ? "the line ends here" : `found ${JSON.stringify(found)}`}; expected ${expected}`,
    );
  }

  #fail(message: string): InvalidInputError {
    const place = { file: this.#file, line: this.#lineAt() };
    const feed = this.#text.lastIndexOf("\n", this.#at - 1);
    const column = this.#at === 0 || feed < 0 ? this.#column + this.#at : this.#at - feed - 1;
    return new InvalidInputError(`character ${column + 1}: ${message}`, place);
  }

  /** Returns the line of #at: an object of a list may take several. */
  #lineAt(): number {
    let line = this.#line;
    const { length } = this.#text.slice(0, this.#at).split("\n");
    line += length - 1;
    return line;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Says why float64 cannot hold the number that was read last, or returns undefined when it can. */
export function reasonAgainst(parser: JsonLineParser, value: number): string | undefined {
  if (Math.abs(value) < EXACT_INTEGERS) return undefined;
  const { raw } = parser;
  if (!Number.isFinite(value)) return `${shortened(raw)} is beyond the numbers that float64 holds`;
  const large = largeInteger(raw, value);
  return large === undefined ? undefined : reasonAgainstLarge(large, shortened(raw));
}

const EXACT_INTEGERS = 2 ** 53;

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}
