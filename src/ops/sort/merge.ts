/**
 * This module merges sorted runs of keys on the host, with what they carry: the runs of a row that was too
 * long for a GPU's memory. Two runs at a time, from one array to another, stably.
 */
import { isNaNBits, keyOfFloat } from "../../core/float/keys.ts";
import { Yielder } from "../../core/async/yielding.ts";
import { flips, isFloat, keyWords, type SortParams } from "./contract.ts";

/** Keys as words, and what they carry. */
export interface Carried {
  readonly keys: Uint32Array;
  readonly values: Uint32Array | undefined;
}

/** Keys between two looks at the clock. */
const STRETCH = 65_536;

/**
 * Merges runs where they lie.
 * @param bounds where they begin, and where the last one ends, ascending
 */
export async function mergeRuns(
  params: SortParams,
  all: Carried,
  bounds: readonly number[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const turns = new Yielder(signal ?? new AbortController().signal);
  const [begin, end] = [bounds[0], bounds[bounds.length - 1]];
  const words = keyWords(params.type);
  const merger = new Merger(params);
  let runs = bounds.map((bound) => bound - begin);
  let from: Carried = {
    keys: all.keys.subarray(begin * words, end * words),
    values: all.values?.subarray(begin, end),
  };
  const target = from;
  let to: Carried = { keys: from.keys.slice(), values: from.values?.slice() };
  while (runs.length > 2) {
    const merged = [0];
    for (let run = 0; run + 1 < runs.length; run += 2) {
      const [first, middle, last] = [runs[run], runs[run + 1], runs[run + 2] ?? runs[run + 1]];
      const merge = merger.begin(from, to, first, middle, last);
      while (merge(STRETCH)) if (turns.due) await turns.next();
      merged.push(last);
    }
    runs = merged;
    [from, to] = [to, from];
  }
  if (from === target) return;
  target.keys.set(from.keys);
  if (from.values) target.values!.set(from.values);
}

class Merger {
  readonly #words: 1 | 2;
  readonly #isFloat: boolean;
  readonly #low: number;
  readonly #high: number;
  readonly #begin: number;
  readonly #end: number;

  constructor(params: SortParams) {
    this.#words = keyWords(params.type);
    this.#isFloat = isFloat(params.type);
    ({ low: this.#low, high: this.#high } = flips(params));
    this.#begin = params.beginBit;
    this.#end = params.endBit;
  }

  /**
   * Begins to merge [first, middle) and [middle, last); what it returns goes on, and says whether there is
   * more.
   */
  begin(from: Carried, to: Carried, first: number, middle: number, last: number): (keys: number) => boolean {
    let [left, right, at] = [first, middle, first];
    let own = left < middle ? this.#ordinal(from.keys, left) : 0;
    let other = right < last ? this.#ordinal(from.keys, right) : 0;
    return (keys) => {
      for (const end = Math.min(last, at + keys); at < end; at++) {
        const isLeft = left < middle && (right === last || own <= other);
        const source = isLeft ? left++ : right++;
        for (let word = 0; word < this.#words; word++)
          to.keys[at * this.#words + word] = from.keys[source * this.#words + word];
        if (to.values) to.values[at] = from.values![source];
        if (isLeft && left < middle) own = this.#ordinal(from.keys, left);
        if (!isLeft && right < last) other = this.#ordinal(from.keys, right);
      }
      return at < last;
    };
  }

  /** Returns the bits of the ordinal that count; as BigInt where a number is not exact. */
  #ordinal(keys: Uint32Array, at: number): number | bigint {
    if (this.#words === 1) {
      const bits = keys[at];
      const isNaN = this.#isFloat && isNaNBits(bits);
      const ordinal = isNaN ? 0xffffffff : (this.#isFloat ? keyOfFloat(bits) : bits) ^ this.#high;
      return Math.floor((ordinal >>> 0) / 2 ** this.#begin) % 2 ** (this.#end - this.#begin);
    }
    const [low, high] = [keys[2 * at], keys[2 * at + 1]];
    const size = high & 0x7fffffff;
    let [a, b] = [low ^ this.#low, high ^ this.#high];
    if (this.#isFloat) {
      const sign = high >> 31;
      [a, b] = [a ^ sign, b ^ (sign | 0x80000000)];
      if (size > 0x7ff00000 || (size === 0x7ff00000 && low !== 0)) [a, b] = [-1, -1];
    }
    const ordinal = (BigInt(b >>> 0) << 32n) | BigInt(a >>> 0);
    return (ordinal >> BigInt(this.#begin)) & ((1n << BigInt(this.#end - this.#begin)) - 1n);
  }
}
