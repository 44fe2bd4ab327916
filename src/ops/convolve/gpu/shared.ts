/** These are the snippets and the bindings that the kernels of sums of products share. */
import type { Binding } from "../../../runtime/gpu/passes/compose.ts";
import type { ConvolveParams } from "../contract.ts";
import { wgsl } from "./wgsl.ts";

/** At most so many outputs of a tile lie before the row, since tiles begin at aligned elements. */
export const SHIFT = 3;

export function snippetsOf({ limit }: ConvolveParams, taps: string): string[] {
  return [
    wgsl("convolve_samples"),
    taps,
    limit === undefined ? wgsl("sums_unchecked") : wgsl("sums_checked"),
  ];
}

/** @param samples the type of what the signal is an array of, and `outputs` that of the output */
export function bindingsOf(
  { type, limit }: ConvolveParams,
  samples: string,
  mask: boolean,
  outputs: string = type,
): Binding[] {
  return [
    { name: "signal", access: "read", type: `array<${samples}>` },
    ...(mask ? [{ name: "mask", access: "read", type: `array<${type}>` } as const] : []),
    { name: "output", access: "read_write", type: `array<${outputs}>` },
    ...(limit === undefined ? [] : [{ name: "status", access: "read_write", type: "atomic<u32>" } as const]),
  ];
}
