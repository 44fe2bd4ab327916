/**
 * This is the seeded generator of every split: java.util.Random as documented, so that splits are those that
 * RapidMiner's operators make with the same local seed. It is a linear congruential generator of 48 bits: fit
 * for shuffling, not for secrets.
 */

/** The factor of x' = (x * factor + 11) mod 2^48 has halves of 24 bits, which doubles multiply exactly. */
const MULTIPLIER_HIGH = 0x5de;
const MULTIPLIER_LOW = 0xece66d;
const INCREMENT = 11;
const HALF = 2 ** 24;

export class SeededRandom {
  #high: number;
  #low: number;

  /** @param seed a whole number of at least 0, at most 2^48 - 1 */
  constructor(seed: number) {
    this.#high = (Math.floor(seed / HALF) % HALF) ^ MULTIPLIER_HIGH;
    this.#low = (seed % HALF) ^ MULTIPLIER_LOW;
  }

  /** Returns a whole number in [0, bound), bound at most 2^31 - 1. */
  below(bound: number): number {
    if ((bound & (bound - 1)) === 0) return Math.floor(this.#next31() / (2 ** 31 / bound));
    for (;;) {
      const bits = this.#next31();
      const value = bits % bound;
      if (bits - value + bound - 1 < 2 ** 31) return value;
    }
  }

  /** Shuffles in place, as java.util.Collections.shuffle does. */
  shuffle(values: Uint32Array): void {
    for (let i = values.length; i > 1; i--) {
      const j = this.below(i);
      [values[i - 1], values[j]] = [values[j], values[i - 1]];
    }
  }

  /** Returns the upper 31 of the 48 bits. */
  #next31(): number {
    const low = this.#low * MULTIPLIER_LOW + INCREMENT;
    const high = this.#high * MULTIPLIER_LOW + this.#low * MULTIPLIER_HIGH + Math.floor(low / HALF);
    this.#low = low % HALF;
    this.#high = high % HALF;
    return this.#high * 2 ** 7 + (this.#low >>> 17);
  }
}
