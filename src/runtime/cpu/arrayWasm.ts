/**
 * This is the WASM module as the array primitives use it, on the main thread and in workers alike: its
 * kernels, and the areas of its memory that elements go through, some at a time, since WebAssembly reads only
 * its own memory. Who does which share is shares.ts.
 */
import type { WasmExports } from "./instance.ts";
import type { WorkerMemory } from "./memory.ts";

/** A block has so many elements: 64 KiB, which stay in the second-level cache. */
export const BLOCK = 16_384;
/**
 * Elements copied in one go: 4 KiB, which stay in the first-level cache beside the array. Longer copies go
 * through instructions that take twice as long (bench/results/arrays-cpu.md). It is at least SUM_WINDOW.
 */
export const WINDOW = 1024;
/**
 * So many bytes are for what a primitive keeps beside elements, such as a counter for each of 65,536 bins and
 * lanes.
 */
export const REST_BYTES = 2 ** 20 + 2 ** 18 + 2 ** 12;
/** All areas that are taken below have so many bytes. */
export const ARRAY_MEMORY_BYTES = 2 ** 21;

/** These are words in the module's memory. */
export interface Area {
  readonly at: number;
  readonly words: Uint32Array;
}

/** @typeParam Kernels the room's functions in its wasm.ts */
export interface ArrayWasm<Kernels = unknown> {
  readonly kernels: Kernels;
  /** A block of elements begins at this address, and is here as 32-bit words. */
  readonly block: number;
  readonly words: Uint32Array;
  /** It is the first window of the block. */
  readonly window: Uint32Array;
  /** A block of flags, up to four for each element, begins at this address, and is here as bytes. */
  readonly flags: number;
  readonly flagBytes: Uint8Array;
  /**
   * They hold results of rows, or two words for each element, by their address, as 32-bit words, and as
   * float64.
   */
  readonly results: number;
  readonly resultWords: Int32Array;
  readonly resultFloats: Float64Array;
  /** It has REST_BYTES for what a primitive keeps beside elements, none of which outlasts a task. */
  readonly rest: Area;
}

/** Takes all areas of a memory, which last until its next reset. */
export function arrayWasm(kernels: WasmExports, memory: WorkerMemory): ArrayWasm<WasmExports> {
  memory.reset();
  const block = memory.take(BLOCK * 4);
  const flags = memory.take(BLOCK * 4);
  const results = memory.take(BLOCK * 8);
  const rest = memory.take(REST_BYTES);
  const { buffer } = memory.memory;
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
    rest: { at: rest, words: memory.u32(rest, REST_BYTES / 4) },
  };
}

/** Does `target.set(source)`, a window at a time. */
export function copyIn(target: Uint32Array, source: Uint32Array): void {
  for (let at = 0; at < source.length; at += WINDOW) target.set(source.subarray(at, at + WINDOW), at);
}

/** Does for bytes what `copyIn` does for words. */
export function copyBytesIn(target: Uint8Array, source: Uint8Array): void {
  for (let at = 0; at < source.length; at += 4 * WINDOW) target.set(source.subarray(at, at + 4 * WINDOW), at);
}
