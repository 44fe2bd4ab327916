/**
 * Draws uniform random numbers with all 53 bits of a float64 from a seed, by Chris Doty-Humphrey's sfc32, two
 * words a number. It is for data to try things with, not for secrets.
 */
export class UniformNumbers {
  readonly #state: Int32Array;

  /** @param seed a whole number from 0 to 2^53 - 1 */
  constructor(seed: number) {
    this.#state = Int32Array.of(seed % 2 ** 32, Math.floor(seed / 2 ** 32), 0x9e3779b9, 1);
    for (let i = 0; i < 16; i++) this.#word();
  }

  /** Returns so many numbers in [0, 1). */
  take(count: number): Float64Array {
    const values = new Float64Array(count);
    for (let at = 0; at < count; at++) {
      const high = this.#word() >>> 5;
      values[at] = (high * 2 ** 26 + (this.#word() >>> 6)) / 2 ** 53;
    }
    return values;
  }

  #word(): number {
    const state = this.#state;
    const [a, b, c, count] = [state[0], state[1], state[2], state[3]];
    const word = (a + b + count) | 0;
    state[3] = count + 1;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + word;
    return word;
  }
}
