/**
 * The contract of the primitive `compact`: the elements that flags say to keep, side by side. The operators
 * on arrays are in ops/compact/compact.ts; ops/compact/gpu/compact.ts and ops/compact/cpu/compact.ts compute
 * it.
 */
import { elementBytes } from "../../../runtime/element.ts";

/**
 * Flags in memory are one byte each, or a 32-bit word each. Any flag but 0 keeps its element.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const flags: FlagType = "u8";
 * (await primitives.compact({ count: 100, flags })).bytes.flags; // => 100
 */
export type FlagType = "u8" | "u32";
export const flagTypes: readonly FlagType[] = ["u8", "u32"];

/**
 * `compact` writes the elements whose flag is not 0, and where they are in the input, in the order of the
 * input. Elements keep their bits, whatever their type is. All that are kept are counted in `found`, but only
 * the first `capacity` are written; what lies past them is not changed.
 *
 * Calls over consecutive parts of an array give the parts of what one call over all of it gives.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const none = { count: 100, flags: "u32", values: false, indices: false } as const;
 * const params: CompactParams = { ...none, capacity: 100, firstIndex: 0 };
 * const error = await primitives.compact(params).catch((error: unknown) => error);
 * isNearfieldError(error, "InvalidInput"); // => true
 */
export interface CompactParams {
  readonly count: number;
  readonly flags: FlagType;
  /** True asks for the elements and for the indices; at least one of the two must be true. */
  readonly values: boolean;
  readonly indices: boolean;
  /** `values` and `indices` have room for this many elements. */
  readonly capacity: number;
  /** Element 0 has this index. */
  readonly firstIndex: number;
}

/**
 * input    [count], elementBytes(count) bytes; only for values
 * flags    [count], flagBytes(params)
 * values   [capacity]; only when wanted
 * indices  u32 [capacity]; only when wanted
 * found    u32 [1]: how many are kept
 * scratch  scanScratchBytes(count); only the GPU needs it
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const both: GpuOperation<CompactBinding> = await primitives.compact({ count: 0, indices: true });
 * Object.keys(both.bytes).sort(); // => ["flags", "found", "indices", "input", "scratch", "values"]
 */
export type CompactBinding = "input" | "flags" | "values" | "indices" | "found" | "scratch";

/** Returns the bytes of the flags. Kernels read four flags at a time. */
export function flagBytes({ flags, count }: Pick<CompactParams, "flags" | "count">): number {
  return flags === "u8" ? elementBytes(count) / 4 : elementBytes(count);
}
