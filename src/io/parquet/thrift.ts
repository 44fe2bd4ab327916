/**
 * A check of Thrift's compact encoding, as Parquet's metadata and page headers use it: every length and list fits into the
 * bytes there are and nothing is nested too deep. The parser behind it trusts what it reads, and may then neither run
 * forever nor allocate for a size that a damaged file made up.
 */

/** Where the bytes stop making sense, counted from the start of the checked bytes. */
export class ThriftError extends Error {
  readonly offset: number;
  /** More bytes might mend it. */
  readonly truncated: boolean;

  constructor(offset: number, message: string, truncated = false) {
    super(message);
    this.name = "ThriftError";
    this.offset = offset;
    this.truncated = truncated;
  }
}

const MAX_DEPTH = 32;
/** Of a varint: 64 bits in groups of 7. */
const MAX_VARINT_BYTES = 10;

const STOP = 0;
const TRUE = 1;
const FALSE = 2;
const BYTE = 3;
const I16 = 4;
const I32 = 5;
const I64 = 6;
const DOUBLE = 7;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

/** @returns where the struct that starts at `begin` ends. @throws ThriftError */
export function checkThrift(bytes: Uint8Array, begin = 0): number {
  let at = begin;

  const need = (count: number) => {
    if (count > bytes.length - at) throw new ThriftError(bytes.length, "the data ends within it", true);
  };
  const byte = () => {
    need(1);
    return bytes[at++];
  };
  const varint = (): number => {
    const start = at;
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const next = byte();
      value += (next & 0x7f) * scale;
      if (next < 0x80) return value;
      if (at - start >= MAX_VARINT_BYTES) throw new ThriftError(start, "a number has too many bytes");
    }
  };
  const struct = (depth: number): void => {
    if (depth > MAX_DEPTH) throw new ThriftError(at, "it is nested too deep");
    for (;;) {
      const head = byte();
      const type = head & 0x0f;
      if (type === STOP) return;
      if (head >> 4 === 0) varint();
      value(type, depth, false);
    }
  };
  const value = (type: number, depth: number, inList: boolean): void => {
    switch (type) {
      case TRUE:
      case FALSE:
        if (inList) byte();
        return;
      case BYTE:
        byte();
        return;
      case I16:
      case I32:
      case I64:
        varint();
        return;
      case DOUBLE:
        need(8);
        at += 8;
        return;
      case BINARY: {
        const length = varint();
        need(length);
        at += length;
        return;
      }
      case LIST: {
        const head = byte();
        const size = head >> 4 === 15 ? varint() : head >> 4;
        need(size);
        for (let item = 0; item < size; item++) value(head & 0x0f, depth, true);
        return;
      }
      case STRUCT:
        struct(depth + 1);
        return;
      default:
        throw new ThriftError(at, `a field has the unknown type ${type}`);
    }
  };

  struct(0);
  return at;
}
