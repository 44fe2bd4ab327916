/**
 * These are the tasks that put the keys of a long row into buckets by the highest bits in which they differ:
 * to find those bits, to count the keys of each bucket, and to move them there. Who calls them is sort.ts.
 */
import { WINDOW, type Area, type ArrayWasm } from "../../../runtime/cpu/arrayWasm.ts";
import { wordsOf } from "../../../runtime/cpu/buffers.ts";
import { arrayTask } from "../../../runtime/cpu/task.ts";
import type { SortValues } from "../contract.ts";
import {
  areaOf,
  roomSize,
  roomsIn,
  skewed,
  skewOf,
  type Addresses,
  type SortKernels,
  type KeyOrder,
} from "./order.ts";
import { moveIn } from "./runs.ts";

/** This is a part of a row: keys [begin, end). */
export interface KeyPart {
  readonly order: KeyOrder;
  readonly from: Addresses;
  readonly begin: number;
  readonly end: number;
}

/** Buckets are numbered by these bits. */
export interface Bucketing {
  readonly shift: number;
  readonly bits: number;
  /** So many keys are moved at a time. */
  readonly chunk: number;
}

export type CountTask = KeyPart & Bucketing;

export interface MoveTask extends CountTask {
  readonly values: SortValues;
  readonly to: Addresses;
  /** Each chunk has so many keys of each bucket, and moves them from these places on: [chunks][buckets]. */
  readonly counts: Uint32Array;
  readonly starts: Uint32Array;
}

export const sortSpread = arrayTask("sort.spread", spreadTask);
export const sortCount = arrayTask("sort.count", countTask);
export const sortMove = arrayTask("sort.move", moveTask);

/** Returns the words of the ordinal of one key, and the bits in which others differ from it. */
function spreadTask(part: KeyPart, wasm: ArrayWasm<SortKernels>): Uint32Array {
  const { kernels, block, results, resultWords } = wasm;
  eachWindow(part, wasm, (count, at) =>
    kernels.sortSpread(block, count, ...part.order.arguments, results, at === part.begin),
  );
  return Uint32Array.from(resultWords.subarray(0, 4));
}

/** Returns how many keys of each bucket each chunk has: [chunks][buckets]. */
function countTask(task: CountTask, wasm: ArrayWasm<SortKernels>): Uint32Array {
  const { kernels, block, rest } = wasm;
  const { order, shift, bits, chunk } = task;
  const counters = rest.words.subarray(0, 1 << bits);
  const counts = new Uint32Array(Math.ceil((task.end - task.begin) / chunk) * counters.length);
  for (let begin = task.begin, at = 0; begin < task.end; begin += chunk, at += counters.length) {
    counters.fill(0);
    eachWindow({ ...task, begin, end: Math.min(begin + chunk, task.end) }, wasm, (count) =>
      kernels.sortCount(block, count, ...order.arguments, shift, bits, rest.at),
    );
    counts.set(counters, at);
  }
  return counts;
}

/** Returns how many keys can be moved at a time: between buckets there is room for a word, see moveTask. */
export function chunkSize({ words }: KeyOrder, bits: number, values: SortValues): number {
  return roomSize(words, values !== "none") - (1 << bits);
}

/** Puts the keys of a part into its buckets in the module's memory, a chunk at a time, then copies them. */
function moveTask(task: MoveTask, wasm: ArrayWasm<SortKernels>): void {
  const { kernels, rest } = wasm;
  const { order, shift, bits, chunk, values, from, to } = task;
  const { words } = order;
  const unskewed = roomsIn(wasm, words, values !== "none");
  const source: Addresses = { keys: from.keys, values: from.values ?? to.values };
  const buckets = 1 << bits;
  const begins = new Uint32Array(buckets);
  const counters = rest.words.subarray(0, buckets);
  const keys = wordsFrom(to.keys);
  const room = unskewed.keys[1] + skewOf(to.keys, 0);
  const carried = values === "none" ? undefined : wordsFrom(to.values!);
  const beside = carried ? unskewed.values[1] + skewOf(to.values!, 0) : 0;
  for (let at = task.begin, first = 0; at < task.end; at += chunk, first += buckets) {
    const count = Math.min(chunk, task.end - at);
    const rooms = skewed(unskewed, source, at, words);
    moveIn(task, at, at + count, wasm, rooms);
    if (values === "indices") {
      const places = areaOf(wasm, rooms.values[0], count);
      for (let i = 0; i < count; i++) places[i] = at + i;
    }
    const [counts, starts] = [task.counts, task.starts].map((all) => all.subarray(first, first + buckets));
    for (let bucket = 0, place = 0; bucket < buckets; bucket++) {
      // Each bucket lies in words of 64 bits as it does where it goes.
      place += (place ^ starts[bucket]) & 1;
      counters[bucket] = begins[bucket] = place;
      place += counts[bucket];
    }
    const digit = [shift, bits, rooms.counters] as const;
    kernels.sortMove(rooms.keys[0], room, rooms.values[0], beside, count, ...order.arguments, ...digit);
    for (let bucket = 0; bucket < buckets; bucket++) {
      const [own, begin, to] = [counts[bucket], begins[bucket], starts[bucket]];
      if (own === 0) continue;
      copyOut(keys, to * words, rest, room + 4 * begin * words, own * words);
      if (carried) copyOut(carried, to, rest, beside + 4 * begin, own);
    }
  }
}

/** A loop takes less time than a copy up to so many words. */
const FEW_WORDS = 16;

function copyOut(target: Uint32Array, to: number, { at, words }: Area, from: number, count: number): void {
  const first = (from - at) / 4;
  if (count > FEW_WORDS) target.set(words.subarray(first, first + count), to);
  else for (let i = 0; i < count; i++) target[to + i] = words[first + i];
}

/** Views all words from an address on. */
function wordsFrom({ buffer, byteOffset }: Addresses["keys"]): Uint32Array {
  return new Uint32Array(buffer, byteOffset, Math.floor((buffer.byteLength - byteOffset) / 4));
}

/** Calls `work` for each window of keys, once it is copied to the block. */
function eachWindow(
  { order, from, begin, end }: KeyPart,
  { words: block }: ArrayWasm<SortKernels>,
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
