/**
 * The contract of the primitive `unique`: the first element of every run of equal ones. Not the operator on arrays
 * (ops/compact/unique.ts) and not how it is computed (ops/compact/gpu/unique.ts, cpu/unique.ts).
 */
import type { ElementType } from "../../../runtime/element.ts";
import type { ScanPath } from "../../../runtime/tileScan.ts";

/**
 * `unique`: an element begins a run when it differs from the one before it, in the order of the input. -0 and +0 differ;
 * all NaN are equal, whatever their bits. The first element of each run is written, bits and all; all runs are counted in
 * `found`, but only the first `capacity` are written, and what lies past them is not changed.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: UniqueParams = { type: "i32", count: 100, continued: false, capacity: 10 };
 * (await primitives.unique(params)).bytes.values; // => 40
 */
export interface UniqueParams {
  readonly type: ElementType;
  readonly count: number;
  /** Element 0 stands for what came before, and begins no run: so arrays are worked off in parts that overlap by one. */
  readonly continued: boolean;
  /** Elements that `values` has room for. */
  readonly capacity: number;
  /** How the GPU goes about it, for tests; default what suits the device. */
  readonly path?: ScanPath | undefined;
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
