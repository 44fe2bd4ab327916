/**
 * This is the contract of the primitive `unique`, which keeps the first element of every run of equal ones.
 * The operator on arrays is in ops/compact/unique.ts; ops/compact/gpu/unique.ts and ops/compact/cpu/runs.ts
 * compute it.
 */
import type { ElementType } from "../../../runtime/element.ts";

/**
 * `unique` finds the runs of the input: an element begins a run when it differs from the one before it, in
 * the order of the input. -0 and +0 differ; all NaN are equal, whatever their bits. The first element of each
 * run is written with its bits; all runs are counted in `found`, but only the first `capacity` are written,
 * and what lies past them is not changed.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: UniqueParams = { type: "i32", count: 100, continued: false, capacity: 10 };
 * (await primitives.unique(params)).bytes.values; // => 40
 */
export interface UniqueParams {
  readonly type: ElementType;
  readonly count: number;
  /**
   * True says that element 0 repeats the last element of the preceding part, so that it begins no run. In
   * this way arrays can be processed in parts that overlap by one element.
   */
  readonly continued: boolean;
  /** `values` has room for this many elements. */
  readonly capacity: number;
}

/**
 * input    [count], elementBytes(count) bytes
 * values   [capacity] of the same type
 * found    u32 [1]: how many runs begin
 * scratch  scanScratchBytes(count); only the GPU needs it
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const distinct: GpuOperation<UniqueBinding> = await primitives.unique({ type: "i32", count: 0 });
 * Object.keys(distinct.bytes).sort(); // => ["found", "input", "scratch", "values"]
 */
export type UniqueBinding = "input" | "values" | "found" | "scratch";
