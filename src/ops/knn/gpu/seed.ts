/** This is `knn.seed` as one pass. The contract is ops/knn/contract/seed.ts. */
import { ceilDiv } from "../../../core/math.ts";
import { type KnnSeedParams, type KnnSeedBinding } from "../contract/seed.ts";
import { NO_ROW } from "../../../distance/order.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type Pass } from "../../../runtime/gpu/passes/pass.ts";
import { knnSeedPolicy } from "./policy.ts";
import * as wgsl from "./wgsl.generated.ts";

export const knnSeedKernel: GpuKernel<KnnSeedParams, KnnSeedBinding> = {
  passes: seedPasses,
  bytes: ({ queryRows, capacity }) => ({
    bounds: queryRows * 4,
    heads: queryRows * 8,
    candidates: queryRows * capacity * 4,
    intervals: queryRows * capacity * 8,
  }),
};

function seedPasses({ k, capacity, queryRows }: KnnSeedParams, limits: KernelLimits): readonly Pass[] {
  if (queryRows === 0) return [];
  const { threads } = knnSeedPolicy;
  const pass = makePass(
    {
      label: "knn.seed",
      body: wgsl.knn_seed,
      constants: { NO_ROW, THREADS: threads },
      uniforms: [
        ["k", "u32", k],
        ["capacity", "u32", capacity],
        ["queryRows", "u32", queryRows],
      ],
      bindings: [
        { name: "bounds", access: "read", type: "array<u32>" },
        { name: "heads", access: "read_write", type: "array<vec2u>" },
        { name: "candidates", access: "read_write", type: "array<u32>" },
        { name: "intervals", access: "read_write", type: "array<vec2u>" },
      ],
      groups: ceilDiv(queryRows * k, threads),
    },
    limits,
  );
  return [pass];
}
