/**
 * This module computes `compact` on the CPU. Flags go block by block through the WASM module, and so do
 * elements unless few of them are kept. The main thread does it in one pass, workers in two, of which the
 * first counts. The contract is ops/compact/contract/compact.ts.
 */
import { ELEMENT_BYTES } from "../../../runtime/element.ts";
import type { CompactBinding, CompactParams } from "../contract/compact.ts";
import { BLOCK, copyBytesIn, copyIn, type ArrayWasm } from "../../../runtime/cpu/arrayWasm.ts";
import { wordsOf, type Address } from "../../../runtime/cpu/buffers.ts";
import { eachStretch } from "../../../runtime/cpu/local.ts";
import { addressesOf, type CpuContext, type CpuKernel } from "../../../runtime/cpu/kernel.ts";
import { arrayHandler, arrayTask } from "../../../runtime/cpu/task.ts";
import { cutElements, mayShare, shareOut, workersForTwoPasses } from "../../../runtime/cpu/shares.ts";

/** These functions in wasm.ts work on flags. */
interface CompactKernels {
  countFlags(flags: number, wide: boolean, count: number): number;
  keepFlagged(at: number, flags: number, wide: boolean, count: number): number;
  keepPlaces(flags: number, wide: boolean, count: number, first: number, target: number): number;
}

type CompactAddresses = Partial<Record<"input" | "values" | "indices", Address>> & {
  readonly flags: Address;
};

/** This is about a part of the flags, and of the elements. */
export interface CompactTask {
  readonly params: Pick<CompactParams, "flags" | "values" | "indices" | "capacity" | "firstIndex">;
  readonly arrays: CompactAddresses;
  readonly begin: number;
  readonly end: number;
  /** So many elements before them are kept. */
  readonly done: number;
}

export type CompactCountTask = Pick<CompactTask, "begin" | "end"> & {
  readonly type: CompactParams["flags"];
  readonly flags: Address;
};

/**
 * If one element in so many or fewer is kept, it is faster to fetch them singly
 * (bench/results/arrays-cpu.md).
 */
const FEW = 32;

export const onCpu: CpuKernel<CompactParams, CompactBinding> = {
  run: (params, buffers, context) => compact(params, addressesOf(buffers), context),
};

async function compact(
  params: CompactParams,
  { input, flags, values, indices, found }: Readonly<Record<CompactBinding, Address>>,
  context: CpuContext,
): Promise<void> {
  const arrays = {
    flags,
    ...(params.values ? { input, values } : {}),
    ...(params.indices ? { indices } : {}),
  };
  // Where only flags are read, the second pass reads all that the first has read.
  const workers = params.values ? 2 : workersForTwoPasses(context);
  const run = mayShare(params.count, Object.values(arrays), context, workers) ? compactShares : compactHere;
  wordsOf(found, 0, 1)[0] = await run(params, arrays, context);
}

async function compactHere(
  params: CompactParams,
  arrays: CompactAddresses,
  context: CpuContext,
): Promise<number> {
  const wasm = await context.local<CompactKernels>("writes");
  let done = 0;
  await eachStretch(params.count, context, (begin, end) => {
    done = compactTask({ params, arrays, begin, end, done }, wasm);
  });
  return done;
}

async function compactShares(
  params: CompactParams,
  arrays: CompactAddresses,
  context: CpuContext,
): Promise<number> {
  const { flags } = arrays;
  const shares = cutElements(params.count, 1, context);
  const counts: number[] = [];
  const count = {
    requests: shares.map(([begin, end]) => ({ type: params.flags, flags, begin, end })),
    task: compactCount,
    portion: COUNT_PORTION,
  } as const;
  await shareOut(count, context, (kept, share) => (counts[share] = kept));
  let done = 0;
  const requests = shares.map(([begin, end], share): CompactTask => {
    const request = { params, arrays, begin, end, done };
    done += counts[share];
    return request;
  });
  const portion = 1 - COUNT_PORTION;
  const write = { task: compactWrite, requests, writes: true, portion };
  await shareOut(write, context, () => {});
  return done;
}

/** The first pass takes this share of the time of both. */
const COUNT_PORTION = 0.2;

/** Counts the flags that are not 0. */
function compactCountTask(
  { type, flags, begin, end }: CompactCountTask,
  { kernels, flags: blockFlags, flagBytes }: ArrayWasm<CompactKernels>,
): number {
  let count = 0;
  eachBlock(begin, end, (at, length) => {
    copyBytesIn(flagBytes, flagsAt(flags, type, at, length));
    count += kernels.countFlags(blockFlags, type === "u32", length);
  });
  return count;
}

/** Writes what is kept, as far as there is room. @returns the number of elements kept up to the end */
function compactTask(
  { params, arrays, begin, end, done }: CompactTask,
  wasm: ArrayWasm<CompactKernels>,
): number {
  const { capacity, firstIndex, flags: type } = params;
  const { kernels, block, words, flags: blockFlags, flagBytes } = wasm;
  const { input, flags, values, indices } = arrays;
  const wide = type === "u32";
  /**
   * True where few are kept: the first block is counted, each later one takes the answer of the block before
   * it.
   */
  let few: boolean | undefined;
  let kept = 0;
  eachBlock(begin, end, (at, length) => {
    copyBytesIn(flagBytes, flagsAt(flags, type, at, length));
    few ??= isFew(kernels.countFlags(blockFlags, wide, length), length);
    if (indices) {
      kept = kernels.keepPlaces(blockFlags, wide, length, firstIndex + at, block);
      append(indices, words, kept, done, capacity);
    }
    if (input && values) {
      const elements = wordsOf(input, at, length);
      if (few) kept = fetchKept(wasm, wide, elements);
      else {
        copyIn(words, elements);
        kept = kernels.keepFlagged(block, blockFlags, wide, length);
      }
      append(values, words, kept, done, capacity);
    }
    few = isFew(kept, length);
    done += kept;
  });
  return done;
}

function isFew(kept: number, length: number): boolean {
  return kept * FEW <= length;
}

/** Fetches the elements that are flagged, without reading those between them. */
function fetchKept(
  { kernels, words, flags, results, resultWords }: ArrayWasm<CompactKernels>,
  wide: boolean,
  elements: Uint32Array,
): number {
  const kept = kernels.keepPlaces(flags, wide, elements.length, 0, results);
  for (let i = 0; i < kept; i++) words[i] = elements[resultWords[i]];
  return kept;
}

/** Returns flags [begin, begin + count) as bytes. */
function flagsAt(
  { buffer, byteOffset }: Address,
  type: CompactParams["flags"],
  begin: number,
  count: number,
): Uint8Array {
  const bytes = type === "u8" ? 1 : ELEMENT_BYTES;
  return new Uint8Array(buffer, byteOffset + begin * bytes, count * bytes);
}

function eachBlock(begin: number, end: number, work: (at: number, length: number) => void): void {
  for (let at = begin; at < end; at += BLOCK) work(at, Math.min(BLOCK, end - at));
}

/** Writes the first `count` words behind the `done` ones that a target of `capacity` words has already. */
export function append(
  target: Address,
  words: Uint32Array,
  count: number,
  done: number,
  capacity: number,
): void {
  const room = Math.min(count, capacity - done);
  if (room > 0) wordsOf(target, done, room).set(words.subarray(0, room));
}

const compactCount = arrayTask("compact.count", compactCountTask);
const compactWrite = arrayTask("compact.write", compactTask);

export const handlers = [arrayHandler(compactCount), arrayHandler(compactWrite)];
