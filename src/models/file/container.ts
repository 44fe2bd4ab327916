/**
 * The container of a model file: a JSON header and typed arrays in one piece of bytes, with a version and a checksum. What
 * the header says is model.ts; docs/model-file.md describes both. Little end first throughout.
 *
 * These stay the same in every version, so that an old program can tell a newer file from a damaged one: the 8 bytes at the
 * start, the version after them, the length of the file at byte 16, and the checksum in the last 4 bytes.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { roundUp } from "../../core/math.ts";
import type { NumericArray } from "../../core/matrix.ts";
import { crc32 } from "./crc32.ts";

export const VERSION = 1;

/** As PNG's: a byte beyond ASCII, the name, and the line ends that careless copies change. */
const MAGIC = Uint8Array.of(0x89, 0x4e, 0x46, 0x4d, 0x0d, 0x0a, 0x1a, 0x0a);

/** Magic, version, length of the header, length of the file. */
const PRELUDE_BYTES = 24;
const CHECKSUM_BYTES = 4;

/** Arrays start at multiples of this, as a Float64Array wants it. */
const ALIGNMENT = 8;

const kinds = {
  float64: Float64Array,
  float32: Float32Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  uint8clamped: Uint8ClampedArray,
} as const;

type Kind = keyof typeof kinds;

/** Where an array is: `begin` counts bytes from the end of the padded header. */
export interface ArrayPlace {
  readonly kind: Kind;
  readonly begin: number;
  readonly length: number;
}

/** Collects arrays and gives out their places, for the header to mention. */
export class ContainerWriter {
  readonly #arrays: NumericArray[] = [];
  #end = 0;

  place(array: NumericArray): ArrayPlace {
    const begin = this.#end;
    this.#arrays.push(array);
    this.#end = roundUp(begin + array.byteLength, ALIGNMENT);
    return { kind: kindOf(array), begin, length: array.length };
  }

  finish(header: object): Uint8Array {
    const text = new TextEncoder().encode(toJson(header));
    const body = roundUp(PRELUDE_BYTES + text.length, ALIGNMENT);
    const bytes = new Uint8Array(body + this.#end + CHECKSUM_BYTES);
    const view = new DataView(bytes.buffer);
    bytes.set(MAGIC);
    view.setUint32(8, VERSION, true);
    view.setUint32(12, text.length, true);
    view.setBigUint64(16, BigInt(bytes.length), true);
    bytes.set(text, PRELUDE_BYTES);
    let begin = body;
    for (const { buffer, byteOffset, byteLength } of this.#arrays) {
      bytes.set(new Uint8Array(buffer, byteOffset, byteLength), begin);
      begin = roundUp(begin + byteLength, ALIGNMENT);
    }
    const end = bytes.length - CHECKSUM_BYTES;
    view.setUint32(end, crc32(bytes.subarray(0, end)), true);
    return bytes;
  }
}

/** Bytes whose form is sound: right start, length, checksum and version, and a header that is JSON. */
export class ContainerReader {
  readonly header: unknown;
  readonly #file: string;
  readonly #body: Uint8Array;

  /** @throws InvalidInputError for a file that is foreign, cut off, damaged, or of a newer version */
  constructor(given: Uint8Array, file: string) {
    // A Buffer of Node would share its memory where an array of bytes is copied.
    const bytes = new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
    this.#file = file;
    const view = checkedView(bytes, file);
    const headerEnd = PRELUDE_BYTES + view.getUint32(12, true);
    const body = roundUp(headerEnd, ALIGNMENT);
    const end = bytes.length - CHECKSUM_BYTES;
    if (body > end) throw this.malformed("its header is longer than the file");
    this.header = this.#parse(bytes.subarray(PRELUDE_BYTES, headerEnd));
    this.#body = bytes.subarray(body, end);
  }

  /** A copy of an array. @param place as the header has it, not yet checked */
  array(place: unknown): NumericArray {
    const { kind, begin, length } = (place ?? {}) as Partial<ArrayPlace>;
    const make = kind === undefined || !Object.hasOwn(kinds, kind) ? undefined : kinds[kind];
    if (!make || !isCount(begin) || !isCount(length) || begin % ALIGNMENT !== 0)
      throw this.malformed(`${JSON.stringify(place)} is no array`);
    const end = begin + length * make.BYTES_PER_ELEMENT;
    if (end > this.#body.length)
      throw this.malformed(`the array ${JSON.stringify(place)} ends beyond the file`);
    return new make(this.#body.slice(begin, end).buffer);
  }

  /** The error for a sound file whose content means nothing: a mistake of the program that wrote it. */
  malformed(what: string): InvalidInputError {
    return new InvalidInputError(`holds no model that can be read: ${what}; save the model again`, {
      file: this.#file,
    });
  }

  #parse(bytes: Uint8Array): unknown {
    try {
      return fromJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      throw this.malformed("its header is no JSON");
    }
  }
}

function checkedView(bytes: Uint8Array, file: string): DataView {
  const wrong = (message: string) => new InvalidInputError(message, { file });
  if (MAGIC.some((byte, at) => at < bytes.length && bytes[at] !== byte) || bytes.length === 0)
    throw wrong("is no Nearfield model; name a file that was written with --save-model or saveModel");
  const least = PRELUDE_BYTES + CHECKSUM_BYTES;
  if (bytes.length < least) throw wrong(`is cut off after ${bytes.length} bytes; copy it again`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getBigUint64(16, true);
  if (BigInt(bytes.length) < length) {
    throw wrong(`is cut off after ${bytes.length} of ${length} bytes, or damaged; copy it again`);
  }
  const end = bytes.length - CHECKSUM_BYTES;
  if (BigInt(bytes.length) > length || view.getUint32(end, true) !== crc32(bytes.subarray(0, end)))
    throw wrong("is damaged: its checksum differs; copy it again, or save the model again");
  const version = view.getUint32(8, true);
  if (version === VERSION) return view;
  throw wrong(
    version > VERSION
      ? `has format ${version}, from a newer version of Nearfield, and this one reads up to format ${VERSION}; update Nearfield`
      : `has format ${version}, which no version of Nearfield wrote; save the model again`,
  );
}

function kindOf(array: NumericArray): Kind {
  const names = Object.keys(kinds) as Kind[];
  return names.find((name) => array instanceof kinds[name]) ?? "float64";
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Numbers that JSON does not know (-0, infinities, NaN) become { "$number": "-0" }. */
function toJson(value: object): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "number" && (!Number.isFinite(member) || Object.is(member, -0))
      ? { $number: Object.is(member, -0) ? "-0" : String(member) }
      : member,
  );
}

function fromJson(text: string): unknown {
  return JSON.parse(text, (_, member: unknown) =>
    typeof member === "object" && member !== null && "$number" in member ? Number(member.$number) : member,
  );
}
