/**
 * `reduce` on the CPU: block after block through the WASM module on the main thread (local.ts says why); rows longer than a
 * block in pieces, short ones many at a time. Sums of float32 go on in float64. What it promises stands in
 * core/primitives/reduce.ts.
 */
import { isArg, type ReduceParams } from "../core/primitives.ts";
import { bitsOfFloat, bitsOfKey, TYPES } from "./elements.ts";
import { BLOCK, Turns, type LocalWasm } from "./local.ts";
import type { RunArrays, RunContext } from "./runners.ts";

export async function runReduce(
  params: ReduceParams,
  { input, output }: RunArrays<"reduce">,
  { local, signal, onTask }: RunContext,
): Promise<void> {
  const { rows, cols } = params;
  const wasm = await local();
  const turns = new Turns(signal);
  const from = new Uint32Array(input.buffer, input.byteOffset, rows * cols);
  const to = new Uint32Array(output.buffer, output.byteOffset, rows);
  const rowsAtATime = Math.max(1, Math.floor(BLOCK / cols));
  let total: Total | undefined;
  let done = 0;
  for (let at = 0; at < rows * cols;) {
    const row = Math.floor(at / cols);
    const piece = Math.min(cols - (at - row * cols), BLOCK);
    const some = piece === cols ? Math.min(rowsAtATime, rows - row) : 1;
    const end = at + some * piece;
    wasm.words.set(from.subarray(at, end));
    reduceBlock(params, wasm, some, piece, total);
    for (let i = 0; i < some; i++) {
      const here = totalOf(params, wasm, i, at - row * cols);
      total = total === undefined ? here : join(params, total, here);
      if (at + (i + 1) * piece < (row + i + 1) * cols) continue;
      to[row + i] = resultOf(params, total);
      total = undefined;
    }
    at = end;
    if (!turns.due && at < rows * cols) continue;
    onTask((at - done) / (rows * cols), 0);
    done = at;
    if (at < rows * cols) await turns.next();
  }
}

/** A sum, or a key and where it first is. */
interface Total {
  readonly value: number;
  readonly column: number;
}

/** Columns are looked for only where the extreme may be: not when `total` is at least as good. */
function reduceBlock(
  params: ReduceParams,
  { kernels, block, results, resultWords }: LocalWasm,
  rows: number,
  cols: number,
  total: Total | undefined,
): void {
  const { type, op } = params;
  const number = TYPES.indexOf(type);
  if (op === "sum") return kernels.sumRows(block, rows, cols, number, results);
  const find = (arg: boolean): void =>
    kernels.extremeRows(block, rows, cols, number, isLargest(op), arg, results);
  find(isArg(op) && total === undefined);
  if (!isArg(op) || total === undefined) return;
  if (join(params, total, { value: resultWords[0], column: 0 }) !== total) find(true);
}

function totalOf({ type, op }: ReduceParams, wasm: LocalWasm, row: number, firstColumn: number): Total {
  if (op === "sum" && type === "f32") return { value: wasm.resultFloats[row], column: 0 };
  const { resultWords } = wasm;
  return { value: resultWords[2 * row], column: firstColumn + resultWords[2 * row + 1] };
}

function join({ type, op }: ReduceParams, a: Total, b: Total): Total {
  if (op === "sum") return { value: type === "f32" ? a.value + b.value : (a.value + b.value) | 0, column: 0 };
  return (isLargest(op) ? b.value > a.value : b.value < a.value) ? b : a;
}

function resultOf({ type, op }: ReduceParams, { value, column }: Total): number {
  if (isArg(op)) return column;
  if (op !== "sum") return bitsOfKey(type, value);
  return type === "f32" ? bitsOfFloat(value) : value;
}

function isLargest(op: ReduceParams["op"]): boolean {
  return op === "max" || op === "argmax";
}
