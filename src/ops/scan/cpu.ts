/**
 * This module computes `scan` on the CPU, window by window in the WASM module. The main thread does it in one
 * pass, workers in two, of which the first finds what comes before each share. Sums of float32 add up in
 * float64, chunk by chunk, so that they associate the same way whichever threads compute them. The contract
 * is ops/scan/contract.ts.
 */
import type { ScanBinding, ScanParams } from "./contract.ts";
import { WINDOW, type ArrayWasm } from "../../runtime/cpu/arrayWasm.ts";
import { wordsOf, type Address } from "../../runtime/cpu/buffers.ts";
import { bitsOfFloat, floatOfBits, keyOfInt } from "../../core/float/keys.ts";
import { noKey, TYPES } from "../../runtime/cpu/elements.ts";
import { eachStretch } from "../../runtime/cpu/local.ts";
import { addressesOf, type CpuContext, type CpuKernel } from "../../runtime/cpu/kernel.ts";
import { arrayHandler, arrayTask } from "../../runtime/cpu/task.ts";
import { cutElements, mayShare, shareOut, workersForTwoPasses } from "../../runtime/cpu/shares.ts";
import { assertChunk, SUM_CHUNK } from "../../runtime/cpu/sums.ts";

/** The functions in wasm.ts, and two of reduce's; `type` is numbered as in runtime/cpu/elements.ts. */
interface ScanKernels {
  sumInts(at: number, count: number): number;
  extreme(at: number, count: number, type: number, largest: boolean): number;
  scanIntSums(at: number, count: number, exclusive: boolean, before: number): number;
  addFloats(at: number, count: number, sum: number): number;
  scanFloatSums(at: number, count: number, exclusive: boolean, before: number, sum: number): number;
  scanKeys(
    at: number,
    count: number,
    type: number,
    largest: boolean,
    exclusive: boolean,
    before: number,
  ): number;
}

/** This is about a part of the input, and of the output. */
export interface ScanTask {
  readonly params: ScanParams;
  readonly input: Address;
  readonly begin: number;
  readonly end: number;
}

export interface ScanWriteTask extends ScanTask {
  readonly output: Address;
  /** This value comes before the part, in the form of `firstBefore`. */
  readonly before: number;
}

export const onCpu: CpuKernel<ScanParams, ScanBinding> = {
  run: (params, buffers, context) => scan(params, addressesOf(buffers), context),
};

async function scan(
  params: ScanParams,
  { input, output, scratch }: Readonly<Record<ScanBinding, Address>>,
  context: CpuContext,
): Promise<void> {
  // One thread adds whole numbers about as fast as memory delivers them.
  const workers = params.op === "sum" && params.type !== "f32" ? workersForTwoPasses(context) : 2;
  const run = mayShare(params.count, [input, output], context, workers) ? scanShares : scanAll;
  const total = await run(params, input, output, context);
  wordsOf(scratch, 0, 1)[0] = totalWord(params, total);
}

async function scanAll(
  params: ScanParams,
  input: Address,
  output: Address,
  context: CpuContext,
): Promise<number> {
  const wasm = await context.local<ScanKernels>("writes");
  let before = firstBefore(params);
  await eachStretch(params.count, context, (begin, end) => {
    before = scanWriteTask({ params, input, output, begin, end, before }, wasm);
  });
  return before;
}

async function scanShares(
  params: ScanParams,
  input: Address,
  output: Address,
  context: CpuContext,
): Promise<number> {
  const shares = cutElements(params.count, SUM_CHUNK, context);
  // Nothing comes after the last share.
  const sums = shares.slice(0, -1).map(([begin, end]) => ({ params, input, begin, end }));
  const totals: Float64Array[] = [];
  const sum = { task: scanTotals, requests: sums, portion: TOTALS_PORTION };
  await shareOut(sum, context, (found, share) => (totals[share] = found));
  let before = firstBefore(params);
  const writes = shares.map(([begin, end], share) => {
    const request: ScanWriteTask = { params, input, output, begin, end, before };
    for (const total of totals[share] ?? []) before = combine(params, before, total);
    return request;
  });
  let last = before;
  const portion = sums.length > 0 ? 1 - TOTALS_PORTION : 1;
  const write = { task: scanWrite, requests: writes, writes: true, portion };
  await shareOut(write, context, (after, share) => {
    if (share === writes.length - 1) last = after;
  });
  return last;
}

/** The first pass takes this share of the time of both. */
const TOTALS_PORTION = 0.3;

/** Returns the totals of the elements: for sums of float32 one for each chunk, else one. */
function scanTotalsTask({ params, input, begin, end }: ScanTask, wasm: ArrayWasm<ScanKernels>): Float64Array {
  const { type, op } = params;
  const { kernels, block, window } = wasm;
  const elements = wordsOf(input, begin, end - begin);
  if (isFloatSum(params)) {
    assertChunk(begin);
    const totals = new Float64Array(Math.ceil(elements.length / SUM_CHUNK));
    eachWindow(elements, window, (length, at) => {
      const chunk = Math.floor(at / SUM_CHUNK);
      totals[chunk] = kernels.addFloats(block, length, totals[chunk]);
    });
    return totals;
  }
  let total = identity(params);
  const number = TYPES.indexOf(type);
  eachWindow(elements, window, (length) => {
    const some =
      op === "sum" ? kernels.sumInts(block, length) : kernels.extreme(block, length, number, op === "max");
    total = combine(params, total, some);
  });
  return Float64Array.of(total);
}

/**
 * Writes the scan of the elements, for sums of float32 from the beginning of a chunk.
 * @returns the value before the next element
 */
function scanWriteTask(
  { params, input, output, begin, end, before }: ScanWriteTask,
  wasm: ArrayWasm<ScanKernels>,
): number {
  const { type, op, exclusive } = params;
  const { kernels, block, window } = wasm;
  if (isFloatSum(params)) assertChunk(begin);
  const number = TYPES.indexOf(type);
  const to = wordsOf(output, begin, end - begin);
  let sum = 0;
  eachWindow(wordsOf(input, begin, end - begin), window, (length, at) => {
    if (isFloatSum(params)) {
      if (at % SUM_CHUNK === 0) [before, sum] = [before + sum, 0];
      sum = kernels.scanFloatSums(block, length, exclusive, before, sum);
    } else if (op === "sum") before = kernels.scanIntSums(block, length, exclusive, before);
    else before = kernels.scanKeys(block, length, number, op === "max", exclusive, before);
    to.set(length === WINDOW ? window : window.subarray(0, length), at);
  });
  return before + sum;
}

/** Calls `work` for each window, once it is copied in. */
function eachWindow(
  elements: Uint32Array,
  window: Uint32Array,
  work: (length: number, at: number) => void,
): void {
  for (let at = 0; at < elements.length; at += WINDOW) {
    const some = elements.subarray(at, at + WINDOW);
    window.set(some);
    work(some.length, at);
  }
}

function isFloatSum({ type, op }: ScanParams): boolean {
  return op === "sum" && type === "f32";
}

/**
 * Converts the initial value from the form of ScanParams to the module's: keys are signed, sums of floats are
 * float64.
 */
function firstBefore({ type, op, initial }: ScanParams): number {
  if (op !== "sum") return keyOfInt(initial) | 0;
  return type === "f32" ? floatOfBits(initial) : initial | 0;
}

function totalWord({ type, op }: ScanParams, before: number): number {
  if (op !== "sum") return keyOfInt(before);
  return type === "f32" ? bitsOfFloat(before) : before;
}

function identity({ op }: ScanParams): number {
  return op === "sum" ? 0 : noKey(op);
}

/** Combines two totals in the module's form. */
function combine({ type, op }: ScanParams, a: number, b: number): number {
  if (op === "min") return Math.min(a, b);
  if (op === "max") return Math.max(a, b);
  return type === "f32" ? a + b : (a + b) | 0;
}

export const scanTotals = arrayTask("scan.totals", scanTotalsTask);
export const scanWrite = arrayTask("scan.write", scanWriteTask);

export const handlers = [arrayHandler(scanTotals), arrayHandler(scanWrite)];
