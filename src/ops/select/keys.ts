/**
 * This module has the order of `select` on the host: u32 keys of elements, and the merge of two lists that
 * are in that order. The selection itself is in ops/select/cpu.ts and ops/select/gpu.ts.
 */
import { isNaNBits, keyOfFloat, keyOfInt } from "../../core/float/keys.ts";
import type { SelectParams } from "./contract.ts";

type SelectOrder = Pick<SelectParams, "type" | "largest">;

/** Returns the key of an element from its bits: ascending keys are the order; every NaN has the largest. */
export function selectKey(bits: number, { type, largest }: SelectOrder): number {
  if (type === "f32" && isNaNBits(bits)) return 0xffffffff;
  const key = type === "f32" ? keyOfFloat(bits) : type === "i32" ? keyOfInt(bits) : bits;
  return (largest ? ~key : key) >>> 0;
}

/** It has elements as bits, and their columns, in order. */
export interface SelectList {
  readonly values: Uint32Array;
  readonly indices: Uint32Array;
}

/**
 * Returns the first entries of two lists, at most k. Columns of `a` are before those of `b`, so that it wins
 * ties.
 */
export function mergeSelected(a: SelectList, b: SelectList, k: number, order: SelectOrder): SelectList {
  const length = Math.min(k, a.values.length + b.values.length);
  const merged = { values: new Uint32Array(length), indices: new Uint32Array(length) };
  let [i, j] = [0, 0];
  for (let at = 0; at < length; at++) {
    const takeA =
      j === b.values.length ||
      (i < a.values.length && selectKey(a.values[i], order) <= selectKey(b.values[j], order));
    const from = takeA ? a : b;
    const slot = takeA ? i++ : j++;
    merged.values[at] = from.values[slot];
    merged.indices[at] = from.indices[slot];
  }
  return merged;
}
