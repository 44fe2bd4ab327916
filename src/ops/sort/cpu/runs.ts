/**
 * This module sorts runs of keys that fit the WASM module's memory, each for itself. A run is a row of a
 * matrix, or a bucket that buckets.ts made of a long row. Runs that follow each other are copied in together,
 * sorted by one digit after the other, the lowest first, and copied out.
 */
import { copyIn, type ArrayWasm } from "../../../runtime/cpu/arrayWasm.ts";
import { wordsOf } from "../../../runtime/cpu/buffers.ts";
import { arrayTask } from "../../../runtime/cpu/task.ts";
import { cutDigits, maskOf, type Digit, type SortValues } from "../contract.ts";
import {
  areaOf,
  COUNTER_BYTES,
  MOST_BITS,
  roomsIn,
  skewed,
  type SortKernels,
  type KeyOrder,
  type Addresses,
  type Rooms,
} from "./order.ts";

/** Runs that lie one behind the other, each of at most `roomSize` keys; `from` and `to` may be the same. */
export interface RunsTask {
  readonly order: KeyOrder;
  readonly values: SortValues;
  readonly from: Addresses;
  readonly to: Addresses;
  /** Runs begin at these places, and the last one ends at the last. */
  readonly bounds: Uint32Array;
}

/** Insertion is quicker than counting up to so many keys. */
const FEW = 24;
/** From so many keys on, the counters of wide digits cost less than a pass more. */
const MANY = 8192;
const NARROW_BITS = 8;

export const sortRuns = arrayTask("sort.runs", sortRunsTask);

function sortRunsTask(task: RunsTask, wasm: ArrayWasm<SortKernels>): void {
  const { order, values, bounds, from, to } = task;
  const unskewed = roomsIn(wasm, order.words, values !== "none");
  const place: Addresses = { keys: from.keys, values: from.values ?? to.values };
  const narrow = cutDigits(order.begin, order.end, NARROW_BITS);
  const wide = cutDigits(order.begin, order.end, MOST_BITS);
  const last = bounds.length - 1;
  for (let first = 0, next = 1; first < last; first = next, next = first + 1) {
    while (next < last && bounds[next + 1] - bounds[first] <= unskewed.size) next++;
    const begin = bounds[first];
    const rooms = skewed(unskewed, place, begin, order.words);
    moveIn(task, begin, bounds[next], wasm, rooms);
    for (let run = first; run < next; run++) {
      const [at, count] = [bounds[run] - begin, bounds[run + 1] - bounds[run]];
      if (values === "indices") areaOf(wasm, rooms.values[0] + at * 4, count).forEach(numbered);
      sortRun(order, at, count, count >= MANY ? wide : narrow, wasm, rooms);
    }
    moveOut(task, begin, bounds[next], wasm, rooms);
  }
}

function numbered(_: number, at: number, words: Uint32Array): void {
  words[at] = at;
}

/** Sorts `count` keys from number `at` of the first room on, which the second one helps with. */
function sortRun(
  order: KeyOrder,
  at: number,
  count: number,
  digits: readonly Digit[],
  wasm: ArrayWasm<SortKernels>,
  rooms: Rooms,
): void {
  if (count < 2) return;
  const { kernels, rest } = wasm;
  const bytes = 4 * order.words;
  const keys = rooms.keys.map((room) => room + at * bytes);
  const values = rooms.values.map((room) => (room === 0 ? 0 : room + at * 4));
  if (count <= FEW)
    return kernels.sortFew(keys[0], values[0], count, ...order.arguments, ...maskOf(order.begin, order.end));
  let [here, there] = [0, 1];
  const move = ({ word, shift, bits }: Digit, counters: number): void => {
    if (!kernels.sortPlaces(count, bits, counters)) return;
    const digit = [32 * word + shift, bits, counters] as const;
    const [from, to] = [values[here], values[there]];
    kernels.sortMove(keys[here], keys[there], from, to, count, ...order.arguments, ...digit);
    [here, there] = [there, here];
  };
  for (let at = 0; at < digits.length; at += 2) {
    const pair = digits.slice(at, at + 2);
    const counted = pair.map(({ word, shift, bits }, second) => {
      return [32 * word + shift, bits, rooms.counters + second * (COUNTER_BYTES / 2)] as const;
    });
    for (const [, bits, counters] of counted) areaOf(wasm, counters, 1 << bits).fill(0);
    const [one, other] = counted;
    if (other) kernels.sortCountTwo(keys[here], count, ...order.arguments, ...one, ...other);
    else kernels.sortCount(keys[here], count, ...order.arguments, ...one);
    pair.forEach((digit, second) => move(digit, counted[second][2]));
  }
  if (here === 0) return;
  const back = (places: readonly number[], words: number) => {
    const [to, from] = places.map((place) => (place - rest.at) / 4);
    rest.words.copyWithin(to, from, from + words);
  };
  back(keys, count * order.words);
  if (values[0] !== 0) back(values, count);
}

/** Copies in what a run, or a part of a row, has from key `begin` on, and numbers keys without values. */
export function moveIn(
  task: Pick<RunsTask, "order" | "values" | "from">,
  begin: number,
  end: number,
  wasm: ArrayWasm<SortKernels>,
  rooms: Rooms,
): void {
  const { order, values, from } = task;
  const { words } = order;
  const count = end - begin;
  copyIn(areaOf(wasm, rooms.keys[0], count * words), wordsOf(from.keys, begin * words, count * words));
  if (values === "given") copyIn(areaOf(wasm, rooms.values[0], count), wordsOf(from.values!, begin, count));
}

function moveOut(
  task: RunsTask,
  begin: number,
  end: number,
  wasm: ArrayWasm<SortKernels>,
  rooms: Rooms,
): void {
  const { order, values, to } = task;
  const { words } = order;
  const count = end - begin;
  copyIn(wordsOf(to.keys, begin * words, count * words), areaOf(wasm, rooms.keys[0], count * words));
  if (values !== "none") copyIn(wordsOf(to.values!, begin, count), areaOf(wasm, rooms.values[0], count));
}
