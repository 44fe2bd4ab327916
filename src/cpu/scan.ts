/**
 * `scan` on the CPU: block after block through the WASM module on the main thread (local.ts says why). Sums of float32 add
 * up in float64. What it promises stands in core/primitives/scan.ts.
 */
import type { ScanParams } from "../core/primitives.ts";
import { bitsOfFloat, floatOfBits, TYPES } from "./elements.ts";
import { BLOCK, Turns, type LocalWasm } from "./local.ts";
import type { RunArrays, RunContext } from "./runners.ts";

export async function runScan(
  params: ScanParams,
  { input, output, scratch }: RunArrays<"scan">,
  { local, signal, onTask }: RunContext,
): Promise<void> {
  const { count } = params;
  const wasm = await local();
  const turns = new Turns(signal);
  const from = new Uint32Array(input.buffer, input.byteOffset, count);
  const to = new Uint32Array(output.buffer, output.byteOffset, count);
  let before = firstBefore(params);
  let reported = 0;
  for (let at = 0; at < count; at += BLOCK) {
    const end = Math.min(at + BLOCK, count);
    const block = end - at === BLOCK ? wasm.words : wasm.words.subarray(0, end - at);
    block.set(from.subarray(at, end));
    before = scanBlock(params, wasm, end - at, before);
    to.set(block, at);
    if (!turns.due && end < count) continue;
    onTask((end - reported) / count, 0);
    reported = end;
    if (end < count) await turns.next();
  }
  new Uint32Array(scratch.buffer, scratch.byteOffset, 1)[0] = totalWord(params, before);
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
