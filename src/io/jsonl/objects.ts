/**
 * This module cuts a JSON file into the texts of its objects, which stand in a list or one after the other.
 * It looks only at braces and quotes, to find where an object ends; what it holds, and whether it is one, is
 * line.ts's. JSON.parse takes a text whole, and a list may be longer than any string: so objects are cut out
 * as chunks come, and each is parsed by it.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { MAX_LINE_CHARS, type TextSplitter } from "./lines.ts";

export const EXAMPLE = 'such as {"a": 1, "b": "x"}';
const [TAB, LF, CR, SPACE, QUOTE, COMMA] = [9, 10, 13, 32, 34, 44];
const [OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN, CLOSE] = [91, 92, 93, 123, 125];

/** One of these may come next. */
type ExpectedNext = "the list or an object" | "an object or ]" | "an object" | "a comma or ]" | "the end";

export class ObjectSplitter implements TextSplitter {
  readonly #file: string;
  readonly #onObject: (text: string, line: number, column: number) => boolean;
  /** It is the text so far of the object that is not complete. */
  #pieces: string[] = [];
  #chars = 0;
  #depth = 0;
  #quoted = false;
  #escaped = false;
  #expected: ExpectedNext = "the list or an object";
  #list = false;
  #line = 1;
  /** The line has so many characters before the piece, or less than none where it begins within the piece. */
  #column = 0;
  #objectLine = 1;
  #objectColumn = 0;

  /** @param onObject returns true where the reader has something to do before the next object */
  constructor(file: string, onObject: (text: string, line: number, column: number) => boolean) {
    this.#file = file;
    this.#onObject = onObject;
  }

  *push(text: string): Generator<undefined, void> {
    let begin = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (this.#depth === 0) {
        if (unit === OPEN) begin = at;
        this.#between(unit, text, at);
      } else if (this.#ends(unit)) {
        this.#pieces.push(text.slice(begin, at + 1));
        const object = this.#pieces.join("");
        this.#pieces = [];
        this.#chars = 0;
        if (this.#onObject(object, this.#objectLine, this.#objectColumn)) yield;
      }
      if (unit !== LF) continue;
      this.#line++;
      this.#column = -at - 1;
    }
    this.#column += text.length;
    if (this.#depth === 0) return;
    this.#pieces.push(text.slice(begin));
    this.#chars += text.length - begin;
    if (this.#chars <= MAX_LINE_CHARS) return;
    throw new InvalidInputError(
      `an object is longer than ${MAX_LINE_CHARS} characters; expected flat ones, ${EXAMPLE}`,
      {
        file: this.#file,
        line: this.#objectLine,
      },
    );
  }

  end(): void {
    const place = { file: this.#file, line: this.#line };
    if (this.#depth > 0) throw new InvalidInputError("the file ends here, within an object", place);
    if (this.#list && this.#expected !== "the end")
      throw new InvalidInputError("the file ends here, within its list; expected a comma or ]", place);
  }

  /** Takes a character within an object, and says whether it ends the object. */
  #ends(unit: number): boolean {
    if (this.#escaped) this.#escaped = false;
    else if (this.#quoted) {
      if (unit === BACKSLASH) this.#escaped = true;
      else if (unit === QUOTE) this.#quoted = false;
    } else if (unit === QUOTE) this.#quoted = true;
    else if (unit === OPEN || unit === OPEN_LIST) this.#depth++;
    else if (unit === CLOSE || unit === CLOSE_LIST) {
      this.#depth--;
      if (this.#depth === 0) this.#expected = this.#list ? "a comma or ]" : "an object";
      return this.#depth === 0;
    }
    return false;
  }

  #between(unit: number, text: string, at: number): void {
    if (unit === SPACE || unit === TAB || unit === LF || unit === CR) return;
    const expected = this.#expected;
    if (unit === OPEN && (expected.includes("object") || expected === "an object")) {
      this.#depth = 1;
      this.#objectLine = this.#line;
      this.#objectColumn = this.#column + at;
    } else if (unit === OPEN_LIST && expected === "the list or an object") {
      this.#list = true;
      this.#expected = "an object or ]";
    } else if (unit === COMMA && expected === "a comma or ]") this.#expected = "an object";
    else if (unit === CLOSE_LIST && (expected === "a comma or ]" || expected === "an object or ]"))
      this.#expected = "the end";
    else throw this.#unexpected(text, at);
  }

  #unexpected(text: string, at: number): InvalidInputError {
    const expected =
      this.#expected === "the end"
        ? "the end of the file after the list"
        : this.#expected === "a comma or ]"
          ? "a comma or ]"
          : `an object, ${EXAMPLE}`;
    const found = JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0));
    return new InvalidInputError(`character ${this.#column + at + 1}: found ${found}; expected ${expected}`, {
      file: this.#file,
      line: this.#line,
    });
  }
}
