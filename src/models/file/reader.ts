/**
 * Reads the container of a model file: checks that the bytes are whole and undamaged, parses the header, and
 * copies arrays out. header.ts knows what the header means. Work on many bytes pauses, so that a signal can
 * stop it.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { roundUp } from "../../core/math.ts";
import type { NumericArray } from "../../core/matrix.ts";
import type { Yielding } from "../../core/async/yielding.ts";
import { ALIGNMENT, CHECKSUM_BYTES, MAGIC, PRELUDE_BYTES, VERSION, kinds } from "./container.ts";
import type { ArrayPlace } from "./container.ts";
import { crc32 } from "./crc32.ts";
import { fromJson } from "./json.ts";

/** So many bytes are read between two pauses. */
const PIECE_BYTES = 2 ** 18;

/**
 * A comma or a bracket of the header may cost at most so many bytes once it is parsed: a place in a list, and
 * an empty object or a short text.
 */
const MEMBER_BYTES = 64;

/**
 * Holds bytes whose form is sound: they have the right start, length, checksum and version, and a header that
 * is JSON.
 */
export class ContainerReader {
  readonly header: unknown;
  readonly #file: string;
  readonly #body: Uint8Array;

  private constructor(header: unknown, body: Uint8Array, file: string) {
    this.header = header;
    this.#body = body;
    this.#file = file;
  }

  /**
   * @param memory bytes that the file, the copies of its arrays and its parsed header may take together
   * @throws InvalidInputError for a file that is foreign, cut off, damaged, of a newer version, or too large
   *   for `memory`
   */
  static *open(given: Uint8Array, file: string, memory: number): Yielding<ContainerReader> {
    // `slice` of a Buffer of Node shares its memory, that of a Uint8Array copies it.
    const bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    yield* checkWhole(bytes, file);
    const headerEnd = PRELUDE_BYTES + viewOf(bytes).getUint32(12, true);
    const body = roundUp(headerEnd, ALIGNMENT);
    const end = bytes.length - CHECKSUM_BYTES;
    if (body > end) throw malformedFile("its header is longer than the file", file);
    const text = bytes.subarray(PRELUDE_BYTES, headerEnd);
    const parsed = 2 * text.length + MEMBER_BYTES * (yield* membersIn(text));
    const needed = bytes.length + (end - body) + parsed;
    if (needed > memory) throw tooLarge(BigInt(needed), memory, file);
    return new ContainerReader(yield* parse(text, file), bytes.subarray(body, end), file);
  }

  /** The body has so many bytes, in which arrays must lie. */
  get bodyBytes(): number {
    return this.#body.length;
  }

  /** Copies an array. @param place checked to lie in the body */
  array({ kind, begin, length }: ArrayPlace): NumericArray {
    const make = kinds[kind];
    return new make(this.#body.slice(begin, begin + length * make.BYTES_PER_ELEMENT).buffer);
  }

  /**
   * Returns the error for a sound file whose content means nothing: a mistake of the program that wrote it.
   */
  malformed(what: string): InvalidInputError {
    return malformedFile(what, this.#file);
  }
}

/**
 * @param start the first bytes of a file, or fewer: all there are
 * @throws InvalidInputError unless a model may begin so
 */
export function checkStart(start: Uint8Array, file: string): void {
  if (start.length > 0 && MAGIC.every((byte, at) => at >= start.length || start[at] === byte)) return;
  throw new InvalidInputError(
    "is not a Nearfield model; name a file that was written with --save-model or saveModel",
    { file },
  );
}

/** Returns the number of bytes that a file says it has. @param start its first bytes, a prelude at least */
export function lengthIn(start: Uint8Array): bigint {
  return viewOf(start).getBigUint64(16, true);
}

/**
 * Returns the error for a file that is cut off.
 * @param length the length it claims, where that much was read
 */
export function cutOff(bytes: number, length: bigint | number | undefined, file: string): InvalidInputError {
  const where = length === undefined ? `${bytes} bytes` : `${bytes} of ${length} bytes, or damaged`;
  return new InvalidInputError(`is cut off after ${where}; copy it again`, { file });
}

export function tooLarge(bytes: bigint, memory: number, file: string): InvalidInputError {
  return new InvalidInputError(
    `needs ${bytes} bytes of main memory by what it says, and the budget is ${memory}; allow more (option memory), or copy ` +
      "the file again if it is smaller",
    { file },
  );
}

function malformedFile(what: string, file: string): InvalidInputError {
  return new InvalidInputError(`holds no model that can be read: ${what}; save the model again`, { file });
}

/** Checks that the bytes are those that were written, by a version that this one knows. */
function* checkWhole(bytes: Uint8Array, file: string): Yielding<void> {
  checkStart(bytes, file);
  if (bytes.length < PRELUDE_BYTES + CHECKSUM_BYTES) throw cutOff(bytes.length, undefined, file);
  const length = lengthIn(bytes);
  if (BigInt(bytes.length) < length) throw cutOff(bytes.length, length, file);
  const end = bytes.length - CHECKSUM_BYTES;
  const view = viewOf(bytes);
  if (
    BigInt(bytes.length) > length ||
    view.getUint32(end, true) !== (yield* checksum(bytes.subarray(0, end)))
  )
    throw new InvalidInputError("is damaged: its checksum differs; copy it again, or save the model again", {
      file,
    });
  const version = view.getUint32(8, true);
  if (version === VERSION) return;
  throw new InvalidInputError(
    version > VERSION
      ? `has format ${version}, from a newer version of Nearfield, and this one reads up to format ${VERSION}; update Nearfield`
      : `has format ${version}, which no version of Nearfield wrote; save the model again`,
    { file },
  );
}

function* checksum(bytes: Uint8Array): Yielding<number> {
  let crc = 0;
  for (let begin = 0; begin < bytes.length; begin += PIECE_BYTES) {
    crc = crc32(bytes.subarray(begin, begin + PIECE_BYTES), crc);
    yield;
  }
  return crc;
}

const [COMMA, LIST, OBJECT] = [0x2c, 0x5b, 0x7b];

/** Counts at least as many members as JSON.parse makes; commas in texts count too. */
function* membersIn(text: Uint8Array): Yielding<number> {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === COMMA || byte === LIST || byte === OBJECT) count++;
    if (at % PIECE_BYTES === 0) yield;
  }
  return count;
}

function* parse(bytes: Uint8Array, file: string): Yielding<unknown> {
  try {
    return yield* fromJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw malformedFile("its header is not JSON", file);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
