/**
 * `reduce` on the CPU: short rows many at a time, longer ones window after window through the WASM module, in shares (shares.ts). How
 * float32 sums associate is sums.ts. What it promises stands in core/primitives/reduce.ts.
 */
import { isArg, type ReduceParams } from "../../runtime/primitives.ts";
import { WINDOW, type ArrayWasm } from "../../runtime/cpu/arrayWasm.ts";
import { addressAt, wordsOf, type Place } from "../../runtime/cpu/buffers.ts";
import { bitsOfFloat, bitsOfKey, noKey, TYPES } from "../../runtime/cpu/elements.ts";
import type { RunArrays, RunContext } from "../../runtime/cpu/runners.ts";
import { cutRows, doHere, mayShare, shareOut, type RowShare } from "../../runtime/cpu/shares.ts";
import { assertChunk, SUM_CHUNK, SUM_WINDOW } from "../../runtime/cpu/sums.ts";

/** Some rows, or columns of one row: a matrix of its own. */
export interface ReduceTask {
  readonly params: ReduceParams;
  readonly input: Place;
}

/** A sum, or a key and where it first is. */
export interface Total {
  readonly value: number;
  readonly column: number;
}

/** Rows of a share at most, so that results that wait are few. */
const MOST_ROWS = 2 ** 18;

export async function runReduce(
  params: ReduceParams,
  { input, output }: RunArrays<"reduce">,
  context: RunContext,
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
    const work = { kind: "reduce.rows", requests, task: reduceRowsTask } as const;
    return run(work, context, (results, share) => {
      wordsOf(output, shares[share].row, results.length).set(results);
    });
  }
  const totals: (readonly Total[])[] = [];
  const work = { kind: "reduce.totals", requests, task: reduceTotalsTask } as const;
  await run(work, context, (some, share) => (totals[share] = some));
  joinRows(params, shares, totals, wordsOf(output, 0, params.rows));
}

/** Shares come in the order of rows and columns. */
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

/** The results of whole rows, as words. */
export function reduceRowsTask({ params, input }: ReduceTask, wasm: ArrayWasm): Uint32Array {
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

/** What some columns of a row come to: of sums of float32 a total for each chunk, else one. */
export function reduceTotalsTask({ params, input }: ReduceTask, wasm: ArrayWasm): Total[] {
  return totalsOf(params, wasm, wordsOf(input, 0, params.cols));
}

function totalsOf(params: ReduceParams, wasm: ArrayWasm, elements: Uint32Array): Total[] {
  if (params.op !== "sum") return [extremeOf(params, wasm, elements)];
  const totals: Total[] = [];
  for (let at = 0; at < elements.length; at += SUM_CHUNK) {
    totals.push({ value: sumOf(params, wasm, elements.subarray(at, at + SUM_CHUNK)), column: 0 });
  }
  return totals;
}

function sumOf({ type }: ReduceParams, { kernels, block, window }: ArrayWasm, elements: Uint32Array): number {
  let sum = 0;
  for (let at = 0; at < elements.length; at += SUM_WINDOW) {
    const some = elements.subarray(at, at + SUM_WINDOW);
    window.set(some);
    if (type === "f32") sum += kernels.sumFloats(block, some.length);
    else sum = (sum + kernels.sumInts(block, some.length)) | 0;
  }
  return sum;
}

/** Columns are looked for only where the extreme may be: not when what was found is at least as good. */
function extremeOf(
  params: ReduceParams,
  { kernels, block, window }: ArrayWasm,
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

/** What nothing comes to; when nothing comes before it, all elements are equal, so that the first is at column 0. */
function nothing({ op }: ReduceParams): Total {
  return { value: op === "sum" ? 0 : noKey(isLargest(op) ? "max" : "min"), column: 0 };
}

/** Of what columns come to, those of `a` before those of `b`. */
function join({ type, op }: ReduceParams, a: Total, b: Total): Total {
  if (op === "sum") {
    return { value: type === "f32" ? a.value + b.value : (a.value + b.value) | 0, column: 0 };
  }
  return (isLargest(op) ? b.value > a.value : b.value < a.value) ? b : a;
}

/** Leaves the totals of as many rows as a window holds in `results`. */
function reduceWindow(
  { type, op, cols }: ReduceParams,
  { kernels, block, results }: ArrayWasm,
  rows: number,
): void {
  const number = TYPES.indexOf(type);
  if (op === "sum") kernels.sumRows(block, rows, cols, number, results);
  else kernels.extremeRows(block, rows, cols, number, isLargest(op), isArg(op), results);
}

function totalOf({ type, op }: ReduceParams, { resultFloats, resultWords }: ArrayWasm, row: number): Total {
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
