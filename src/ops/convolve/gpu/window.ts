/**
 * `convolve` with some taps through tiles in workgroup memory and windows in registers, as one pass. Its
 * shader is written for the number of taps.
 */
import { ceilDiv } from "../../../core/math.ts";
import { makePass, type KernelLimits, type Pass } from "../../../runtime/gpu/passes/pass.ts";
import type { ConvolveParams } from "../contract.ts";
import { bindingsOf, SHIFT, snippetsOf } from "./shared.ts";
import { sumsText } from "./sums.ts";
import { uniformsOf } from "./uniforms.ts";
import { wgsl } from "./wgsl.ts";

/** This is a variant of the kernel; results are the same. */
export interface WindowVariant {
  /** A lane has this many vectors of outputs, an odd number. */
  readonly vectors: number;
  readonly threads: number;
}

/** This is the best of `--variants` on an H200 (bench/results/convolve-gpu.md). */
export const windowVariant: WindowVariant = { vectors: 5, threads: 64 };

export function windowPass(
  params: ConvolveParams,
  limits: KernelLimits,
  { vectors: VECTORS, threads: THREADS }: WindowVariant = windowVariant,
): Pass {
  const { rows, masks, length, type, taps, limit } = params;
  const tiles = ceilDiv(length + SHIFT, 4 * THREADS * VECTORS);
  const GROUPS = ceilDiv(taps, 4);
  return makePass(
    {
      label: "convolve.window",
      body: wgsl("convolve_window"),
      snippets: [...snippetsOf(params, wgsl("taps_storage")), sumsText(taps, VECTORS)],
      constants: { THREADS, VECTORS, GROUPS, CHECKED: limit !== undefined },
      aliases: { Scalar: type, Vec: `vec4<${type}>` },
      uniforms: [...uniformsOf(params), ["tiles", "u32", tiles], ["items", "u32", rows * masks * tiles]],
      bindings: bindingsOf(params, "Vec", true, "Vec"),
      groups: rows * masks * tiles,
    },
    limits,
  );
}
