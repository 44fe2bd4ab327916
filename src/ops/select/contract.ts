/**
 * This is the contract of the primitive `select`, which finds the k first elements of every row in ascending
 * or descending order. The operator on arrays is in ops/select/select.ts; ops/select/gpu.ts and
 * ops/select/cpu.ts compute it.
 */
import type { ElementType } from "../../runtime/element.ts";

/**
 * `select` writes to row r of `values` and `indices` the k first elements of row r of the input and their
 * columns. They are ascending, or with `largest` descending; equal ones are in the order of their columns.
 * Floats order as -Infinity ... -0, +0 ... Infinity, and every NaN comes last in both directions; all NaN are
 * equal. Values keep their bits.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: SelectParams = { type: "f32", largest: true, rows: 2, cols: 100, k: 3 };
 * (await primitives.select(params)).bytes.values; // => 24
 */
export interface SelectParams {
  readonly type: ElementType;
  readonly largest: boolean;
  readonly rows: number;
  readonly cols: number;
  /** This many elements are selected, 1 to cols. */
  readonly k: number;
}

/**
 * input    [rows][cols], elementBytes(rows * cols) bytes
 * values   [rows][k] of the same type; 4 bytes each
 * indices  u32 [rows][k]
 * scratch  what the kernel's scratchBytes says; only the GPU needs it
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const best: GpuOperation<SelectBinding> = await primitives.select({ type: "f32", rows: 0, cols: 9, k: 3 });
 * Object.keys(best.bytes).sort(); // => ["indices", "input", "scratch", "values"]
 */
export type SelectBinding = "input" | "values" | "indices" | "scratch";
