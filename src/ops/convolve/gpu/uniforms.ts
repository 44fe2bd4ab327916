/** All kernels of `convolve` have these uniforms: the shape of the problem and its boundary. */
import type { UniformField } from "../../../runtime/gpu/passes/compose.ts";
import type { ConvolveParams } from "../contract.ts";
import { boundaries } from "../samples.ts";

export function uniformsOf(params: ConvolveParams): UniformField[] {
  const { count, masks, taps, before, length, flip, boundary, fill, type, limit } = params;
  return [
    ["count", "u32", count],
    ["masks", "u32", masks],
    ["taps", "u32", taps],
    ["before", "i32", before],
    ["length", "u32", length],
    ["flip", "u32", flip ? 1 : 0],
    ["boundary", "u32", boundaries.indexOf(boundary)],
    ["fill", type === "i32" ? "i32" : "f32", fill],
    ["limit", "u32", limit ?? 0],
  ];
}
