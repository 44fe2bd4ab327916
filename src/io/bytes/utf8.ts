/**
 * This module turns bytes into text, for text formats: strict UTF-8 with an optional byte-order mark. Bytes
 * that are not UTF-8 are an error that names its line, never a replacement character.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { quote } from "../quote.ts";
import type { ByteSource } from "./source.ts";

const LF = 10;
const CR = 13;

/**
 * Gives the source's text in pieces that never split a character, nor a line, unless it is longer than the
 * source's own pieces.
 */
export async function* decodeUtf8(source: ByteSource): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const lines = new LineCounter();
  let kept: Uint8Array = new Uint8Array(0);
  let atStart = true;
  for await (const piece of source.stream()) {
    const bytes = concat(kept, piece);
    const end = atStart && bytes.length < 4 ? 0 : bytes.lastIndexOf(LF) + 1 || completeLength(bytes);
    if (end > 0) {
      yield decode(bytes.subarray(0, end));
      atStart = false;
    }
    kept = bytes.slice(end);
  }
  if (kept.length > 0) yield decode(kept);

  function decode(bytes: Uint8Array): string {
    const begin = atStart ? markLength(bytes, source.name) : 0;
    const body = bytes.subarray(begin);
    let text: string;
    try {
      text = decoder.decode(body);
    } catch (cause) {
      throw notUtf8(body, lines, source.name, cause);
    }
    const nul = text.indexOf("\0");
    if (nul >= 0) {
      lines.count(body.subarray(0, body.indexOf(0)));
      throw new InvalidInputError(
        "holds a zero byte, so it is no text file (or one in UTF-16); expected text in UTF-8",
        { file: source.name, line: lines.line },
      );
    }
    lines.count(body);
    return text;
  }
}

/**
 * Returns a text to write.
 * @throws InvalidInputError for half of a surrogate pair, which UTF-8 cannot hold.
 */
export function wellFormed(text: string): string {
  const half = /\p{Surrogate}/u.exec(text);
  if (half === null) return text;
  throw new InvalidInputError(
    `character ${half.index + 1} of ${quote(text)} is half of a surrogate pair, which UTF-8 cannot hold; correct the text, ` +
      "such as with toWellFormed()",
  );
}

/** Counts line feeds; in a file without any, carriage returns. */
class LineCounter {
  #feeds = 0;
  #returns = 0;

  count(bytes: Uint8Array): void {
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) this.#feeds++;
    if (this.#feeds > 0) return;
    for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1)) this.#returns++;
  }

  /** The line, from 1, of the byte after those counted. */
  get line(): number {
    return 1 + (this.#feeds > 0 ? this.#feeds : this.#returns);
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** Returns the length without the first bytes of a character whose rest is still to come. */
function completeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Returns the length of UTF-8's byte-order mark at the start of the file. */
function markLength(bytes: Uint8Array, file: string): number {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 3;
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    throw new InvalidInputError("is text in UTF-16; save it as UTF-8", { file, line: 1 });
  }
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    throw new InvalidInputError("is compressed with gzip; unpack it first", { file });
  }
  return 0;
}

/**
 * Finds the line by decoding one line after the other: no character of several bytes holds a line feed or a
 * return.
 */
function notUtf8(bytes: Uint8Array, lines: LineCounter, file: string, cause: unknown): InvalidInputError {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for (let begin = 0; begin < bytes.length;) {
    let end = begin;
    while (end < bytes.length && bytes[end] !== LF && bytes[end] !== CR) end++;
    const line = bytes.subarray(begin, ++end);
    try {
      decoder.decode(line);
    } catch {
      break;
    }
    lines.count(line);
    begin = end;
  }
  return new InvalidInputError(
    "is not valid UTF-8; save the file as UTF-8",
    { file, line: lines.line },
    cause,
  );
}
