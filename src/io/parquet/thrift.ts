/**
 * This module checks Thrift's compact encoding, as Parquet's metadata and page headers use it: every length
 * and list fits into the bytes there are and nothing is nested too deep. The parser behind it trusts what it
 * reads, and may then neither run forever nor allocate for a size that a damaged file made up: hyparquet
 * makes 1.9 GB of 10 MB of empty structs.
 */

/** It says where the bytes stop making sense, counted from the start of the checked bytes. */
export class ThriftError extends Error {
  readonly offset: number;
  /** More bytes, or more memory, might mend it. */
  readonly lacks: "bytes" | "memory" | undefined;

  constructor(offset: number, message: string, lacks?: "bytes" | "memory") {
    super(message);
    this.name = "ThriftError";
    this.offset = offset;
    this.lacks = lacks;
  }
}

const MAX_DEPTH = 32;
/** A varint, which has 64 bits in groups of 7, takes at most so many bytes. */
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

/**
 * Hyparquet's objects take so much memory: structs with what is made of them, fields, arrays of bytes, items
 * of lists. Measured with Node 20: ten million empty structs of a schema take 1.9 GB.
 */
const COSTS = { struct: 200, field: 24, binary: 120, item: 32 } as const;

/**
 * Checks the struct that the bytes begin with.
 * @param most bytes of memory that it may take when it is parsed
 * @returns where the struct ends
 * @throws ThriftError
 */
export function checkThrift(bytes: Uint8Array, most: number): number {
  let at = 0;
  let cost = 0;

  const claim = (kind: keyof typeof COSTS, count = 1) => {
    cost += count * COSTS[kind];
    if (cost <= most) return;
    const message = `up to here it takes more than ${most} bytes in memory; allow more (option memory)`;
    throw new ThriftError(at, message, "memory");
  };
  const need = (count: number) => {
    if (count > bytes.length - at) throw new ThriftError(bytes.length, "the data ends within it", "bytes");
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
    claim("struct");
    for (;;) {
      const head = byte();
      const type = head & 0x0f;
      if (type === STOP) return;
      if (head >> 4 === 0) varint();
      claim("field");
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
        claim("binary");
        at += length;
        return;
      }
      case LIST: {
        const head = byte();
        const size = head >> 4 === 15 ? varint() : head >> 4;
        need(size);
        claim("item", size);
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
