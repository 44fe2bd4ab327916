/**
 * `select` on the CPU, on the main thread (local.ts says why): entries that come before the k-th one found so far are
 * collected; when there is no more room, all but the first k are dropped. What it promises stands in
 * core/primitives/select.ts.
 *
 * An entry is one float64, key * BLOCK + column, exact for blocks of 2^21 columns; longer rows are merged block by block.
 */
import { wordsOf } from "./buffers.ts";
import { elementsIn, type ElementType, type SelectParams } from "../core/primitives.ts";
import { mergeSelected, selectKey, type SelectList } from "../core/selectKeys.ts";
import { Turns } from "./local.ts";
import type { RunArrays, RunContext } from "./runners.ts";

/** Columns of a block; an entry has 32 + 21 bits. */
const BLOCK = 2 ** 21;
/** Entries collected beyond the first k before all others are dropped, at least. */
const SLACK = 256;

export async function runSelect(
  params: SelectParams,
  { input, values, indices }: RunArrays<"select">,
  { signal, onTask }: RunContext,
): Promise<void> {
  const { rows, cols, k } = params;
  const turns = new Turns(signal);
  const collector = new Collector(params);
  let reported = 0;
  for (let row = 0; row < rows; row++) {
    let list: SelectList | undefined;
    for (let column = 0; column < cols; column += BLOCK) {
      const length = Math.min(BLOCK, cols - column);
      const next = collector.select(wordsOf(input, row * cols + column, length), column, list);
      list = list ? mergeSelected(list, next, k, params) : next;
      const done = row * cols + column + length;
      if (!turns.due && done < rows * cols) continue;
      onTask((done - reported) / (rows * cols), 0);
      reported = done;
      if (done < rows * cols) await turns.next();
    }
    wordsOf(values, row * k, k).set(list!.values);
    wordsOf(indices, row * k, k).set(list!.indices);
  }
}

class Collector {
  readonly #params: SelectParams;
  readonly #entries: Float64Array;

  constructor(params: SelectParams) {
    this.#params = params;
    this.#entries = new Float64Array(Math.min(params.cols, BLOCK, params.k + Math.max(params.k, SLACK)));
  }

  /** The first entries of a block whose first column is `column`; those that k of `before` precede may be missing. */
  select(words: Uint32Array, column: number, before: SelectList | undefined): SelectList {
    const entries = this.#entries;
    const { type, largest, k } = this.#params;
    const elements = elementsIn(type, words.buffer, words.byteOffset, words.length);
    let limit =
      before?.values.length === k ? selectKey(before.values[k - 1], this.#params) * BLOCK : Infinity;
    // What is beyond this value is beyond the limit; comparing values is cheaper than making entries.
    let beyond = before?.values.length === k ? valueOf(type, before.values[k - 1]) : NaN;
    let count = 0;
    for (let i = 0; i < words.length; i++) {
      if (largest ? elements[i] < beyond : elements[i] > beyond) continue;
      const entry = selectKey(words[i], this.#params) * BLOCK + i;
      if (entry >= limit) continue;
      if (count === entries.length) {
        limit = keepFirst(entries, count, k);
        beyond = elements[limit % BLOCK];
        count = k;
        if (entry >= limit) continue;
      }
      entries[count++] = entry;
    }
    const length = Math.min(k, count);
    if (count > length) keepFirst(entries, count, length);
    const first = entries.subarray(0, length).sort();
    const indices = Uint32Array.from(first, (entry) => entry % BLOCK);
    const list = { values: indices.map((at) => words[at]), indices };
    for (let i = 0; i < length; i++) indices[i] += column;
    return list;
  }
}

function valueOf(type: ElementType, bits: number): number {
  return elementsIn(type, Uint32Array.of(bits).buffer, 0, 1)[0];
}

let seed = 1;

/** Moves the k smallest of `count` entries to the front and returns the largest of them. Pivots are drawn, so that no input is slow. */
function keepFirst(entries: Float64Array, count: number, k: number): number {
  const at = k - 1;
  let [left, right] = [0, count - 1];
  while (left < right) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const pivot = entries[left + Math.floor((seed / 2 ** 32) * (right - left + 1))];
    let [i, j] = [left, right];
    while (i <= j) {
      while (entries[i] < pivot) i++;
      while (entries[j] > pivot) j--;
      if (i > j) break;
      const swapped = entries[i];
      entries[i++] = entries[j];
      entries[j--] = swapped;
    }
    if (at <= j) right = j;
    else if (at >= i) left = i;
    else break;
  }
  return entries[at];
}
