/**
 * These are the tasks that put the keys of a long row into buckets by the highest bits in which they differ:
 * to find those bits, to count the keys of each bucket, and to move them there. Who calls them is sort.ts.
 */
import { WINDOW, type ArrayWasm } from "../../../runtime/cpu/arrayWasm.ts";
import { wordsOf } from "../../../runtime/cpu/buffers.ts";
import { arrayTask } from "../../../runtime/cpu/task.ts";
import type { SortValues } from "../contract.ts";
import type { Kernels, Order, Place } from "./order.ts";

/** A part of a row: keys [begin, end). */
interface Part {
  readonly order: Order;
  readonly from: Place;
  readonly begin: number;
  readonly end: number;
}

/** The bits by which buckets are numbered. */
export interface Bucketing {
  readonly shift: number;
  readonly bits: number;
}

export type CountTask = Part & Bucketing;

export interface MoveTask extends CountTask {
  readonly values: SortValues;
  readonly to: Place;
  /** The places where the part's keys of each bucket go. */
  readonly starts: Uint32Array;
}

export const sortSpread = arrayTask("sort.spread", spreadTask);
export const sortCount = arrayTask("sort.count", countTask);
export const sortMove = arrayTask("sort.move", moveTask);

/** Returns the words of the ordinal of one key, and the bits in which others differ from it. */
function spreadTask(part: Part, wasm: ArrayWasm<Kernels>): Uint32Array {
  const { kernels, block, results, resultWords } = wasm;
  eachWindow(part, wasm, (count, at) =>
    kernels.sortSpread(block, count, ...part.order.arguments, results, at === part.begin),
  );
  return Uint32Array.from(resultWords.subarray(0, 4));
}

function countTask(task: CountTask, wasm: ArrayWasm<Kernels>): Uint32Array {
  const { kernels, block, rest } = wasm;
  const { order, shift, bits } = task;
  const counters = rest.words.subarray(0, 1 << bits).fill(0);
  eachWindow(task, wasm, (count) =>
    kernels.sortCount(block, count, ...order.arguments, shift, bits, rest.at),
  );
  return counters.slice();
}

function moveTask(task: MoveTask, wasm: ArrayWasm<Kernels>): void {
  const { kernels, block, words, results, resultWords: digits } = wasm;
  const { order, shift, bits, values, from, to } = task;
  const next = task.starts.slice();
  const length = task.end - task.begin;
  const given = values === "given" ? wordsOf(from.values!, task.begin, length) : undefined;
  const [keys, carried] = [wordsFrom(to.keys), values === "none" ? undefined : wordsFrom(to.values!)];
  eachWindow(task, wasm, (count, at) => {
    kernels.sortDigits(block, count, ...order.arguments, shift, bits, results);
    if (order.words === 1 && !carried) {
      for (let i = 0; i < count; i++) keys[next[digits[i]]++] = words[i];
      return;
    }
    for (let i = 0; i < count; i++) {
      const place = next[digits[i]]++;
      if (order.words === 1) keys[place] = words[i];
      else {
        keys[2 * place] = words[2 * i];
        keys[2 * place + 1] = words[2 * i + 1];
      }
      if (carried) carried[place] = given ? given[at - task.begin + i] : at + i;
    }
  });
}

/** Views all words from an address on. */
function wordsFrom({ buffer, byteOffset }: Place["keys"]): Uint32Array {
  return new Uint32Array(buffer, byteOffset, Math.floor((buffer.byteLength - byteOffset) / 4));
}

/** Calls `work` for each window of keys, once it is copied to the block. */
function eachWindow(
  { order, from, begin, end }: Part,
  { words: block }: ArrayWasm<Kernels>,
  work: (count: number, at: number) => void,
): void {
  const { words } = order;
  const step = WINDOW / words;
  const all = wordsOf(from.keys, begin * words, (end - begin) * words);
  for (let at = begin; at < end; at += step) {
    const count = Math.min(step, end - at);
    block.set(all.subarray((at - begin) * words, (at - begin + count) * words));
    work(count, at);
  }
}
