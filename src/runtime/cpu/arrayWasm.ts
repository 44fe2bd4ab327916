/**
 * The WASM module as the array primitives use it, on the main thread and in workers alike: its kernels, and the areas of its memory that
 * elements go through, some at a time, since WebAssembly reads only its own memory. Who does which share is shares.ts.
 */
import { MAX_BINS, OUTSIDE, RANGE_WORDS } from "../primitives.ts";
import type { ArrayKernels } from "../../ops/knn/cpu/exports.ts";
import type { WorkerMemory } from "./memory.ts";

/** Elements of a block, 64 KiB, which stay in the second-level cache. */
export const BLOCK = 16_384;
/**
 * Elements copied in one go: 4 KiB, which stay in the first-level cache beside the array. Longer copies go through
 * instructions that take twice as long (bench/results/arrays-cpu.md). At least SUM_WINDOW.
 */
export const WINDOW = 1024;
/** Counters of a bin in wasm/histogram.ts. */
export const COUNTERS = 4;
/** All that is taken below; most of it only histograms of many bins touch. */
export const ARRAY_MEMORY_BYTES = 2 ** 21;

/** Words in the module's memory. */
export interface Area {
  readonly at: number;
  readonly words: Uint32Array;
}

export interface ArrayWasm {
  readonly kernels: ArrayKernels;
  /** A block of elements, by its address and as 32-bit words. */
  readonly block: number;
  readonly words: Uint32Array;
  /** The first window of the block. */
  readonly window: Uint32Array;
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

/** Takes all areas of a memory; they last until its next reset. */
export function arrayWasm(kernels: ArrayKernels, memory: WorkerMemory): ArrayWasm {
  memory.reset();
  const block = memory.take(BLOCK * 4);
  const flags = memory.take(BLOCK * 4);
  const results = memory.take(BLOCK * 8);
  const bins = {
    edges: memory.take(MAX_BINS * 4),
    range: memory.take(RANGE_WORDS * 4),
    counters: memory.take(MAX_BINS * COUNTERS * 4),
    outside: memory.take(OUTSIDE * 4),
  };
  const { buffer } = memory.memory;
  const areaOf = (at: number, length: number): Area => ({ at, words: memory.u32(at, length) });
  return {
    kernels,
    block,
    words: memory.u32(block, BLOCK),
    window: memory.u32(block, WINDOW),
    flags,
    flagBytes: new Uint8Array(buffer, flags, BLOCK * 4),
    results,
    resultWords: new Int32Array(buffer, results, BLOCK * 2),
    resultFloats: new Float64Array(buffer, results, BLOCK),
    bins: {
      edges: areaOf(bins.edges, MAX_BINS),
      range: areaOf(bins.range, RANGE_WORDS),
      counters: areaOf(bins.counters, MAX_BINS * COUNTERS),
      outside: areaOf(bins.outside, OUTSIDE),
    },
  };
}

/** `target.set(source)`, a window at a time. */
export function copyIn(target: Uint32Array, source: Uint32Array): void {
  for (let at = 0; at < source.length; at += WINDOW) target.set(source.subarray(at, at + WINDOW), at);
}

/** The same for bytes. */
export function copyBytesIn(target: Uint8Array, source: Uint8Array): void {
  for (let at = 0; at < source.length; at += 4 * WINDOW) target.set(source.subarray(at, at + 4 * WINDOW), at);
}
