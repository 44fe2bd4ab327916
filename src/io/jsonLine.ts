/**
 * One line of a JSON lines file: a flat object of numbers, texts, booleans and nulls, strictly as RFC 8259 has them.
 * JSON.parse would not do: it rounds long integers and drops repeated keys without a word.
 */
import { InvalidInputError } from "../core/errors.ts";
import { isRoundedInteger, shortNumber } from "./number.ts";
import { shortened } from "./quote.ts";

export type JsonCell = number | string | boolean | null;

export interface CellListener {
  /** In the order of the line. `raw` is the cell as it is written. */
  onCell(key: string, cell: JsonCell, raw: string): void;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Ends a string, or needs a closer look. */
const SPECIAL = /["\\\u0000-\u001f]/g;
const LONE_SURROGATE = /\p{Surrogate}/u;
const [SPACE, QUOTE, MINUS, POINT, ZERO, NINE, UPPER_E, BACKSLASH, LOWER_E] = [
  32, 34, 45, 46, 48, 57, 69, 92, 101,
];
const WORDS: ReadonlyMap<string, readonly [string, JsonCell]> = new Map([
  ["n", ["null", null]],
  ["t", ["true", true]],
  ["f", ["false", false]],
]);

export class JsonLineParser {
  readonly #file: string;
  readonly #listener: CellListener;
  #text = "";
  #at = 0;
  #line = 0;

  constructor(file: string, listener: CellListener) {
    this.#file = file;
    this.#listener = listener;
  }

  /** @throws InvalidInputError naming line and character for anything but one flat object. */
  parse(text: string, line: number): void {
    this.#text = text;
    this.#at = 0;
    this.#line = line;
    if (this.#next() !== "{") throw this.#unexpected('one object per line, such as {"a": 1, "b": "x"}');
    this.#at++;
    if (this.#next() === "}") this.#at++;
    else this.#pairs();
    if (this.#next() !== "") throw this.#unexpected("the end of the line after the object");
  }

  /** An error at the cell that was read last, for the listener. */
  error(message: string, key: string): InvalidInputError {
    return new InvalidInputError(message, { file: this.#file, line: this.#line, column: key });
  }

  #pairs(): void {
    for (;;) {
      if (this.#next() !== '"') throw this.#unexpected("a key in double quotes");
      const key = this.#string();
      if (this.#next() !== ":") throw this.#unexpected("a colon after the key");
      this.#at++;
      this.#cell(key);
      const end = this.#next();
      if (end !== "," && end !== "}") throw this.#unexpected("a comma or } after the value");
      this.#at++;
      if (end === "}") return;
    }
  }

  #cell(key: string): void {
    const first = this.#next();
    const begin = this.#at;
    if (first === '"') {
      const text = this.#string();
      this.#listener.onCell(key, text, text);
      return;
    }
    const word = WORDS.get(first);
    if (word !== undefined && this.#text.startsWith(word[0], begin)) {
      this.#at += word[0].length;
      this.#listener.onCell(key, word[1], word[0]);
      return;
    }
    const short = this.#shortNumber(begin);
    if (short !== undefined) {
      this.#at += short.length;
      this.#listener.onCell(key, shortNumber(short, "."), short);
      return;
    }
    NUMBER.lastIndex = begin;
    const raw = NUMBER.exec(this.#text)?.[0];
    if (raw === undefined) throw this.#notACell(first, key);
    this.#at += raw.length;
    this.#listener.onCell(key, Number(raw), raw);
  }

  /** The number at `begin` where it is one that shortNumber reads, as most are: a fast way round the regular expression. */
  #shortNumber(begin: number): string | undefined {
    const text = this.#text;
    let end = begin;
    for (let unit = text.charCodeAt(end); isDigit(unit) || unit === POINT || unit === MINUS;)
      unit = text.charCodeAt(++end);
    const raw = text.slice(begin, end);
    const next = text.charCodeAt(end);
    const first = begin + (text.charCodeAt(begin) === MINUS ? 1 : 0);
    const leadingZero = text.charCodeAt(first) === ZERO && isDigit(text.charCodeAt(first + 1));
    const isJson = !leadingZero && isDigit(text.charCodeAt(first)) && isDigit(text.charCodeAt(end - 1));
    const goesOn = next === LOWER_E || next === UPPER_E;
    return isJson && !goesOn && !Number.isNaN(shortNumber(raw, ".")) ? raw : undefined;
  }

  /** The text between the quotes at #at. */
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

  /** @param begin of the quoted string that ends at #at. */
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

  /** The character at #at after white space, "" at the end. */
  #next(): string {
    const text = this.#text;
    let unit = text.charCodeAt(this.#at);
    while (unit === 32 || unit === 9 || unit === 13) unit = text.charCodeAt(++this.#at);
    return text.charAt(this.#at);
  }

  #notACell(first: string, key: string): InvalidInputError {
    if (first === "{" || first === "[") {
      return this.error(
        `holds ${first === "{" ? "an object" : "a list"}; nested values do not fit a table: give each its own key, or ` +
          `leave the key out`,
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
    const place = { file: this.#file, line: this.#line };
    return new InvalidInputError(`character ${this.#at + 1}: ${message}`, place);
  }
}

/** Why float64 cannot hold a number, or undefined when it can. */
export function reasonAgainst(raw: string, value: number): string | undefined {
  if (!Number.isFinite(value)) return `${shortened(raw)} is beyond the numbers that float64 holds`;
  if (!isRoundedInteger(raw, value)) return undefined;
  return `the integer ${shortened(raw)} is beyond 2^53 and would be rounded to ${BigInt(value)}`;
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}
