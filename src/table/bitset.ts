/**
 * A bitset has a fixed number of bits, packed 32 to a word, bit i in word i >> 5. Here a set bit says that a
 * cell has a value. It is not a set of row numbers: its length is part of it.
 * @example
 * const valid: Bitset | undefined = Table.fromColumns({ x: [1, null, 3] }).column("x").valid;
 * valid?.get(1); // => false
 * valid?.count(); // => 2
 */
export class Bitset {
  readonly length: number;
  /** The words, little end first; bits beyond `length` are 0. */
  readonly words: Uint32Array;

  /** Makes a set whose bits are all 0. */
  constructor(length: number) {
    this.length = length;
    this.words = new Uint32Array(Math.ceil(length / 32));
  }

  /** Makes a set whose bits are all 1. */
  static full(length: number): Bitset {
    const bits = new Bitset(length);
    bits.words.fill(0xffffffff);
    if (length % 32 !== 0) bits.words[bits.words.length - 1] = 2 ** (length % 32) - 1;
    return bits;
  }

  /** Returns true where bit `index` is 1. */
  get(index: number): boolean {
    return ((this.words[index >> 5] >>> (index & 31)) & 1) === 1;
  }

  /** Makes bit `index` 1. */
  set(index: number): void {
    this.words[index >> 5] |= 1 << (index & 31);
  }

  /** Makes bit `index` 0. */
  clear(index: number): void {
    this.words[index >> 5] &= ~(1 << (index & 31));
  }

  /**
   * Writes the bits of another set over those from `begin` on.
   * @internal
   */
  copyFrom(bits: Bitset, begin: number): void {
    const shift = begin & 31;
    bits.words.forEach((word, at) => {
      const there = Math.min(32, bits.length - 32 * at);
      const mask = there === 32 ? 0xffffffff : 2 ** there - 1;
      const place = (begin >> 5) + at;
      this.words[place] = (this.words[place] & ~(mask << shift)) | (word << shift);
      if (shift + there <= 32) return;
      const rest = 32 - shift;
      this.words[place + 1] = (this.words[place + 1] & ~(mask >>> rest)) | (word >>> rest);
    });
  }

  /** Counts the bits that are 1. */
  count(): number {
    let total = 0;
    for (const word of this.words) {
      for (let rest = word; rest !== 0; rest &= rest - 1) total++;
    }
    return total;
  }

  /** Returns the first bit that is 0, or -1. */
  firstClear(): number {
    for (let index = 0; index < this.length; index++) if (!this.get(index)) return index;
    return -1;
  }
}
