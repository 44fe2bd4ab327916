/**
 * `reduce` on the CPU, on the main thread (local.ts says why): short rows many at a time, block after block through the WASM
 * module; rows longer than a block window after window, since copying into few bytes is quickest. Sums of float32 go on
 * in float64. What it promises stands in core/primitives/reduce.ts.
 */
import { isArg, type ReduceParams } from "../core/primitives.ts";
import { wordsOf } from "./buffers.ts";
import { bitsOfFloat, bitsOfKey, noKey, TYPES } from "./elements.ts";
import { BLOCK, Turns, type LocalWasm } from "./local.ts";
import type { RunArrays, RunContext } from "./runners.ts";

/** Elements of a window: 4 KiB, which stay in the first-level cache beside the array. A multiple of FLOATS in wasm/reduce.ts. */
const WINDOW = 1024;
/** Elements between two looks at the clock. */
const STRETCH = 64 * WINDOW;

export async function runReduce(
  params: ReduceParams,
  { input, output }: RunArrays<"reduce">,
  context: RunContext,
): Promise<void> {
  const { rows, cols } = params;
  const run = cols > BLOCK ? reduceLong : reduceShort;
  await run(params, wordsOf(input, 0, rows * cols), wordsOf(output, 0, rows), context);
}

async function reduceLong(
  params: ReduceParams,
  from: Uint32Array,
  to: Uint32Array,
  { local, signal, onTask }: RunContext,
): Promise<void> {
  const { rows, cols } = params;
  const wasm = await local();
  const turns = new Turns(signal);
  let reported = 0;
  for (let row = 0; row < rows; row++) {
    let total = startOf(params);
    for (let column = 0; column < cols; column += STRETCH) {
      const length = Math.min(STRETCH, cols - column);
      const at = row * cols + column;
      total = reduceStretch(params, wasm, from.subarray(at, at + length), column, total);
      if (!turns.due && at + length < rows * cols) continue;
      onTask((at + length - reported) / (rows * cols), 0);
      reported = at + length;
      if (at + length < rows * cols) await turns.next();
    }
    to[row] = resultOf(params, total);
  }
}

/** A sum, or a key and where it first is. */
interface Total {
  readonly value: number;
  readonly column: number;
}

/** What nothing comes to; when nothing comes before it, all elements are equal, so that the first is at column 0. */
function startOf({ op }: ReduceParams): Total {
  return { value: op === "sum" ? 0 : noKey(isLargest(op) ? "max" : "min"), column: 0 };
}

function reduceStretch(
  params: ReduceParams,
  wasm: LocalWasm,
  elements: Uint32Array,
  column: number,
  total: Total,
): Total {
  const { type, op } = params;
  if (op !== "sum") return extremeOf(params, wasm, elements, column, total);
  const { kernels, block, words } = wasm;
  let sum = total.value;
  for (let at = 0; at < elements.length; at += WINDOW) {
    const window = elements.subarray(at, at + WINDOW);
    words.set(window);
    if (type === "f32") sum += kernels.sumFloats(block, window.length);
    else sum = (sum + kernels.sumInts(block, window.length)) | 0;
  }
  return { value: sum, column: 0 };
}

/** Columns are looked for only where the extreme may be: not when what was found is at least as good. */
function extremeOf(
  { type, op }: ReduceParams,
  { kernels, block, words }: LocalWasm,
  elements: Uint32Array,
  first: number,
  { value, column }: Total,
): Total {
  const [number, largest, arg] = [TYPES.indexOf(type), isLargest(op), isArg(op)];
  for (let at = 0; at < elements.length; at += WINDOW) {
    const window = elements.subarray(at, at + WINDOW);
    words.set(window);
    const key = kernels.extreme(block, window.length, number, largest);
    if (largest ? key <= value : key >= value) continue;
    value = key;
    if (arg) column = first + at + kernels.find(block, window.length, number, key);
  }
  return { value, column };
}

async function reduceShort(
  params: ReduceParams,
  from: Uint32Array,
  to: Uint32Array,
  { local, signal, onTask }: RunContext,
): Promise<void> {
  const { rows, cols } = params;
  const wasm = await local();
  const turns = new Turns(signal);
  const rowsAtATime = Math.floor(BLOCK / cols);
  let reported = 0;
  for (let row = 0; row < rows; row += rowsAtATime) {
    const some = Math.min(rowsAtATime, rows - row);
    wasm.words.set(from.subarray(row * cols, (row + some) * cols));
    reduceBlock(params, wasm, some);
    for (let i = 0; i < some; i++) to[row + i] = resultOf(params, totalOf(params, wasm, i));
    const done = row + some;
    if (!turns.due && done < rows) continue;
    onTask((done - reported) / rows, 0);
    reported = done;
    if (done < rows) await turns.next();
  }
}

function reduceBlock(
  { type, op, cols }: ReduceParams,
  { kernels, block, results }: LocalWasm,
  rows: number,
): void {
  const number = TYPES.indexOf(type);
  if (op === "sum") kernels.sumRows(block, rows, cols, number, results);
  else kernels.extremeRows(block, rows, cols, number, isLargest(op), isArg(op), results);
}

function totalOf({ type, op }: ReduceParams, { resultFloats, resultWords }: LocalWasm, row: number): Total {
  if (op === "sum" && type === "f32") return { value: resultFloats[row], column: 0 };
  return { value: resultWords[2 * row], column: resultWords[2 * row + 1] };
}

function resultOf({ type, op }: ReduceParams, { value, column }: Total): number {
  if (isArg(op)) return column;
  if (op !== "sum") return bitsOfKey(type, value);
  return type === "f32" ? bitsOfFloat(value) : value;
}

function isLargest(op: ReduceParams["op"]): boolean {
  return op === "max" || op === "argmax";
}
