/** This is a pass that only multiplies and adds, to measure what a device can do at most. */
import { makePass, type KernelLimits, type Pass } from "./passes/pass.ts";
import * as wgsl from "./wgsl.generated.ts";

const THREADS = 256;
const CHAINS = 8;
const GROUPS = 8192;

/** Its binding `output` has this many bytes. */
export const peakBytes = GROUPS * THREADS * 4;

/** Returns the operations of the pass, a multiply-add counted as two. */
export function peakOperations(turns: number): number {
  return GROUPS * THREADS * CHAINS * 4 * 2 * turns;
}

export function peakPass(turns: number, limits: KernelLimits): Pass {
  return makePass(
    {
      label: "peak",
      body: wgsl.peak,
      constants: { THREADS, CHAINS },
      uniforms: [
        ["turns", "u32", turns],
        ["factor", "f32", 0.5],
        ["term", "f32", 0.25],
      ],
      bindings: [{ name: "output", access: "read_write", type: "array<f32>" }],
      groups: GROUPS,
    },
    limits,
  );
}
