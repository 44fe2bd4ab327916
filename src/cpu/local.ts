/**
 * The WASM module on the main thread, for primitives that do so little per element that handing arrays to workers would cost
 * more than the work. Elements go through its memory a cache-sized block at a time. Gives the event loop its turn between
 * blocks.
 */
import { MAX_BINS, OUTSIDE, RANGE_WORDS } from "../core/primitives.ts";
import type { ArrayKernels } from "./kernels.ts";
import { WorkerMemory } from "./memory.ts";
import type { RunContext } from "./runners.ts";

/** Elements copied in at a time: 64 KiB, which stay in the second-level cache. */
export const BLOCK = 16_384;
/** Counters of a bin in wasm/histogram.ts. */
export const COUNTERS = 4;
/** All that is taken below; most of it only histograms of many bins touch. */
const MEMORY_BYTES = 2 ** 21;
/** How long other events wait at most. */
const TURN_MS = 20;

/** Words in the module's memory. */
export interface Area {
  readonly at: number;
  readonly words: Uint32Array;
}

export interface LocalWasm {
  readonly kernels: ArrayKernels;
  /** A block of elements, by its address and as 32-bit words. */
  readonly block: number;
  readonly words: Uint32Array;
  /** A block of flags beside them, by its address and as bytes, up to four for each element. */
  readonly flags: number;
  readonly flagBytes: Uint8Array;
  /** Results of rows, or two words for each element, by their address, as 32-bit words, and as float64. */
  readonly results: number;
  readonly resultWords: Int32Array;
  readonly resultFloats: Float64Array;
  /** What a histogram of MAX_BINS takes; see wasm/histogram.ts. */
  readonly bins: Readonly<Record<"edges" | "range" | "counters" | "outside", Area>>;
}

export async function instantiateLocal(module: WebAssembly.Module): Promise<LocalWasm> {
  const memory = new WorkerMemory(MEMORY_BYTES);
  const abort = (): never => {
    throw new Error("the WASM module stopped");
  };
  const instance = await WebAssembly.instantiate(module, { env: { memory: memory.memory, abort } });
  const kernels = instance.exports as unknown as ArrayKernels & { heapBase(): number };
  memory.reserve(kernels.heapBase());
  const block = memory.take(BLOCK * 4);
  const flags = memory.take(BLOCK * 4);
  const results = memory.take(BLOCK * 8);
  const bins = {
    edges: memory.take(MAX_BINS * 4),
    range: memory.take(RANGE_WORDS * 4),
    counters: memory.take(MAX_BINS * COUNTERS * 4),
    outside: memory.take(OUTSIDE * 4),
  };
  const areaOf = (at: number, length: number): Area => ({ at, words: memory.u32(at, length) });
  return {
    kernels,
    block,
    words: memory.u32(block, BLOCK),
    flags,
    flagBytes: new Uint8Array(memory.memory.buffer, flags, BLOCK * 4),
    results,
    resultWords: new Int32Array(memory.memory.buffer, results, BLOCK * 2),
    resultFloats: new Float64Array(memory.memory.buffer, results, BLOCK),
    bins: {
      edges: areaOf(bins.edges, MAX_BINS),
      range: areaOf(bins.range, RANGE_WORDS),
      counters: areaOf(bins.counters, MAX_BINS * COUNTERS),
      outside: areaOf(bins.outside, OUTSIDE),
    },
  };
}

/** Has `work` done for block after block of `count` elements, and gives other events their turn in between. */
export async function eachBlock(
  count: number,
  { signal, onTask }: Pick<RunContext, "signal" | "onTask">,
  work: (begin: number, end: number) => void,
): Promise<void> {
  const turns = new Turns(signal);
  let reported = 0;
  for (let begin = 0; begin < count; begin += BLOCK) {
    const end = Math.min(begin + BLOCK, count);
    work(begin, end);
    if (!turns.due && end < count) continue;
    onTask((end - reported) / count, 0);
    reported = end;
    if (end < count) await turns.next();
  }
}

/** When other events are due for their turn; `next` gives it to them, and then sees an abort. */
export class Turns {
  readonly #signal: AbortSignal;
  #began = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async next(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#signal.throwIfAborted();
    this.#began = performance.now();
  }

  get due(): boolean {
    return performance.now() - this.#began > TURN_MS;
  }
}
