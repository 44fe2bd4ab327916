/**
 * Seeded random numbers for tests: the same seed gives the same inputs on every machine. Every run takes a
 * fresh seed and prints it; NEARFIELD_SEED=<seed> repeats it. No statistics: good enough for test inputs, no
 * more.
 */

export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) >>> 0;
    this.#c = 0x9e3779b9;
    for (let i = 0; i < 12; i++) this.bits();
  }

  /** 32 random bits (sfc32). */
  bits(): number {
    const t = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + t) | 0;
    return t >>> 0;
  }

  /** In [low, high). */
  uniform(low = 0, high = 1): number {
    return low + (high - low) * (this.bits() * 2 ** -32 + (this.bits() >>> 11) * 2 ** -53);
  }

  /** Whole numbers in [low, high). */
  int(low: number, high: number): number {
    return Math.floor(this.uniform(low, high));
  }

  /** Normally distributed, mean 0, deviation 1. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(0, from.length)];
  }
}

/** The seed of the run, NEARFIELD_SEED; without one a fresh seed, which is printed. */
export function printedSeed(): number {
  const given = process.env.NEARFIELD_SEED;
  if (given !== undefined) return Number(given);
  const seed = Math.floor(Math.random() * 2 ** 48);
  console.log(`NEARFIELD_SEED=${seed}`);
  return seed;
}
