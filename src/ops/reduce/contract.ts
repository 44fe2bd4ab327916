/**
 * This is the contract of the primitive `reduce`, which gives one result for every row of a matrix. The
 * operator on arrays is in ops/reduce/reduce.ts; ops/reduce/gpu.ts and ops/reduce/cpu.ts compute it.
 */
import { ceilDiv } from "../../core/math.ts";
import type { ElementType } from "../../runtime/element.ts";

/**
 * `reduce` combines elements by it; argmin and argmax give columns.
 * @example
 * const resultOf = async (op: ReduceOp) => (await reduce(Float32Array.of(3, 1, 2), { op }))[0];
 * await resultOf("max"); // => 3
 * await resultOf("argmax"); // => 0
 */
export type ReduceOp = "sum" | "min" | "max" | "argmin" | "argmax";
export const reduceOps: readonly ReduceOp[] = ["sum", "min", "max", "argmin", "argmax"];

/**
 * `reduce` writes to output[r] the combination of the elements of row r.
 *
 * Sums of whole numbers wrap modulo 2^32. A sum of float32 is associated in a fixed way that depends on the
 * number of columns alone, so that it has the same bits on every run of one device. Its error is at most (64
 * + cols / 2^15) * 2^-23 * sum |row|, as long as that sum is finite in float32; a device may take subnormal
 * numbers for zero, and the sign of a sum that is zero is not specified.
 *
 * Minima and maxima skip NaN unless all elements are NaN, and put -0 before +0. argmin and argmax give the
 * lowest column that holds the minimum or maximum; where all are NaN, column 0.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: ReduceParams = { type: "f32", op: "argmax", rows: 3, cols: 100 };
 * (await primitives.reduce(params)).bytes.output; // => 12
 */
export interface ReduceParams {
  readonly type: ElementType;
  readonly op: ReduceOp;
  readonly rows: number;
  /** There are this many columns, at least 1. */
  readonly cols: number;
}

/**
 * input    [rows][cols], elementBytes(rows * cols) bytes
 * output   [rows] of the same type; u32 for argmin and argmax. 4 bytes each, not the buffer of input
 * scratch  reduceScratchBytes(params)
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const maximum: GpuOperation<ReduceBinding> = await primitives.reduce({ type: "f32", op: "max", cols: 5 });
 * maximum.bytes; // => { input: 32, output: 4, scratch: 4 }
 */
export type ReduceBinding = "input" | "output" | "scratch";

/** The most columns that one workgroup combines; longer rows are first cut into parts. */
export const REDUCE_PART = 32_768;

export function reduceScratchBytes({ op, rows, cols }: ReduceParams): number {
  const parts = ceilDiv(cols, REDUCE_PART);
  return parts > 1 ? rows * parts * (isArg(op) ? 8 : 4) : 4;
}

/** Tells whether the result is a column and not an element. */
export function isArg(op: ReduceOp): op is "argmin" | "argmax" {
  return op === "argmin" || op === "argmax";
}
