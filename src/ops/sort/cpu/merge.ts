/**
 * This is the task that merges a part of two sorted runs, with what their keys carry, stably. Parts are cut
 * by merge path: where a part begins in each run is found by bisection, so that no part waits for another.
 * Who cuts them is merge.ts of the room.
 */
import { isNaNBits, keyOfFloat } from "../../../core/float/keys.ts";
import { wordsOf } from "../../../runtime/cpu/buffers.ts";
import { handler, task } from "../../../runtime/cpu/task.ts";
import { maskOf } from "../contract.ts";
import type { Addresses, KeyOrder } from "./order.ts";

/** The part [begin, end) of what the runs [first, middle) and [middle, last) become, at the same places. */
export interface MergeTask {
  readonly order: KeyOrder;
  readonly from: Addresses;
  readonly to: Addresses;
  readonly first: number;
  readonly middle: number;
  readonly last: number;
  readonly begin: number;
  readonly end: number;
}

export const sortMerge = task<MergeTask, undefined>("sort.merge");

export const mergeHandler = handler(sortMerge, (request) => {
  mergePart(request);
  return { result: undefined };
});

export function mergePart({ order, from, to, first, middle, last, begin, end }: MergeTask): void {
  const { words } = order;
  const [keys, sorted] = [from, to].map((place) =>
    wordsOf(place.keys, first * words, (last - first) * words),
  );
  const [values, carried] = [from, to].map(
    (place) => place.values && wordsOf(place.values, first, last - first),
  );
  const [high, low] = ordinalsOf(order, keys);
  const [ends, length] = [middle - first, last - first];
  let left = splitOf(high, low, ends, length, begin - first);
  let right = ends + begin - first - left;
  let [leftHigh, leftLow] = left < ends ? [high(left), low(left)] : [0, 0];
  let [rightHigh, rightLow] = right < length ? [high(right), low(right)] : [0, 0];
  for (let at = begin - first; at < end - first; at++) {
    const isLeft =
      left < ends &&
      (right === length || leftHigh < rightHigh || (leftHigh === rightHigh && leftLow <= rightLow));
    const source = isLeft ? left++ : right++;
    for (let word = 0; word < words; word++) sorted[at * words + word] = keys[source * words + word];
    if (carried) carried[at] = values![source];
    if (isLeft) {
      if (left < ends) [leftHigh, leftLow] = [high(left), low(left)];
    } else if (right < length) [rightHigh, rightLow] = [high(right), low(right)];
  }
}

/** Returns a word of the ordinal of a key: the bits of it that count. */
type OrdinalWord = (at: number) => number;

/** Returns how many of the first `place` keys come from the left run, [0, middle) of [0, last). */
function splitOf(high: OrdinalWord, low: OrdinalWord, middle: number, last: number, place: number): number {
  let [least, most] = [Math.max(0, place - (last - middle)), Math.min(place, middle)];
  while (least < most) {
    const left = Math.floor((least + most) / 2);
    const right = middle + place - 1 - left;
    const order = high(left) - high(right) || low(left) - low(right);
    if (order <= 0) least = left + 1;
    else most = left;
  }
  return least;
}

/** Returns the functions of the high and of the low word; one word is the high one. */
function ordinalsOf(order: KeyOrder, keys: Uint32Array): readonly [high: OrdinalWord, low: OrdinalWord] {
  const [wide, floats, flipLow, flipHigh] = order.arguments;
  const [maskLow, maskHigh] = maskOf(order.begin, order.end);
  if (!wide) {
    const ordinal = (bits: number) =>
      !floats ? bits ^ flipHigh : isNaNBits(bits) ? 0xffffffff : keyOfFloat(bits) ^ flipHigh;
    return [(at) => (ordinal(keys[at]) & maskLow) >>> 0, () => 0];
  }
  const isNaN = (at: number) => {
    const size = keys[2 * at + 1] & 0x7fffffff;
    return floats && (size > 0x7ff00000 || (size === 0x7ff00000 && keys[2 * at] !== 0));
  };
  /** Returns the sign in all bits, by which a float's ordinal differs from its bits. */
  const signOf = (at: number) => (floats ? keys[2 * at + 1] >> 31 : 0);
  const top = floats ? 0x80000000 : 0;
  return [
    (at) => ((isNaN(at) ? 0xffffffff : keys[2 * at + 1] ^ (signOf(at) | top) ^ flipHigh) & maskHigh) >>> 0,
    (at) => ((isNaN(at) ? 0xffffffff : keys[2 * at] ^ signOf(at) ^ flipLow) & maskLow) >>> 0,
  ];
}
