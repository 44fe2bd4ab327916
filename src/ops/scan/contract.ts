/**
 * The contract of the primitive `scan`: every element becomes the combination of those before it. The
 * operator on arrays is in ops/scan/scan.ts; ops/scan/gpu.ts and ops/scan/cpu.ts compute it.
 */
import type { ElementType } from "../../runtime/element.ts";

/**
 * `scan` combines elements by it.
 * @example
 * const prefixes = (op: ScanOp) => scan(Int32Array.of(2, -1, 3), { op });
 * await prefixes("sum"); // => [2, 1, 4]
 * await prefixes("max"); // => [2, 2, 3]
 */
export type ScanOp = "sum" | "min" | "max";
export const scanOps: readonly ScanOp[] = ["sum", "min", "max"];

/**
 * `scan` writes to output[i] the combination of initial with input[0..i], or with `exclusive` input[0..i-1].
 *
 * Sums of whole numbers wrap modulo 2^32. A sum of float32 is associated in a fixed way that depends on i
 * alone, so that it has the same bits on every run of one device, however the array is cut at multiples of
 * 2^20 elements. Its error is at most (128 + i / 2^20) * 2^-23 * sum |input|, as long as that sum is finite
 * in float32; a device may take subnormal numbers for zero, and the sign of a sum that is zero is not
 * specified.
 *
 * Minima and maxima skip NaN and put -0 before +0. A prefix without a number gives NaN; without elements it
 * gives the largest (min) or smallest (max) whole number, for f32 NaN.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: ScanParams = { type: "u32", op: "sum", count: 5, exclusive: true, initial: 1000 };
 * (await primitives.scan(params)).bytes.output; // => 32
 */
export interface ScanParams {
  readonly type: ElementType;
  readonly op: ScanOp;
  readonly exclusive: boolean;
  readonly count: number;
  /**
   * This value stands before the first element: the bits of a sum, or the key of a minimum or maximum, whose
   * order as u32 is that of the elements. It is 0 for none, of a minimum 0xFFFFFFFF.
   */
  readonly initial: number;
}

/**
 * input    [count]
 * output   [count], not the buffer of input
 * scratch  u32, scanScratchBytes(count): word 0 is then the combination of initial and all elements, in the
 *          form of initial
 *
 * Input and output have elementBytes(count) bytes.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const sums: GpuOperation<ScanBinding> = await primitives.scan({ type: "f32", op: "sum", count: 0 });
 * Object.keys(sums.bytes).sort(); // => ["input", "output", "scratch"]
 */
export type ScanBinding = "input" | "output" | "scratch";
