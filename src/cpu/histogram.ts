/**
 * `histogram` on the CPU: a loop over the bits of elements on the main thread (local.ts says why), with the keys and guesses of
 * core/bins.ts. What it promises stands in core/primitives/histogram.ts.
 */
import { wordsOf } from "./buffers.ts";
import { ALL_ABOVE, ALL_BELOW, GUIDED } from "../core/bins.ts";
import { OUTSIDE, RANGE_WORDS, type HistogramParams } from "../core/primitives.ts";
import { Turns } from "./local.ts";
import type { RunArrays, RunContext } from "./runners.ts";

/** Elements between two looks at the clock. */
const STRETCH = 2 ** 20;

/** Counters per bin: elements in a row that share a bin then do not wait for each other. */
const LANES = 4;

export async function runHistogram(
  params: HistogramParams,
  { input, edges, ranges, counts, outside }: RunArrays<"histogram">,
  { signal, onTask }: RunContext,
): Promise<void> {
  const { bins, rows, cols, perRow } = params;
  const turns = new Turns(signal);
  const lanes = new Uint32Array(bins * LANES);
  let reported = 0;
  for (let row = 0; row < rows; row++) {
    const set = perRow ? row : 0;
    const counter = new RowCounter(
      params,
      wordsOf(edges, set * bins, bins),
      wordsOf(ranges, set * RANGE_WORDS, RANGE_WORDS),
      wordsOf(counts, row * bins, bins),
      wordsOf(outside, row * OUTSIDE, OUTSIDE),
      lanes,
    );
    for (let column = 0; column < cols; column += STRETCH) {
      const length = Math.min(STRETCH, cols - column);
      counter.count(wordsOf(input, row * cols + column, length));
      const done = row * cols + column + length;
      if (!turns.due && done < rows * cols) continue;
      onTask((done - reported) / (rows * cols), 0);
      reported = done;
      if (done < rows * cols) await turns.next();
    }
  }
}

/** Counts stretches of one row. */
class RowCounter {
  readonly #type: HistogramParams["type"];
  readonly #edges: Uint32Array;
  readonly #range: Uint32Array;
  readonly #counts: Uint32Array;
  readonly #outside: Uint32Array;
  /** [bins][LANES] */
  readonly #lanes: Uint32Array;

  constructor(
    { type }: HistogramParams,
    edges: Uint32Array,
    range: Uint32Array,
    counts: Uint32Array,
    outside: Uint32Array,
    lanes: Uint32Array,
  ) {
    this.#type = type;
    this.#edges = edges;
    this.#range = range;
    this.#counts = counts;
    this.#outside = outside;
    this.#lanes = lanes;
  }

  count(words: Uint32Array): void {
    const [low, high] = [this.#range[0], this.#range[1]];
    const [guard, base, scale] = floatsOf(this.#range);
    if (guard >= GUIDED) return this.#countBySearch(words, low, high);
    if (this.#type === "f32") this.#countFloats(words, guard, base, scale);
    else this.#countWhole(words, low, high, guard, base, scale);
    this.#addLanes();
  }

  /** Keys are compared as the floats they stand for, which leaves NaN outside too. */
  #countFloats(words: Uint32Array, guard: number, base: number, scale: number): void {
    const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    const [low, high] = [floatOfKey(this.#range[0]), floatOfKey(this.#range[1])];
    const lanes = this.#lanes;
    const most = 1 - guard;
    for (let i = 0; i < floats.length; i++) {
      const value = floats[i];
      if (value >= low && value <= high) {
        const place = (value - base) * scale;
        const whole = place | 0;
        const part = place - whole;
        const bin = part >= guard && part <= most ? whole : this.#settle(place, keyOfFloatBits(words[i]));
        lanes[bin * LANES + (i & (LANES - 1))]++;
      } else {
        this.#miss(words[i], keyOfFloatBits(words[i]));
      }
    }
  }

  #countWhole(
    words: Uint32Array,
    low: number,
    high: number,
    guard: number,
    base: number,
    scale: number,
  ): void {
    const flip = this.#type === "i32" ? 0x80000000 : 0;
    const lanes = this.#lanes;
    const most = 1 - guard;
    for (let i = 0; i < words.length; i++) {
      const key = (words[i] ^ flip) >>> 0;
      if (key >= low && key <= high) {
        const place = (key - low) * scale + base;
        const whole = place | 0;
        const part = place - whole;
        const bin = part >= guard && part <= most ? whole : this.#settle(place, key);
        lanes[bin * LANES + (i & (LANES - 1))]++;
      } else {
        this.#miss(words[i], key);
      }
    }
  }

  #addLanes(): void {
    const lanes = this.#lanes;
    for (let bin = 0; bin < this.#counts.length; bin++) {
      for (let lane = 0; lane < LANES; lane++) this.#counts[bin] += lanes[bin * LANES + lane];
    }
    lanes.fill(0);
  }

  #countBySearch(words: Uint32Array, low: number, high: number): void {
    const flip = this.#type === "i32" ? 0x80000000 : 0;
    for (let i = 0; i < words.length; i++) {
      const bits = words[i];
      const key = this.#type === "f32" ? keyOfFloatBits(bits) : (bits ^ flip) >>> 0;
      if (key < low || key > high) this.#miss(bits, key);
      else this.#counts[this.#search(key)]++;
    }
  }

  /** The one edge near the guess decides. */
  #settle(place: number, key: number): number {
    const near = Math.floor(place + 0.5);
    return near >= this.#range[2] || this.#edges[near] > key ? near - 1 : near;
  }

  /** The last edge that is not above the key. */
  #search(key: number): number {
    let bin = 0;
    for (let above = this.#range[2]; above - bin > 1;) {
      const middle = (bin + above) >>> 1;
      if (this.#edges[middle] <= key) bin = middle;
      else above = middle;
    }
    return bin;
  }

  #miss(bits: number, key: number): void {
    const [low, verdict] = [this.#range[0], this.#range[3]];
    if (this.#type === "f32" && (bits & 0x7fffffff) > 0x7f800000) this.#outside[2]++;
    else if (verdict !== ALL_ABOVE && (verdict === ALL_BELOW || key < low)) this.#outside[0]++;
    else this.#outside[1]++;
  }
}

function keyOfFloatBits(bits: number): number {
  return (bits & 0x80000000 ? ~bits : bits | 0x80000000) >>> 0;
}

function floatOfKey(key: number): number {
  word[0] = key >= 0x80000000 ? key & 0x7fffffff : ~key;
  return float[0];
}

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);

function floatsOf(range: Uint32Array): [guard: number, base: number, scale: number] {
  const [guard, base, scale] = new Float32Array(range.buffer, range.byteOffset + 16, 3);
  return [guard, base, scale];
}
