/**
 * The contract of the primitive `reduce`: one result for every row of a matrix. Not the operator on arrays
 * (operators/reduce.ts) and not how it is computed (kernels/reduce.ts, cpu/reduce.ts).
 */
import { ceilDiv } from "../math.ts";
import type { ElementType } from "./element.ts";

/** How `reduce` combines elements; argmin and argmax give columns. */
export type ReduceOp = "sum" | "min" | "max" | "argmin" | "argmax";
export const reduceOps: readonly ReduceOp[] = ["sum", "min", "max", "argmin", "argmax"];

/**
 * `reduce`: output[r] combines the elements of row r.
 *
 * Sums of whole numbers wrap modulo 2^32. A sum of float32 associates in one fixed way, given by the number of columns
 * alone: the same bits on every run of one device. Its error is at most (64 + cols / REDUCE_PART) * 2^-23 * sum |row|, as
 * long as that sum is finite in float32; a device may take subnormal numbers for zero, and the sign of a sum that is zero is not specified.
 *
 * Minima and maxima skip NaN unless all elements are NaN, and put -0 before +0. argmin and argmax give the lowest column
 * that holds the minimum or maximum; where all are NaN, column 0.
 */
export interface ReduceParams {
  readonly type: ElementType;
  readonly op: ReduceOp;
  readonly rows: number;
  /** At least 1. */
  readonly cols: number;
}

/**
 * input    [rows][cols], elementBytes(rows * cols) bytes
 * output   [rows] of the same type; u32 for argmin and argmax. 4 bytes each, not the buffer of input
 * scratch  reduceScratchBytes(params)
 */
export type ReduceBinding = "input" | "output" | "scratch";

/** Columns that one workgroup combines; longer rows are first cut into parts. */
export const REDUCE_PART = 32_768;

export function reduceScratchBytes({ op, rows, cols }: ReduceParams): number {
  const parts = ceilDiv(cols, REDUCE_PART);
  return parts > 1 ? rows * parts * (isArg(op) ? 8 : 4) : 4;
}

/** Whether the result is a column and not an element. */
export function isArg(op: ReduceOp): op is "argmin" | "argmax" {
  return op === "argmin" || op === "argmax";
}
