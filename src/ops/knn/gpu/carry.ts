/** This is `knn.carry` as one pass. The contract is ops/knn/contract/carry.ts. */
import { ceilDiv } from "../../../core/math.ts";
import type { KnnCarryParams, KnnCarryBinding } from "../contract/carry.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type Pass } from "../../../runtime/gpu/passes/pass.ts";
import { knnCarryPolicy } from "./policy.ts";
import * as wgsl from "./wgsl.generated.ts";

export const knnCarryKernel: GpuKernel<KnnCarryParams, KnnCarryBinding> = {
  passes: carryPasses,
  bytes: ({ queryRows, capacity }) => ({
    heads: queryRows * 8,
    candidates: queryRows * capacity * 4,
    keyed: queryRows * capacity * 4,
    keys: queryRows * capacity * 8,
  }),
};

function carryPasses(
  { capacity, queryRows, refOffset }: KnnCarryParams,
  limits: KernelLimits,
): readonly Pass[] {
  if (queryRows === 0) return [];
  const { threads } = knnCarryPolicy;
  const pass = makePass(
    {
      label: "knn.carry",
      body: wgsl.knn_carry,
      constants: { THREADS: threads },
      uniforms: [
        ["capacity", "u32", capacity],
        ["queryRows", "u32", queryRows],
        ["refOffset", "u32", refOffset],
      ],
      bindings: [
        { name: "heads", access: "read", type: "array<vec2u>" },
        { name: "candidates", access: "read", type: "array<u32>" },
        { name: "keyed", access: "read_write", type: "array<u32>" },
        { name: "keys", access: "read_write", type: "array<vec2u>" },
      ],
      groups: ceilDiv(queryRows, threads),
    },
    limits,
  );
  return [pass];
}
