/** This is `distance.refine` as one pass. Its promise stands in distance/contract/refine.ts. */
import { ceilDiv } from "../../core/math.ts";
import type { RefineParams, RefineBinding } from "../contract/refine.ts";
import type { GpuKernel } from "../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type Pass } from "../../runtime/gpu/passes/pass.ts";
import { refinePolicy } from "./policy.ts";
import * as wgsl from "./wgsl.generated.ts";

export const refineKernel: GpuKernel<RefineParams, RefineBinding> = {
  passes: refinePasses,
  bytes: ({ queryBegin, queryRows, refRows, stride, capacity }) => ({
    queries: (queryBegin + queryRows) * stride * 4,
    refs: refRows * stride * 4,
    heads: (queryBegin + queryRows) * 8,
    candidates: (queryBegin + queryRows) * capacity * 4,
    keys: (queryBegin + queryRows) * capacity * 8,
  }),
};

function refinePasses(params: RefineParams, limits: KernelLimits): readonly Pass[] {
  const { capacity, dims, stride, queryBegin, queryRows, refOffset, refRows } = params;
  if (queryRows === 0 || refRows === 0) return [];
  const { threads } = refinePolicy;
  const pass = makePass(
    {
      label: "distance.refine",
      body: wgsl.distance_refine,
      snippets: [wgsl.float64],
      constants: { THREADS: threads },
      uniforms: [
        ["queryBegin", "u32", queryBegin],
        ["queryRows", "u32", queryRows],
        ["capacity", "u32", capacity],
        ["depth", "u32", ceilDiv(dims, 4)],
        ["stride", "u32", stride / 4],
        ["refOffset", "u32", refOffset],
        ["refRows", "u32", refRows],
      ],
      bindings: [
        { name: "queries", access: "read", type: "array<vec4u>" },
        { name: "refs", access: "read", type: "array<vec4u>" },
        { name: "heads", access: "read", type: "array<vec2u>" },
        { name: "candidates", access: "read", type: "array<u32>" },
        { name: "keys", access: "read_write", type: "array<vec2u>" },
      ],
      groups: ceilDiv(queryRows * capacity, threads),
    },
    limits,
  );
  return [pass];
}
