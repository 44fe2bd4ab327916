/**
 * Whole numbers stored as differences (DELTA_BINARY_PACKED): blocks of miniblocks, each of a bit width of its own, on top of
 * the block's least difference. Sums wrap around, as the format says.
 */
import { PageError, unpackBits } from "./bits.ts";

export interface Deltas<T> {
  readonly values: T;
  /** Where what follows begins. */
  readonly end: number;
}

/** A damaged page may claim any size. */
const MAX_BLOCK_VALUES = 1 << 20;
const SAFE = 2 ** 53;

/** @throws PageError when the bytes hold fewer than `count` values. */
export function decodeDeltas32(bytes: Uint8Array, count: number): Deltas<Int32Array> {
  const { values, end } = decodeDeltas64(bytes, count);
  // The low halves: writers that count in 64 bits mean the same number modulo 2^32.
  const halves = new Int32Array(values.buffer);
  return { values: Int32Array.from({ length: count }, (_, i) => halves[2 * i]), end };
}

/** @throws PageError when the bytes hold fewer than `count` values. */
export function decodeDeltas64(bytes: Uint8Array, count: number): Deltas<BigInt64Array> {
  const cursor = new Cursor(bytes);
  const [blockValues, miniblocks, total] = [cursor.size(), cursor.size(), cursor.size()];
  const perMiniblock = blockValues / miniblocks;
  if (!(perMiniblock >= 8 && perMiniblock % 8 === 0 && blockValues <= MAX_BLOCK_VALUES))
    throw new PageError(`it has blocks of ${blockValues} differences in ${miniblocks} parts`);
  if (total !== count) throw new PageError(`it holds ${total} values instead of ${count}`);
  const sums = new Sums(count, cursor.zigzag());
  while (sums.length < count) {
    const least = cursor.zigzag();
    const widths = cursor.take(miniblocks);
    for (const width of widths) {
      if (sums.length === count) break;
      if (width > 64) throw new PageError(`it has differences of ${width} bits`);
      const needed = Math.min(perMiniblock, count - sums.length);
      // The last miniblock may lack its padding.
      const size = (perMiniblock * width) / 8;
      const packed = cursor.take(Math.min(size, cursor.left));
      if (packed.length < Math.ceil((needed * width) / 8)) throw new PageError("its values end early");
      if (width <= 32) sums.addSmall(least, unpackBits(packed, 0, width, new Uint32Array(needed)));
      else sums.addLarge(least, packed, width, needed);
    }
  }
  return { values: sums.values, end: cursor.at };
}

/** Running sums; plain numbers as long as they are exact, since bigints take ten times as long. */
class Sums {
  readonly values: BigInt64Array;
  length = 0;
  readonly #halves: Int32Array;
  #sum: bigint;

  constructor(count: number, first: bigint) {
    this.values = new BigInt64Array(count);
    this.#halves = new Int32Array(this.values.buffer);
    this.#sum = first;
    if (count > 0) this.values[this.length++] = first;
  }

  addSmall(least: bigint, differences: Uint32Array): void {
    let sum = Number(this.#sum);
    const step = Number(least);
    const most = (Math.abs(step) + 2 ** 32) * differences.length;
    if (Math.abs(sum) + most > SAFE) {
      for (const difference of differences) this.#add(least + BigInt(difference));
      return;
    }
    for (const difference of differences) {
      sum += step + difference;
      const high = Math.floor(sum / 2 ** 32);
      this.#halves[2 * this.length] = sum - high * 2 ** 32;
      this.#halves[2 * this.length + 1] = high;
      this.length++;
    }
    this.#sum = BigInt(sum);
  }

  addLarge(least: bigint, packed: Uint8Array, width: number, count: number): void {
    const mask = (1n << BigInt(width)) - 1n;
    let bits = 0n;
    let held = 0;
    let at = 0;
    for (let i = 0; i < count; i++) {
      for (; held < width; held += 8) bits |= BigInt(packed[at++]) << BigInt(held);
      this.#add(least + (bits & mask));
      bits >>= BigInt(width);
      held -= width;
    }
  }

  #add(difference: bigint): void {
    this.#sum = BigInt.asIntN(64, this.#sum + difference);
    this.values[this.length++] = this.#sum;
  }
}

class Cursor {
  at = 0;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.at;
  }

  take(count: number): Uint8Array {
    if (count > this.left) throw new PageError("its values end early");
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }

  /** A varint that must be a size. */
  size(): number {
    const value = this.#varint();
    if (value > 0xffffffffn) throw new PageError(`a size of ${value}`);
    return Number(value);
  }

  zigzag(): bigint {
    const value = this.#varint();
    return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
  }

  #varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const [byte] = this.take(1);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new PageError("a number has too many bytes");
  }
}
