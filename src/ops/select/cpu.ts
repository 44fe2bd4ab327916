/**
 * `select` on the CPU, in JavaScript, in shares (runtime/cpu/shares.ts): entries that come before the k-th
 * one found so far are collected; when there is no more room, all but the first k are dropped. The contract
 * is ops/select/contract.ts.
 *
 * An entry is one float64, key * BLOCK + column, exact for blocks of 2^21 columns; longer rows are merged
 * block by block.
 */
import { addressAt, wordsOf, type Address } from "../../runtime/cpu/buffers.ts";
import { elementsIn, type ElementType } from "../../runtime/element.ts";
import type { SelectBinding, SelectParams } from "./contract.ts";
import { mergeSelected, selectKey, type SelectList } from "./keys.ts";
import { Yielder } from "../../core/async/yielding.ts";
import { addressesOf, type CpuContext, type CpuKernel } from "../../runtime/cpu/kernel.ts";
import { arrayHandler, arrayTask } from "../../runtime/cpu/task.ts";
import { cutRows, mayShare, shareOut } from "../../runtime/cpu/shares.ts";

/** The columns of a block; an entry has 32 + 21 bits. */
const BLOCK = 2 ** 21;
/** The fewest entries collected beyond the first k before all others are dropped. */
const SLACK = 256;

/** It is a share of the input: some rows, or columns of one row, as a matrix of its own. */
export interface SelectTask {
  readonly params: SelectParams;
  readonly input: Address;
}

/** The most entries of a share, unless those of one row are more. */
const MOST_ENTRIES = 2 ** 20;
/**
 * A share of a row has at least so many columns for each entry that it selects. A share begins without a
 * limit, so that finding and sorting an entry costs 0.7 us and reading a column 3 ns.
 */
const COLUMNS_PER_ENTRY = 256;

export const onCpu: CpuKernel<SelectParams, SelectBinding> = {
  run: (params, buffers, context) => select(params, addressesOf(buffers), context),
};

async function select(
  params: SelectParams,
  { input, values, indices }: Readonly<Record<SelectBinding, Address>>,
  context: CpuContext,
): Promise<void> {
  const { rows, cols, k } = params;
  const isDivisible = rows > 1 || cols > COLUMNS_PER_ENTRY * k;
  const workers = isDivisible && mayShare(rows * cols, [input], context);
  const selectRows = workers ? selectShares : selectHere;
  await selectRows(params, input, context, (row, list) => {
    wordsOf(values, row * k, list.values.length).set(list.values);
    wordsOf(indices, row * k, list.indices.length).set(list.indices);
  });
}

/** Takes the lists of some rows, one after the other. */
type TakeLists = (row: number, lists: SelectList) => void;

/** Selects on the main thread, where what a row's blocks have found limits what its next block collects. */
async function selectHere(
  params: SelectParams,
  input: Address,
  { signal, onTask }: CpuContext,
  take: TakeLists,
): Promise<void> {
  const { rows, cols } = params;
  const yielder = new Yielder(signal);
  const collector = new Collector(params);
  let reported = 0;
  for (let row = 0; row < rows; row++) {
    let list: SelectList = NOTHING;
    for (let column = 0; column < cols; column += BLOCK) {
      list = collector.next(input, row, column, list);
      const done = row * cols + Math.min(column + BLOCK, cols);
      if (!yielder.due && done < rows * cols) continue;
      onTask((done - reported) / (rows * cols), 0);
      reported = done;
      if (done < rows * cols) await yielder.next();
    }
    take(row, list);
  }
}

async function selectShares(
  params: SelectParams,
  input: Address,
  context: CpuContext,
  take: TakeLists,
): Promise<void> {
  const { cols, k } = params;
  const shares = cutRows(params, COLUMNS_PER_ENTRY * k, Math.floor(MOST_ENTRIES / k), true, context);
  const requests = shares.map(({ row, rows, column, cols: width }): SelectTask => {
    const part = { ...params, rows, cols: width, k: Math.min(k, width) };
    return { params: part, input: addressAt(input, row * cols + column) };
  });
  const work = { task: selectShare, requests };
  /** Parts of rows have these lists. */
  const lists: SelectList[] = [];
  await shareOut(work, context, (list, share) => {
    if (shares[share].cols === cols) take(shares[share].row, list);
    else lists[share] = list;
  });
  if (lists.length === 0) return;
  const yielder = new Yielder(context.signal);
  let all: SelectList = NOTHING;
  for (const [share, { row, column, cols: width }] of shares.entries()) {
    if (yielder.due) await yielder.next();
    const { values, indices } = lists[share];
    const list = { values, indices: indices.map((at) => at + column) };
    all = column === 0 ? list : mergeSelected(all, list, k, params);
    if (column + width === cols) take(row, all);
  }
}

/** Returns the lists of all rows, one after the other. */
function selectTask({ params, input }: SelectTask): SelectList {
  const { rows, cols, k } = params;
  const all = { values: new Uint32Array(rows * k), indices: new Uint32Array(rows * k) };
  const collector = new Collector(params);
  for (let row = 0; row < rows; row++) {
    let list: SelectList = NOTHING;
    for (let column = 0; column < cols; column += BLOCK) list = collector.next(input, row, column, list);
    all.values.set(list.values, row * k);
    all.indices.set(list.indices, row * k);
  }
  return all;
}

const NOTHING: SelectList = { values: new Uint32Array(0), indices: new Uint32Array(0) };

class Collector {
  readonly #params: SelectParams;
  readonly #entries: Float64Array;

  constructor(params: SelectParams) {
    this.#params = params;
    this.#entries = new Float64Array(Math.min(params.cols, BLOCK, params.k + Math.max(params.k, SLACK)));
  }

  /**
   * Returns the list of a row up to the end of the block that begins at `column`, from `before`, its list
   * before that.
   */
  next(input: Address, row: number, column: number, before: SelectList): SelectList {
    const { cols, k } = this.#params;
    const words = wordsOf(input, row * cols + column, Math.min(BLOCK, cols - column));
    const list = this.#select(words, column, before);
    return column === 0 ? list : mergeSelected(before, list, k, this.#params);
  }

  /** Returns the first entries of a block; those that k of `before` precede may be missing. */
  #select(words: Uint32Array, column: number, before: SelectList): SelectList {
    const entries = this.#entries;
    const { type, largest, k } = this.#params;
    const elements = elementsIn(type, words.buffer, words.byteOffset, words.length);
    const isFull = before.values.length === k;
    let limit = isFull ? selectKey(before.values[k - 1], this.#params) * BLOCK : Infinity;
    // A value beyond this one is beyond the limit; comparing values is cheaper than making entries.
    let beyond = isFull ? valueOf(type, before.values[k - 1]) : NaN;
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

/**
 * Moves the k smallest of `count` entries to the front and returns the largest of them. Pivots are drawn at
 * random, so that no input is slow.
 */
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

const selectShare = arrayTask("select", selectTask);

export const handlers = [arrayHandler(selectShare)];
