/**
 * `reduce` on the CPU: many short rows at a time, longer ones window by window through the WASM module, in
 * shares (runtime/cpu/shares.ts). runtime/cpu/sums.ts says how float32 sums associate. The contract is
 * ops/reduce/contract.ts.
 */
import { isArg, type ReduceBinding, type ReduceParams } from "./contract.ts";
import { WINDOW, type ArrayWasm } from "../../runtime/cpu/arrayWasm.ts";
import { addressAt, wordsOf, type Address } from "../../runtime/cpu/buffers.ts";
import { bitsOfFloat } from "../../core/float/keys.ts";
import { bitsOfKey, noKey, TYPES } from "../../runtime/cpu/elements.ts";
import { addressesOf, type CpuContext, type CpuKernel } from "../../runtime/cpu/kernel.ts";
import { arrayHandler, arrayTask } from "../../runtime/cpu/task.ts";
import { cutRows, doHere, mayShare, shareOut, type RowShare } from "../../runtime/cpu/shares.ts";
import { assertChunk, SUM_CHUNK, SUM_WINDOW } from "../../runtime/cpu/sums.ts";

/** These are the functions in wasm.ts; `type` is numbered as in runtime/cpu/elements.ts. */
interface ReduceKernels {
  sumInts(at: number, count: number): number;
  sumFloats(at: number, count: number): number;
  extreme(at: number, count: number, type: number, largest: boolean): number;
  find(at: number, count: number, type: number, key: number): number;
  sumRows(at: number, rows: number, cols: number, type: number, results: number): void;
  extremeRows(
    at: number,
    rows: number,
    cols: number,
    type: number,
    largest: boolean,
    arg: boolean,
    results: number,
  ): void;
}

/** It is a share of the input: some rows, or columns of one row, as a matrix of its own. */
export interface ReduceTask {
  readonly params: ReduceParams;
  readonly input: Address;
}

/** It is a sum, or a key and the column where it is first. */
export interface Total {
  readonly value: number;
  readonly column: number;
}

/** A share has at most so many rows, so that few results wait to be written. */
const MOST_ROWS = 2 ** 18;

export const onCpu: CpuKernel<ReduceParams, ReduceBinding> = {
  run: (params, buffers, context) => reduce(params, addressesOf(buffers), context),
};

async function reduce(
  params: ReduceParams,
  { input, output }: Readonly<Record<ReduceBinding, Address>>,
  context: CpuContext,
): Promise<void> {
  const { cols } = params;
  const workers = mayShare(params.rows * cols, [input], context);
  const run = workers ? shareOut : doHere;
  const shares = cutRows(params, SUM_CHUNK, MOST_ROWS, workers, context);
  const requests = shares.map((share): ReduceTask => {
    const { row, rows, column, cols: width } = share;
    return { params: { ...params, rows, cols: width }, input: addressAt(input, row * cols + column) };
  });
  if (shares.every((share) => share.cols === cols)) {
    const work = { task: reduceRows, requests };
    return run(work, context, (results, share) => {
      wordsOf(output, shares[share].row, results.length).set(results);
    });
  }
  const totals: (readonly Total[])[] = [];
  const work = { task: reduceTotals, requests };
  await run(work, context, (some, share) => (totals[share] = some));
  joinRows(params, shares, totals, wordsOf(output, 0, params.rows));
}

/** Joins the totals of the shares, which come in the order of rows and columns. */
function joinRows(
  params: ReduceParams,
  shares: readonly RowShare[],
  totals: readonly (readonly Total[])[],
  to: Uint32Array,
): void {
  let total = nothing(params);
  for (const [at, { row, column }] of shares.entries()) {
    if (column === 0) total = nothing(params);
    assertChunk(column);
    for (const each of totals[at]) {
      total = join(params, total, { value: each.value, column: column + each.column });
    }
    to[row] = resultOf(params, total);
  }
}

/** Returns the results of whole rows, as words. */
function reduceRowsTask({ params, input }: ReduceTask, wasm: ArrayWasm<ReduceKernels>): Uint32Array {
  const { rows, cols } = params;
  const results = new Uint32Array(rows);
  if (cols <= WINDOW) {
    const rowsAtATime = Math.floor(WINDOW / cols);
    for (let row = 0; row < rows; row += rowsAtATime) {
      const some = Math.min(rowsAtATime, rows - row);
      wasm.words.set(wordsOf(input, row * cols, some * cols));
      reduceWindow(params, wasm, some);
      for (let i = 0; i < some; i++) results[row + i] = resultOf(params, totalOf(params, wasm, i));
    }
    return results;
  }
  for (let row = 0; row < rows; row++) {
    const totals = totalsOf(params, wasm, wordsOf(input, row * cols, cols));
    results[row] = resultOf(
      params,
      totals.reduce((all, each) => join(params, all, each), nothing(params)),
    );
  }
  return results;
}

/** Returns the totals of some columns of a row: for sums of float32 one for each chunk, else one. */
function reduceTotalsTask({ params, input }: ReduceTask, wasm: ArrayWasm<ReduceKernels>): Total[] {
  return totalsOf(params, wasm, wordsOf(input, 0, params.cols));
}

function totalsOf(params: ReduceParams, wasm: ArrayWasm<ReduceKernels>, elements: Uint32Array): Total[] {
  if (params.op !== "sum") return [extremeOf(params, wasm, elements)];
  const totals: Total[] = [];
  for (let at = 0; at < elements.length; at += SUM_CHUNK) {
    totals.push({ value: sumOf(params, wasm, elements.subarray(at, at + SUM_CHUNK)), column: 0 });
  }
  return totals;
}

function sumOf(
  { type }: ReduceParams,
  { kernels, block, window }: ArrayWasm<ReduceKernels>,
  elements: Uint32Array,
): number {
  let sum = 0;
  for (let at = 0; at < elements.length; at += SUM_WINDOW) {
    const some = elements.subarray(at, at + SUM_WINDOW);
    window.set(some);
    if (type === "f32") sum += kernels.sumFloats(block, some.length);
    else sum = (sum + kernels.sumInts(block, some.length)) | 0;
  }
  return sum;
}

/** Finds the extreme, and looks for its column only where a window has a better one than those before. */
function extremeOf(
  params: ReduceParams,
  { kernels, block, window }: ArrayWasm<ReduceKernels>,
  elements: Uint32Array,
): Total {
  const { type, op } = params;
  const [number, largest, arg] = [TYPES.indexOf(type), isLargest(op), isArg(op)];
  let { value, column } = nothing(params);
  for (let at = 0; at < elements.length; at += WINDOW) {
    const some = elements.subarray(at, at + WINDOW);
    window.set(some);
    const key = kernels.extreme(block, some.length, number, largest);
    if (largest ? key <= value : key >= value) continue;
    value = key;
    if (arg) column = at + kernels.find(block, some.length, number, key);
  }
  return { value, column };
}

/**
 * Returns the total of no elements. When it stays the total of a row, all its elements are equal, so that the
 * first is at column 0.
 */
function nothing({ op }: ReduceParams): Total {
  return { value: op === "sum" ? 0 : noKey(isLargest(op) ? "max" : "min"), column: 0 };
}

/** Joins the totals of columns, where those of `a` come before those of `b`. */
function join({ type, op }: ReduceParams, a: Total, b: Total): Total {
  if (op === "sum") {
    return { value: type === "f32" ? a.value + b.value : (a.value + b.value) | 0, column: 0 };
  }
  return (isLargest(op) ? b.value > a.value : b.value < a.value) ? b : a;
}

/** Leaves the totals of as many rows as a window holds in `results`. */
function reduceWindow(
  { type, op, cols }: ReduceParams,
  { kernels, block, results }: ArrayWasm<ReduceKernels>,
  rows: number,
): void {
  const number = TYPES.indexOf(type);
  if (op === "sum") kernels.sumRows(block, rows, cols, number, results);
  else kernels.extremeRows(block, rows, cols, number, isLargest(op), isArg(op), results);
}

function totalOf(
  { type, op }: ReduceParams,
  { resultFloats, resultWords }: ArrayWasm<ReduceKernels>,
  row: number,
): Total {
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

const reduceRows = arrayTask("reduce.rows", reduceRowsTask);
const reduceTotals = arrayTask("reduce.totals", reduceTotalsTask);

export const handlers = [arrayHandler(reduceRows), arrayHandler(reduceTotals)];
