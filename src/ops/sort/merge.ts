/**
 * This module merges the sorted runs of a row that was too long for a GPU, with what keys carry: two runs at
 * a time, from one array to another. Threads of the device share long ones; the calling thread does others,
 * and what threads did not bring to an end. The merging itself is cpu/merge.ts.
 */
import { OutOfMemoryError } from "../../core/errors.ts";
import { settleAll } from "../../core/async/settleAll.ts";
import { Yielder } from "../../core/async/yielding.ts";
import { canShare } from "../../runtime/cpu/buffers.ts";
import { cutElements } from "../../runtime/cpu/shares.ts";
import { arrayTuning } from "../../runtime/cpu/tuning.ts";
import type { Workers } from "../../runtime/cpu/workers.ts";
import type { Device } from "../../runtime/device.ts";
import type { SortParams } from "./contract.ts";
import { mergePart, sortMerge, type MergeTask } from "./cpu/merge.ts";
import { orderOf, type KeyOrder } from "./cpu/order.ts";

/** These are keys as words, and what they carry. */
export interface CarriedValues {
  readonly keys: Uint32Array;
  readonly values: Uint32Array | undefined;
}

/** So many keys lie between two looks at the clock. */
const STRETCH = 65_536;

interface MergeOptions {
  /** Threads that are started stay with the device. */
  readonly keeps: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Merges runs where they lie.
 * @param bounds where they begin, and where the last one ends, ascending
 * @throws OutOfMemoryError where the host has no room for a copy of them; the signal's reason
 */
export async function mergeRuns(
  device: Pick<Device, "withWorkers">,
  params: SortParams,
  all: CarriedValues,
  bounds: readonly number[],
  { keeps, signal = new AbortController().signal }: MergeOptions,
): Promise<void> {
  const passes = new Passes(orderOf(params), all, bounds);
  const { sharedElements, startElements } = arrayTuning;
  const least = keeps ? sharedElements : startElements;
  await device.withWorkers(
    (threads) => threads > 1 && canShare() && passes.count >= least,
    async (workers) => {
      passes.share();
      for (; !passes.isDone; passes.turn()) await mergeByThreads(passes.merges(), workers, signal);
      return true;
    },
  );
  for (; !passes.isDone; passes.turn()) await mergeHere(passes.merges(), new Yielder(signal));
  passes.end();
}

/** Makes the passes over all runs, each of which halves their number, between two pairs of arrays. */
class Passes {
  readonly count: number;
  readonly #order: KeyOrder;
  readonly #target: CarriedValues;
  #bounds: readonly number[];
  #from: CarriedValues;
  #to: CarriedValues | undefined;

  constructor(order: KeyOrder, { keys, values }: CarriedValues, bounds: readonly number[]) {
    const [begin, end] = [bounds[0], bounds[bounds.length - 1]];
    this.count = end - begin;
    this.#order = order;
    this.#target = {
      keys: keys.subarray(begin * order.words, end * order.words),
      values: values?.subarray(begin, end),
    };
    this.#bounds = bounds.map((bound) => bound - begin);
    this.#from = this.#target;
  }

  get isDone(): boolean {
    return this.#bounds.length < 3;
  }

  /** Moves the keys to memory that threads see; without room for it nothing changes. */
  share(): void {
    if (isShared(this.#from)) return;
    const from = copyOf(this.#from, true);
    this.#to = copyOf(from, true);
    this.#from = from;
  }

  /** Returns the merges of the next pass, which only reads one place and only writes the other. */
  merges(): MergeTask[] {
    this.#to ??= copyOf(this.#from, isShared(this.#from));
    const [from, to, bounds] = [placeOf(this.#from), placeOf(this.#to), this.#bounds];
    const merges: MergeTask[] = [];
    for (let run = 0; run + 1 < bounds.length; run += 2) {
      const [first, middle] = [bounds[run], bounds[run + 1]];
      const last = bounds[run + 2] ?? middle;
      merges.push({ order: this.#order, from, to, first, middle, last, begin: first, end: last });
    }
    return merges;
  }

  /** Goes on to the next pass. */
  turn(): void {
    this.#bounds = this.#bounds.filter((_, run) => run % 2 === 0 || run === this.#bounds.length - 1);
    [this.#from, this.#to] = [this.#to!, this.#from];
  }

  /** Writes the keys back to where they were, unless they are there. */
  end(): void {
    if (this.#from === this.#target) return;
    this.#target.keys.set(this.#from.keys);
    this.#target.values?.set(this.#from.values!);
  }
}

function isShared({ keys, values = keys }: CarriedValues): boolean {
  return [keys, values].every(({ buffer }) => buffer instanceof SharedArrayBuffer);
}

/** Returns a copy of words, where there is room for it. */
function copyOf({ keys, values }: CarriedValues, shared: boolean): CarriedValues {
  const copy = (words: Uint32Array): Uint32Array => {
    const { byteLength: bytes } = words;
    try {
      const copied = new Uint32Array(shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
      copied.set(words);
      return copied;
    } catch (error) {
      throw new OutOfMemoryError(
        `merging sorted runs takes a copy of ${bytes} bytes, for which the host has no room; sort fewer keys at a time, or ` +
          "raise deviceMemory if the device has more",
        bytes,
        error,
      );
    }
  };
  return { keys: copy(keys), values: values && copy(values) };
}

function placeOf({ keys, values }: CarriedValues): MergeTask["from"] {
  const addressOf = ({ buffer, byteOffset }: Uint32Array) => ({ buffer, byteOffset });
  return { keys: addressOf(keys), values: values && addressOf(values) };
}

/** Has threads merge; a part that none takes is merged here. */
async function mergeByThreads(
  merges: readonly MergeTask[],
  { pool, threads, tuning }: Workers,
  signal: AbortSignal,
): Promise<void> {
  const parts = merges.flatMap((merge) =>
    cutElements(merge.last - merge.first, 1, { threads, tuning }).map(([begin, end]) => {
      return { ...merge, begin: merge.first + begin, end: merge.first + end };
    }),
  );
  const yielder = new Yielder(signal);
  let next = 0;
  // Two for each thread, so that the next part is there when one has ended.
  const lane = async (failed: AbortSignal): Promise<void> => {
    for (let part = parts[next++]; part; part = parts[next++]) {
      const request = part;
      const taken = await pool.offer(sortMerge, () => ({ request }), signal, failed);
      if (!taken) await mergeHere([request], yielder);
    }
  };
  await settleAll(
    Array.from({ length: 2 * threads }, () => lane),
    signal,
  );
}

async function mergeHere(merges: readonly MergeTask[], yielder: Yielder): Promise<void> {
  for (const merge of merges) {
    for (let begin = merge.begin; begin < merge.end; begin += STRETCH) {
      if (yielder.due) await yielder.next();
      mergePart({ ...merge, begin, end: Math.min(begin + STRETCH, merge.end) });
    }
  }
}
