/**
 * This module keeps the numbers of a column while they arrive: all of them, or an even share where they are
 * many, in memory that does not grow. From them come quartiles and a small histogram. The order of the file
 * decides, no chance: two runs say the same.
 */

/** At most so many numbers are kept of a file's columns together: 32 MiB. */
const MOST_CELLS = 1 << 22;
const MOST_OF_COLUMN = 1 << 16;
const LEAST_OF_COLUMN = 16;

/** A histogram has so many bars. */
export const BARS = 8;

const HEIGHTS = "▁▂▃▄▅▆▇█";

/** Returns the most numbers that a column keeps in a file of so many columns. */
export function sampleSize(columns: number): number {
  return Math.max(LEAST_OF_COLUMN, Math.min(MOST_OF_COLUMN, Math.floor(MOST_CELLS / columns)));
}

export class NumberSample {
  readonly #most: number;
  #kept: number[] = [];
  /** One of so many numbers is kept. */
  #stride = 1;
  #seen = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Says whether all numbers were kept. */
  get isWhole(): boolean {
    return this.#stride === 1;
  }

  add(value: number): void {
    if (this.#seen++ % this.#stride !== 0) return;
    if (this.#kept.length === this.#most) {
      this.#kept = this.#kept.filter((_, at) => at % 2 === 0);
      this.#stride *= 2;
      if ((this.#seen - 1) % this.#stride !== 0) return;
    }
    this.#kept.push(value);
  }

  /**
   * Returns the first, second and third quartile, between two numbers as numpy has them; undefined where
   * there are none.
   */
  quartiles(): readonly [number, number, number] | undefined {
    if (this.#kept.length === 0) return undefined;
    const sorted = Float64Array.from(this.#kept).sort();
    const at = (share: number) => {
      const place = share * (sorted.length - 1);
      const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
      return low === high ? low : low + (high - low) * (place - Math.floor(place));
    };
    return [at(0.25), at(0.5), at(0.75)];
  }

  /** Counts the kept numbers in each of BARS equal ranges between the two. */
  histogram(min: number, max: number): number[] {
    const counts = new Array<number>(BARS).fill(0);
    const width = max / BARS - min / BARS;
    for (const value of this.#kept) {
      const bar = width > 0 ? Math.floor(value / width - min / width) : 0;
      counts[Math.min(BARS - 1, Math.max(0, bar))]++;
    }
    return counts;
  }
}

/** Returns a character for each count, the highest for the largest, and a blank for 0. */
export function sparkline(counts: readonly number[]): string {
  const most = counts.reduce((a, b) => Math.max(a, b), 0);
  return counts
    .map((count) => (count === 0 ? " " : HEIGHTS[Math.ceil((count / most) * HEIGHTS.length) - 1]))
    .join("");
}
