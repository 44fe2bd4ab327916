/**
 * This is the contract of the primitive `runLength`, which finds runs of equal elements, how long they are
 * and where they begin. The operator on arrays is in ops/compact/runLength.ts; ops/compact/gpu/runLength.ts
 * and ops/compact/cpu/runs.ts compute it.
 */
import type { UniqueParams } from "./unique.ts";

/**
 * `runLength` writes, for every run that `unique` finds, its first element, its length and the index of its
 * first element. A run ends where the next begins, or with the input. With `continued` the elements before
 * the first run that begins belong to no run.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const run = { type: "u32", count: 101, continued: true } as const; // element 0 was in the part before
 * const params: RunLengthParams = { ...run, capacity: 20, firstIndex: 99 };
 * (await primitives.runLength(params)).bytes.offsets; // => 80
 */
export interface RunLengthParams extends UniqueParams {
  /** Element 0 has this index. */
  readonly firstIndex: number;
}

/**
 * input    [count], elementBytes(count) bytes
 * values   [capacity] of the same type
 * counts   u32 [capacity]
 * offsets  u32 [capacity]
 * found    u32 [1]: how many runs begin
 * scratch  scanScratchBytes(count); only the GPU needs it
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const runs: GpuOperation<RunLengthBinding> = await primitives.runLength({ type: "u32", count: 0 });
 * Object.keys(runs.bytes).sort(); // => ["counts", "found", "input", "offsets", "scratch", "values"]
 */
export type RunLengthBinding = "input" | "values" | "counts" | "offsets" | "found" | "scratch";
