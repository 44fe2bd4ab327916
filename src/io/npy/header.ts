/**
 * The header of an .npy file has magic, version, length, and a Python dict with the element type, the order
 * and the shape, such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }. It is parsed as
 * literals, never evaluated. The format is described in numpy's numpy/lib/format.py.
 */
import type { ByteCursor } from "../bytes/cursor.ts";
import { errorAt } from "../bytes/source.ts";
import type { ByteSource } from "../bytes/source.ts";

/**
 * The header of an .npy file tells this of its array.
 * @example
 * const pieces = [];
 * for await (const piece of writeNpy({ data: new Float32Array(6), rows: 3, cols: 2 })) pieces.push(piece);
 * const header: NpyHeader = (await openNpy(blobSource(new Blob(pieces), "x.npy"))).header;
 * header; // => { descr: "<f4", fortranOrder: false, shape: [3, 2] }
 */
export interface NpyHeader {
  /** It is the element type with its byte order, as NumPy writes it, such as "<f4". */
  readonly descr: string;
  /** True means that the first axis is innermost, false that the last one is. */
  readonly fortranOrder: boolean;
  readonly shape: readonly number[];
}

/** They spell "\x93NUMPY". */
const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/**
 * A header has at most so many bytes. Plain element types need 128 at most; numpy itself refuses more than
 * 10,000.
 */
const MAX_HEADER_BYTES = 1 << 16;
/** Bytes of magic, version and length together with the dict are a multiple of this. */
const ALIGNMENT = 64;
/** Numpy leaves room for so many digits in the number of rows, so that it can grow in place. */
const ROW_DIGITS = 21;

/**
 * Parses the header.
 * @returns the header, and the byte where its dict begins
 * @throws InvalidInputError naming the byte that is wrong.
 */
export async function parseNpyHeader(cursor: ByteCursor): Promise<{ header: NpyHeader; dictAt: number }> {
  const { source } = cursor;
  const start = await cursor.take(8);
  checkMagic(source, start);
  const [major, minor] = start.subarray(6);
  if (major < 1 || major > 3 || minor !== 0) {
    throw errorAt(source, 6, `this is version ${major}.${minor} of .npy; expected 1.0, 2.0 or 3.0`);
  }
  const lengthBytes = await cursor.take(major === 1 ? 2 : 4);
  const length = lengthBytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
  const begin = cursor.position;
  if (length > MAX_HEADER_BYTES) {
    throw errorAt(source, 8, `the header has ${length} bytes; at most ${MAX_HEADER_BYTES} are read`);
  }
  const bytes = await cursor.take(length);
  if (lengthBytes.length < (major === 1 ? 2 : 4) || bytes.length < length) {
    throw errorAt(source, cursor.position, "the file ends here, within its header; it is truncated");
  }
  if (major === 3) checkUtf8(source, bytes, begin);
  return { header: new DictParser(source, bytes, begin).parse(), dictAt: begin };
}

/**
 * Returns the bytes before the elements, as numpy writes them. Their number does not depend on `shape[0]`, so
 * that a header with the right number of rows fits where one without stood.
 */
export function formatNpyHeader(descr: string, shape: readonly number[]): Uint8Array<ArrayBuffer> {
  const sizes = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const room = " ".repeat(ROW_DIGITS - String(shape[0]).length);
  const dict = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${sizes}, }${room}`;
  const prefix = MAGIC.length + 4;
  const length = Math.ceil((prefix + dict.length + 1) / ALIGNMENT) * ALIGNMENT - prefix;
  const text = new TextEncoder().encode(`${dict.padEnd(length - 1)}\n`);
  return Uint8Array.of(...MAGIC, 1, 0, length & 255, length >>> 8, ...text);
}

function checkMagic(source: ByteSource, start: Uint8Array): void {
  const wrong = MAGIC.findIndex((byte, at) => start[at] !== byte);
  if (wrong < 0 && start.length === 8) return;
  if (wrong < 0 || wrong >= start.length) {
    throw errorAt(source, start.length, "the file ends here, within the 8 bytes that begin an .npy file");
  }
  if (start[0] === 0x50 && start[1] === 0x4b) {
    throw errorAt(
      source,
      0,
      "this is a zip archive, as .npz files are; unpack it and name one of its .npy files",
    );
  }
  throw errorAt(source, wrong, 'this is no .npy file, which begins with "\\x93NUMPY"');
}

function checkUtf8(source: ByteSource, bytes: Uint8Array, begin: number): void {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let at = 0; at <= bytes.length; at++) {
    try {
      decoder.decode(bytes.subarray(at, at + 1), { stream: at < bytes.length });
    } catch (cause) {
      throw errorAt(source, begin + at, "the header is not valid UTF-8, as version 3.0 must be", cause);
    }
  }
}

type Literal = string | boolean | readonly number[];

/** Parses a dict with one character per byte: all that matters is ASCII, and positions are bytes. */
class DictParser {
  readonly #source: ByteSource;
  readonly #text: string;
  readonly #begin: number;
  #at = 0;

  constructor(source: ByteSource, bytes: Uint8Array, begin: number) {
    this.#source = source;
    this.#text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    this.#begin = begin;
  }

  parse(): NpyHeader {
    const values = this.#dict();
    const { descr, fortran_order: fortranOrder, shape, ...others } = Object.fromEntries(values);
    if (typeof descr !== "string") throw this.#missing("descr", "a text such as '<f4'");
    if (typeof fortranOrder !== "boolean") throw this.#missing("fortran_order", "True or False");
    if (typeof shape !== "object") throw this.#missing("shape", "a tuple such as (3, 2)");
    const [other] = Object.keys(others);
    if (other !== undefined) {
      throw this.#error(`the header has a key ${JSON.stringify(other)}, which .npy does not know`, 0);
    }
    return { descr, fortranOrder, shape };
  }

  #dict(): Map<string, Literal> {
    const values = new Map<string, Literal>();
    this.#expect("{", "the header is a dict in braces");
    while (!this.#accept("}")) {
      const keyAt = (this.#space(), this.#at);
      const key = this.#string();
      if (values.has(key)) throw this.#error(`the key ${JSON.stringify(key)} stands there twice`, keyAt);
      this.#expect(":", "a colon follows each key");
      values.set(key, this.#value());
      if (this.#accept(",")) continue;
      this.#expect("}", "a comma or the closing brace follows each value");
      break;
    }
    this.#space();
    if (this.#at < this.#text.length) throw this.#error("nothing follows the closing brace", this.#at);
    return values;
  }

  #value(): Literal {
    this.#space();
    const word = /^(True|False)\b/.exec(this.#text.slice(this.#at, this.#at + 6));
    if (word !== null) {
      this.#at += word[0].length;
      return word[0] === "True";
    }
    const next = this.#text[this.#at];
    if (next === "(") return this.#tuple();
    if (next === "'" || next === '"') return this.#string();
    if (next === "[") {
      throw this.#error("the array is structured (it has named fields); save one field of numbers", this.#at);
    }
    throw this.#error("a value is a text in quotes, True, False or a tuple of whole numbers", this.#at);
  }

  #string(): string {
    this.#space();
    const found = /^(?:'([^'\\\n]*)'|"([^"\\\n]*)")/.exec(this.#text.slice(this.#at));
    if (found === null) throw this.#error("a text in quotes, without backslashes, is expected", this.#at);
    this.#at += found[0].length;
    return found[1] ?? found[2];
  }

  /**
   * Parses a tuple. A tuple of one needs its comma, as in Python. Python 2 wrote an L after long integers.
   */
  #tuple(): number[] {
    const sizes: number[] = [];
    this.#expect("(", "a shape is a tuple");
    while (!this.#accept(")")) {
      this.#space();
      const digits = /^\d{1,20}/.exec(this.#text.slice(this.#at, this.#at + 20));
      if (digits === null) throw this.#error("a shape holds whole numbers that are not negative", this.#at);
      const size = Number(digits[0]);
      if (size > Number.MAX_SAFE_INTEGER) throw this.#error("no array is so long", this.#at);
      this.#at += digits[0].length;
      sizes.push(size);
      if (this.#text[this.#at] === "L") this.#at++;
      if (this.#accept(",")) continue;
      if (sizes.length === 1) throw this.#error("a shape of one size is written as (3,)", this.#at);
      this.#expect(")", "a comma or the closing parenthesis follows each size");
      break;
    }
    return sizes;
  }

  #space(): void {
    while (/[ \t\r\n\f]/.test(this.#text.charAt(this.#at))) this.#at++;
  }

  #accept(character: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #expect(character: string, rule: string): void {
    if (!this.#accept(character)) throw this.#error(rule, this.#at);
  }

  #missing(key: string, expected: string): Error {
    return this.#error(`the header has no "${key}" that is ${expected}`, 0);
  }

  #error(message: string, at: number): Error {
    const found = at < this.#text.length ? JSON.stringify(this.#text.slice(at, at + 12)) : "the header's end";
    return errorAt(this.#source, this.#begin + at, at === 0 ? message : `found ${found}, but ${message}`);
  }
}
