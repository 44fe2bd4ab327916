/**
 * `scan` on the CPU: block after block through the WASM module on the main thread (local.ts says why). Sums of float32 add
 * up in float64. What it promises stands in core/primitives/scan.ts.
 */
import type { ScanParams } from "../core/primitives.ts";
import { wordsOf } from "./buffers.ts";
import { bitsOfFloat, floatOfBits, TYPES } from "./elements.ts";
import { BLOCK, eachBlock, type LocalWasm } from "./local.ts";
import type { RunArrays, RunContext } from "./runners.ts";

export async function runScan(
  params: ScanParams,
  { input, output, scratch }: RunArrays<"scan">,
  context: RunContext,
): Promise<void> {
  const { count } = params;
  const wasm = await context.local();
  const from = wordsOf(input, 0, count);
  const to = wordsOf(output, 0, count);
  let before = firstBefore(params);
  await eachBlock(count, context, (begin, end) => {
    const block = end - begin === BLOCK ? wasm.words : wasm.words.subarray(0, end - begin);
    block.set(from.subarray(begin, end));
    before = scanBlock(params, wasm, end - begin, before);
    to.set(block, begin);
  });
  wordsOf(scratch, 0, 1)[0] = totalWord(params, before);
}

function scanBlock(
  { type, op, exclusive }: ScanParams,
  { kernels, block }: LocalWasm,
  count: number,
  before: number,
): number {
  if (op !== "sum") {
    return kernels.scanKeys(block, count, TYPES.indexOf(type), op === "max", exclusive, before);
  }
  return type === "f32"
    ? kernels.scanFloatSums(block, count, exclusive, before)
    : kernels.scanIntSums(block, count, exclusive, before);
}

/** From the form of ScanParams to the module's: keys are signed, sums of floats are float64. */
function firstBefore({ type, op, initial }: ScanParams): number {
  if (op !== "sum") return initial ^ 0x80000000;
  return type === "f32" ? floatOfBits(initial) : initial;
}

function totalWord({ type, op }: ScanParams, before: number): number {
  if (op !== "sum") return before ^ 0x80000000;
  return type === "f32" ? bitsOfFloat(before) : before;
}
