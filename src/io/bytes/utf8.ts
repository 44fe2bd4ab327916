/**
 * This module decodes bytes for text formats: strict UTF-8 with an optional byte-order mark, UTF-16 with one,
 * and any encoding that the platform knows where it is named. What is not text in it is an error, never a
 * replacement character.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { quote } from "../quote.ts";
import type { ByteSource } from "./source.ts";

const LF = 10;
const CR = 13;

/**
 * Gives the source's text in pieces that never split a character, nor, in UTF-8, a line, unless it is longer
 * than the source's own pieces.
 * @param encoding a name that TextDecoder knows. Default: UTF-16 where the file starts with its mark, else
 *   UTF-8.
 * @throws InvalidInputError for an unknown name, and for bytes that are no text in the encoding.
 */
export async function* decodeText(source: ByteSource, encoding?: string): AsyncGenerator<string> {
  const named = encoding === undefined ? undefined : decoderOf(encoding).encoding;
  if (named !== undefined && named !== "utf-8") {
    yield* decodeOther(source, source.stream(), named);
    return;
  }
  const pieces = source.stream()[Symbol.asyncIterator]();
  const start: Uint8Array[] = [];
  try {
    let head: Uint8Array = new Uint8Array(0);
    while (head.length < 2) {
      const { done, value } = await pieces.next();
      if (done) break;
      start.push(value);
      head = concat(head, value.subarray(0, 2));
    }
    const rest = following(start, pieces);
    const mark = named === undefined ? markOf(head) : undefined;
    yield* mark === undefined ? decodeUtf8(source, rest) : decodeOther(source, rest, mark);
  } finally {
    await pieces.return?.();
  }
}

async function* following(
  start: Uint8Array[],
  pieces: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* start.splice(0);
  for (;;) {
    const { done, value } = await pieces.next();
    if (done) return;
    yield value;
  }
}

/** Returns the encoding that a byte-order mark of UTF-16 names. */
function markOf([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (cause) {
    throw new InvalidInputError(
      `the encoding ${quote(encoding)} is unknown; expected such as utf-8, utf-16le, windows-1252, latin1, shift_jis or gb18030`,
      {},
      cause,
    );
  }
}

async function* decodeOther(
  { name }: ByteSource,
  pieces: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<string> {
  const decoder = decoderOf(encoding);
  let line = 1;
  const decode = (bytes?: Uint8Array) => {
    let text: string;
    try {
      text = bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (cause) {
      const message = `is not valid ${encoding}; name another encoding (option encoding)`;
      throw new InvalidInputError(message, { file: name }, cause);
    }
    const nul = text.indexOf("\0");
    for (let at = text.indexOf("\n"); at >= 0 && (nul < 0 || at < nul); at = text.indexOf("\n", at + 1))
      line++;
    if (nul >= 0) {
      const message = `holds a zero character in ${encoding}, so it is not a text file; name another encoding (option encoding)`;
      throw new InvalidInputError(message, { file: name, line });
    }
    return text;
  };
  for await (const piece of pieces) {
    const text = decode(piece);
    if (text !== "") yield text;
  }
  yield decode();
}

async function* decodeUtf8(source: ByteSource, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const lines = new LineCounter();
  let kept: Uint8Array = new Uint8Array(0);
  let atStart = true;
  /** So many bytes were decoded so far. */
  let done = 0;
  for await (const piece of pieces) {
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
      throw notUtf8(body, done + begin, lines, source, cause);
    }
    const nul = text.indexOf("\0");
    if (nul >= 0) {
      lines.count(body.subarray(0, body.indexOf(0)));
      throw new InvalidInputError(
        "holds a zero byte, so it is not a text file, unless it is UTF-16 without a byte-order mark (option encoding: utf-16le)",
        { file: source.name, line: lines.line },
      );
    }
    lines.count(body);
    done += bytes.length;
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

  /** The byte after those counted is on this line, from 1. */
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
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    throw new InvalidInputError("is compressed with gzip; unpack it first", { file });
  }
  return 0;
}

/**
 * Finds the line by decoding one line after the other: no character of several bytes holds a line feed or a
 * return.
 */
function notUtf8(
  bytes: Uint8Array,
  offset: number,
  lines: LineCounter,
  { name: file, unpacked = false }: ByteSource,
  cause: unknown,
): InvalidInputError {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let begin = 0;
  while (begin < bytes.length) {
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
  const bad = begin + badByte(bytes.subarray(begin));
  const where = `byte ${offset + bad} (from 0)${unpacked ? " of the unpacked data" : ""}`;
  return new InvalidInputError(
    `is not valid UTF-8: ${where} is 0x${(bytes[bad] ?? 0).toString(16).padStart(2, "0")}; name the encoding (option encoding: windows-1252 ` +
      "for most files of Windows, latin1, utf-16le and so on), or save the file as UTF-8",
    { file, line: lines.line },
    cause,
  );
}

/** Returns where the first character begins that is not UTF-8. */
function badByte(bytes: Uint8Array): number {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let begin = 0;
  for (let at = 0; at < bytes.length; at++) {
    try {
      if (decoder.decode(bytes.subarray(at, at + 1), { stream: true }) !== "") begin = at + 1;
    } catch {
      return begin;
    }
  }
  return begin;
}
