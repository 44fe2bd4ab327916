/**
 * This module puts neighbours in the order of order.ts: the k first of a stream, for lists much longer than
 * k, and the sorting of lists that are hardly longer.
 */
import { comesBefore } from "./order.ts";

/** Keeps the first k of a stream, as a binary heap with the last of them on top. */
export class TopK {
  readonly #k: number;
  readonly #keys: Float64Array;
  readonly #indices: Uint32Array;
  #size = 0;

  constructor(k: number) {
    this.#k = k;
    this.#keys = new Float64Array(k);
    this.#indices = new Uint32Array(k);
  }

  get size(): number {
    return this.#size;
  }

  push(key: number, index: number): void {
    if (this.#size < this.#k) {
      this.#siftUp(this.#size++, key, index);
    } else if (comesBefore(key, index, this.#keys[0], this.#indices[0])) {
      this.#siftDown(this.#size, key, index);
    }
  }

  /** Empties the heap into `keys` and `indices` from position `at`, first neighbour first. */
  drain(keys: Float64Array, indices: Uint32Array, at: number): void {
    while (this.#size > 0) {
      const last = --this.#size;
      keys[at + last] = this.#keys[0];
      indices[at + last] = this.#indices[0];
      this.#siftDown(last, this.#keys[last], this.#indices[last]);
    }
  }

  #siftUp(from: number, key: number, index: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (comesBefore(key, index, this.#keys[parent], this.#indices[parent])) break;
      this.#set(at, this.#keys[parent], this.#indices[parent]);
      at = parent;
    }
    this.#set(at, key, index);
  }

  /** Puts an entry in place of the top of the first `size` entries. */
  #siftDown(size: number, key: number, index: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && this.#isBefore(child, child + 1)) child++;
      if (comesBefore(this.#keys[child], this.#indices[child], key, index)) break;
      this.#set(at, this.#keys[child], this.#indices[child]);
      at = child;
    }
    this.#set(at, key, index);
  }

  #isBefore(a: number, b: number): boolean {
    return comesBefore(this.#keys[a], this.#indices[a], this.#keys[b], this.#indices[b]);
  }

  #set(at: number, key: number, index: number): void {
    this.#keys[at] = key;
    this.#indices[at] = index;
  }
}

/**
 * Puts the first `count` of `keys`, each with its index, in the order of neighbours. Result in place; `spare`
 * arrays are at least as long.
 */
export function sortAscending(list: Neighborhood, spare: Neighborhood, count: number): void {
  if (count <= SHORT) insertAscending(list, count);
  else if (!sortByShare(list, spare, count)) sortByMerging(list, spare, count);
}

/** Lists up to this length are sorted by inserting, and so are buckets that are no fuller. */
const SHORT = 24;

let buckets = new Uint32Array(1024);

/**
 * Puts keys into as many buckets as there are keys by their share of the range from least to most, which
 * never puts a larger key before a smaller one; six times as fast as merging where they spread.
 * @returns false, with nothing done, where they do not
 */
function sortByShare(list: Neighborhood, spare: Neighborhood, count: number): boolean {
  const { keys, indices } = list;
  let least = Infinity;
  let most = -Infinity;
  for (let i = 0; i < count; i++) {
    const key = keys[i];
    if (key !== key) return false;
    if (key < least) least = key;
    if (key > most) most = key;
  }
  if (least === most) return false;
  const factor = (count - 1) / (most - least);
  if (!(factor > 0 && factor < Infinity)) return false;
  if (buckets.length <= count) buckets = new Uint32Array(2 * count);
  const begins = buckets.fill(0, 0, count + 1);
  for (let i = 0; i < count; i++) begins[(((keys[i] - least) * factor) >>> 0) + 1]++;
  for (let b = 1; b <= count; b++) {
    if (begins[b] > SHORT) return false;
    begins[b] += begins[b - 1];
  }
  for (let i = 0; i < count; i++) {
    const at = begins[((keys[i] - least) * factor) >>> 0]++;
    spare.keys[at] = keys[i];
    spare.indices[at] = indices[i];
  }
  insertAscending(spare, count);
  keys.set(spare.keys.subarray(0, count));
  indices.set(spare.indices.subarray(0, count));
  return true;
}

/** Does what sortAscending does, fast where the order is nearly right or there are few. */
export function insertAscending({ keys, indices }: Neighborhood, count: number): void {
  for (let i = 1; i < count; i++) {
    const key = keys[i];
    const index = indices[i];
    let at = i;
    for (; at > 0 && comesBefore(key, index, keys[at - 1], indices[at - 1]); at--) {
      keys[at] = keys[at - 1];
      indices[at] = indices[at - 1];
    }
    keys[at] = key;
    indices[at] = index;
  }
}

function sortByMerging(list: Neighborhood, spare: Neighborhood, count: number): void {
  let from = list;
  let to = spare;
  for (let width = 1; width < count; width *= 2) {
    for (let begin = 0; begin < count; begin += 2 * width) {
      merge(from, to, begin, Math.min(begin + width, count), Math.min(begin + 2 * width, count));
    }
    [from, to] = [to, from];
  }
  if (from === list) return;
  list.keys.set(from.keys.subarray(0, count));
  list.indices.set(from.indices.subarray(0, count));
}

export interface Neighborhood {
  readonly keys: Float64Array;
  readonly indices: Uint32Array;
}

function merge(from: Neighborhood, to: Neighborhood, begin: number, middle: number, end: number): void {
  let left = begin;
  let right = middle;
  for (let at = begin; at < end; at++) {
    const takeRight = left === middle || (right < end && precedes(from, right, left));
    const source = takeRight ? right++ : left++;
    to.keys[at] = from.keys[source];
    to.indices[at] = from.indices[source];
  }
}

function precedes({ keys, indices }: Neighborhood, a: number, b: number): boolean {
  return comesBefore(keys[a], indices[a], keys[b], indices[b]);
}
