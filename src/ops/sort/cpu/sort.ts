/**
 * This module sorts on the CPU. Rows that fit the WASM module's memory are sorted there (runs.ts). The keys
 * of a longer one are first put into buckets by the highest bits in which any two differ (buckets.ts), so
 * that each bucket fits; one that does not, because keys are spread unevenly, is sorted in the same way. The
 * main thread does it, or workers where the arrays are in shared memory. The contract is
 * ops/sort/contract.ts.
 */
import { clamp } from "../../../core/math.ts";
import { addressAt, wordsOf, type Address } from "../../../runtime/cpu/buffers.ts";
import { addressesOf, type CpuContext, type CpuKernel } from "../../../runtime/cpu/kernel.ts";
import { cutElements, doHere, mayShare, shareOut, type Work } from "../../../runtime/cpu/shares.ts";
import { arrayHandler } from "../../../runtime/cpu/task.ts";
import { maskOf, rowBegin, type SortBinding, type SortParams, type SortValues } from "../contract.ts";
import { chunkSize, sortCount, sortMove, sortSpread, type Bucketing, type KeyPart } from "./buckets.ts";
import { mergeHandler } from "./merge.ts";
import { MOST_BITS, orderOf, roomSize, type Addresses, type KeyOrder } from "./order.ts";
import { sortRuns } from "./runs.ts";

export const onCpu: CpuKernel<SortParams, SortBinding> = {
  run: (params, buffers, context) => sortRows(params, addressesOf(buffers), context),
};

/** A share of the main thread has so many keys, which take a few milliseconds. */
const LOCAL_SHARE = 2 ** 20;
/** So many keys of a row are looked at first. */
const SAMPLE = 2 ** 10;
/** Keys that a bucket should have. */
const BUCKET = 2 ** 14;

async function sortRows(
  params: SortParams,
  { keys, values, sortedKeys, sortedValues }: Readonly<Record<SortBinding, Address>>,
  context: CpuContext,
): Promise<void> {
  const { count, rows } = params;
  if (count === 0) return context.onTask(1, 0);
  const order = orderOf(params);
  const carries = params.values !== "none";
  const from: Addresses = { keys, values: params.values === "given" ? values : undefined };
  const to: Addresses = { keys: sortedKeys, values: carries ? sortedValues : undefined };
  const places = [keys, sortedKeys, ...(carries ? [sortedValues] : []), ...(from.values ? [values] : [])];
  const sorter = new Sorter(context, mayShare(count, places, context));
  const most = roomSize(order.words, carries);
  let short: number[] = [];
  const sortShort = async () => {
    const bounds = Uint32Array.from(short);
    short = [];
    const portion = (bounds[bounds.length - 1] - bounds[0]) / count;
    if (bounds.length > 1) await sorter.runs({ order, values: params.values, from, to, bounds }, portion);
  };
  for (let row = 0; row < rows; row++) {
    const [begin, end] = [rowBegin(params, row), rowBegin(params, row + 1)];
    if (end - begin <= most) {
      if (short.length === 0) short.push(begin);
      short.push(end);
      continue;
    }
    await sortShort();
    const [own, sorted] = [addressesAt(from, begin, order), addressesAt(to, begin, order)];
    const long = { order, values: params.values, from: own, to: sorted, count: end - begin };
    await sorter.long(long, long.count / count);
  }
  await sortShort();
}

function addressesAt({ keys, values }: Addresses, at: number, { words }: KeyOrder): Addresses {
  return { keys: addressAt(keys, at * words), values: values && addressAt(values, at) };
}

/** It holds keys to be sorted from one place to another. */
interface KeyRow {
  readonly order: KeyOrder;
  readonly values: SortValues;
  readonly from: Addresses;
  readonly to: Addresses;
  readonly count: number;
}

type KeyRuns = Omit<KeyRow, "count"> & { readonly bounds: Uint32Array };

/** Finding the bits, counting, moving and the runs take these parts of the time. */
const PORTIONS = { spread: 0.1, count: 0.15, move: 0.3, runs: 0.45 };

/** Sorts with one thread or several. `portion` is the part of the step that a call does. */
class Sorter {
  readonly #context: CpuContext;
  readonly #workers: boolean;

  constructor(context: CpuContext, workers: boolean) {
    this.#context = context;
    this.#workers = workers;
  }

  async long(row: KeyRow, portion: number): Promise<void> {
    const { order, values, from, to, count } = row;
    const parts = this.#cut(count);
    const requests = parts.map(([begin, end]) => ({ order, from, begin, end }));
    const spread = new BitSpread(order);
    const look = (requests: readonly KeyPart[], portion: number) =>
      this.#do({ task: sortSpread, requests, portion }, (found) => spread.add(found));
    await look([{ order, from, begin: 0, end: Math.min(SAMPLE, count) }], 0);
    // Some keys may say already that the highest bit is one of those in which keys differ.
    if (spread.top === order.end - 1) this.#context.onTask(portion * PORTIONS.spread, 0);
    else await look(requests, portion * PORTIONS.spread);
    const { shift, bits } = bucketing(spread.top, order.begin, count);
    const buckets: Bucketing = { shift, bits, chunk: chunkSize(order, bits, values) };
    const counting = { ...buckets, portion: portion * PORTIONS.count };
    const counts = await this.#counts(requests, counting);
    const { starts, bounds } = placesOf(counts, 1 << buckets.bits);
    const moves = requests.map((request, part) => ({
      ...request,
      ...buckets,
      values,
      to,
      counts: counts[part],
      starts: starts[part],
    }));
    await this.#do({ task: sortMove, requests: moves, writes: true, portion: portion * PORTIONS.move });
    const rest: KeyRow = {
      order: { ...order, end: buckets.shift },
      values: values === "none" ? "none" : "given",
      from: to,
      to,
      count,
    };
    await this.#buckets(rest, bounds, portion * PORTIONS.runs);
  }

  /** Sorts runs that fit the module's memory. */
  async runs({ bounds, ...runs }: KeyRuns, portion: number): Promise<void> {
    const last = bounds.length - 1;
    const [begin, end] = [bounds[0], bounds[last]];
    const requests: KeyRuns[] = [];
    let first = 0;
    for (const [, stop] of this.#cut(end - begin)) {
      let next = first;
      while (next < last && bounds[next + 1] - begin <= stop) next++;
      if (next > first) requests.push({ ...runs, bounds: bounds.slice(first, next + 1) });
      first = next;
    }
    await this.#do({ task: sortRuns, requests, writes: true, portion });
  }

  async #counts(
    requests: readonly KeyPart[],
    { portion, ...buckets }: Bucketing & { readonly portion: number },
  ): Promise<Uint32Array[]> {
    const counts: Uint32Array[] = [];
    const counting = requests.map((request) => ({ ...request, ...buckets }));
    await this.#do({ task: sortCount, requests: counting, portion }, (found, part) => (counts[part] = found));
    return counts;
  }

  /** Sorts each bucket by the bits that are left: those that fit the module's memory, then the others. */
  async #buckets(row: KeyRow, bounds: Uint32Array, portion: number): Promise<void> {
    const { order, values, count } = row;
    const { onTask } = this.#context;
    if (order.begin >= order.end) return onTask(portion, 0);
    const most = roomSize(order.words, values !== "none");
    const large: [begin: number, end: number][] = [];
    let first = 0;
    const sortSome = async (next: number) => {
      const some = bounds.subarray(first, next + 1);
      if (next > first)
        await this.runs({ ...row, bounds: some }, (portion * (some[some.length - 1] - some[0])) / count);
    };
    for (let bucket = 0; bucket + 1 < bounds.length; bucket++) {
      if (bounds[bucket + 1] - bounds[bucket] <= most) continue;
      await sortSome(bucket);
      first = bucket + 1;
      large.push([bounds[bucket], bounds[bucket + 1]]);
    }
    await sortSome(bounds.length - 1);
    for (const [begin, end] of large) {
      await this.#large(
        { ...row, to: addressesAt(row.to, begin, order), count: end - begin },
        (portion * (end - begin)) / count,
      );
    }
  }

  /** Sorts a bucket too large for the module's memory where it lies, by way of a copy. */
  async #large({ order, values, to, count }: KeyRow, portion: number): Promise<void> {
    const { space } = this.#context;
    const specs = [
      { name: "keys", bytes: count * order.words * 4 },
      { name: "values", bytes: values === "none" ? 0 : count * 4 },
    ];
    const copies = space.allocate(specs);
    try {
      const copyOf = (name: "keys" | "values", words: number): Address => {
        const { address } = copies.get(name)!;
        wordsOf(address, 0, words).set(wordsOf(to[name]!, 0, words));
        return address;
      };
      const from: Addresses = {
        keys: copyOf("keys", count * order.words),
        values: values === "none" ? undefined : copyOf("values", count),
      };
      await this.long({ order, values, from, to, count }, portion);
    } finally {
      space.release(copies);
    }
  }

  #cut(count: number): (readonly [begin: number, end: number])[] {
    if (this.#workers) return cutElements(count, 1, this.#context);
    const parts = Math.ceil(count / LOCAL_SHARE);
    return Array.from({ length: parts }, (_, i) => [i * LOCAL_SHARE, Math.min((i + 1) * LOCAL_SHARE, count)]);
  }

  #do<Request, Result, Kernels>(
    work: Work<Request, Result, Kernels>,
    take: (result: Result, share: number) => void = () => {},
  ): Promise<void> {
    return (this.#workers ? shareOut : doHere)(work, this.#context, take);
  }
}

/** Collects the bits in which ordinals of several parts differ. */
class BitSpread {
  readonly #mask: readonly [number, number];
  #first: Uint32Array | undefined;
  #bits: [number, number] = [0, 0];

  constructor(order: KeyOrder) {
    this.#mask = maskOf(order.begin, order.end);
  }

  /** Adds what a part has: the words of one ordinal, and the bits in which the others differ from it. */
  add(found: Uint32Array): void {
    this.#first ??= found;
    for (const word of [0, 1]) this.#bits[word] |= found[2 + word] | (found[word] ^ this.#first[word]);
  }

  /** Returns the highest of those that count; -1 if there is none. */
  get top(): number {
    const [low, high] = this.#bits.map((bits, word) => bits & this.#mask[word]);
    return high !== 0 ? 63 - Math.clz32(high) : 31 - Math.clz32(low);
  }
}

/**
 * Returns bits below `top`, as many as make buckets of the right size; keys that are alike have one bucket.
 */
function bucketing(top: number, begin: number, count: number): Pick<Bucketing, "shift" | "bits"> {
  if (top < 0) return { shift: begin, bits: 0 };
  const bits = clamp(Math.ceil(Math.log2(count / BUCKET)), 1, Math.min(MOST_BITS, top - begin + 1));
  return { shift: top - bits + 1, bits };
}

/** Returns where each chunk's keys of each bucket go, as the counts are, and where buckets begin. */
function placesOf(
  counts: readonly Uint32Array[],
  buckets: number,
): { readonly starts: Uint32Array[]; readonly bounds: Uint32Array } {
  const starts = counts.map(({ length }) => new Uint32Array(length));
  const bounds = new Uint32Array(buckets + 1);
  let place = 0;
  for (let bucket = 0; bucket < buckets; bucket++) {
    bounds[bucket] = place;
    counts.forEach((own, part) => {
      for (let at = bucket; at < own.length; at += buckets) {
        starts[part][at] = place;
        place += own[at];
      }
    });
  }
  bounds[buckets] = place;
  return { starts, bounds };
}

export const handlers = [
  arrayHandler(sortSpread),
  arrayHandler(sortCount),
  arrayHandler(sortMove),
  arrayHandler(sortRuns),
  mergeHandler,
];
