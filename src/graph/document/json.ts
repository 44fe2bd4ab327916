/**
 * Reads JSON as process files need it: an error tells line and column, a member that stands twice is an
 * error and not the last one's victory (a merge leaves such), and depth is bounded. Objects come as Maps, so
 * that no name means anything.
 */
import { InvalidInputError } from "../../core/errors.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = ReadonlyMap<string, Json>;

/** Nesting goes no deeper; a process file needs five. */
const MOST_DEPTH = 32;

/** @throws InvalidInputError with line and column of what is no JSON */
export function parseJson(text: string, file: string): Json {
  return new Reader(text, file).whole();
}

class Reader {
  readonly #text: string;
  readonly #file: string;
  #at = 0;

  constructor(text: string, file: string) {
    this.#text = text.replace(/^\uFEFF/, "");
    this.#file = file;
  }

  whole(): Json {
    const value = this.#value(0);
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw this.#fail("nothing should follow the last brace");
    return value;
  }

  #value(depth: number): Json {
    if (depth > MOST_DEPTH) throw this.#fail(`is nested deeper than ${MOST_DEPTH} levels`);
    this.#skipBlanks();
    const first = this.#text[this.#at];
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#list(depth);
    if (first === '"') return this.#string();
    const word = this.#take(/(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![\w.])/y);
    if (word === undefined) throw this.#fail("expected a JSON value");
    const value = JSON.parse(word) as null | boolean | number;
    if (typeof value !== "number") return value;
    // -0 would print as 0, and share a key with it.
    if (Number.isFinite(value)) return value + 0;
    throw this.#fail(`${word} is too large for a number`);
  }

  #object(depth: number): JsonObject {
    const members = new Map<string, Json>();
    this.#each("}", () => {
      this.#skipBlanks();
      const begin = this.#at;
      if (this.#text[begin] !== '"') throw this.#fail("expected a name in quotes");
      const name = this.#string();
      if (members.has(name)) {
        this.#at = begin;
        throw this.#fail(`${quote(name)} stands here a second time; remove or rename one of the two`);
      }
      this.#skipBlanks();
      if (this.#take(/:/y) === undefined) throw this.#fail("expected a colon");
      members.set(name, this.#value(depth + 1));
    });
    return members;
  }

  #list(depth: number): Json[] {
    const items: Json[] = [];
    this.#each("]", () => void items.push(this.#value(depth + 1)));
    return items;
  }

  /** Reads what stands between brackets, commas between. */
  #each(end: string, readOne: () => void): void {
    this.#at++;
    this.#skipBlanks();
    if (this.#text[this.#at] === end) {
      this.#at++;
      return;
    }
    for (;;) {
      readOne();
      this.#skipBlanks();
      const next = this.#text[this.#at];
      if (next !== "," && next !== end) throw this.#fail(`expected a comma or ${end}`);
      this.#at++;
      if (next === end) return;
    }
  }

  #string(): string {
    const begin = this.#at++;
    // A group repeated for each character would exhaust the stack of the engine on a text of megabytes.
    do this.#take(/[^"\\\u0000-\u001f]*/y);
    while (this.#take(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y) !== undefined);
    if (this.#take(/"/y) !== undefined) return JSON.parse(this.#text.slice(begin, this.#at)) as string;
    this.#at = begin;
    throw this.#fail("this text in quotes does not end, or holds a character that needs a backslash");
  }

  #skipBlanks(): void {
    this.#take(/[ \t\r\n]*/y);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #fail(message: string): InvalidInputError {
    const before = this.#text.slice(0, this.#at);
    const line = before.split("\n").length;
    const column = this.#at - before.lastIndexOf("\n");
    return new InvalidInputError(message, { file: this.#file, line, column });
  }
}

/** A message repeats at most so many characters of a user's text. */
const SHOWN = 60;

/** Returns a text as messages repeat it, cut where it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text);
}

/** Returns a value as messages show it. */
export function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (value instanceof Map) return "an object";
  if (Array.isArray(value)) return value.length > 8 ? `a list of ${value.length}` : JSON.stringify(value);
  return typeof value === "string" ? quote(value) : JSON.stringify(value);
}
