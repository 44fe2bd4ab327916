/** This is `distances.least` as one pass. Its promise stands in deviceContract.ts. */
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import { makePass } from "../../../runtime/gpu/passes/pass.ts";
import { EXTREMES_WORDS, FOUND_WORDS, type LeastBinding, type LeastParams } from "../deviceContract.ts";
import { pairBindings, pairBytes, pairSnippets, pairUniforms } from "./pairs.ts";
import { distancesPolicy } from "./policy.ts";
import { valuesTile } from "./values.ts";
import * as wgsl from "./wgsl.generated.ts";

export const leastKernel: GpuKernel<LeastParams, LeastBinding> = {
  passes(params, limits) {
    const { queryRows, refRows, parts, blocks, self } = params;
    if (queryRows === 0 || refRows === 0) return [];
    const groups = queryRows * parts;
    return [
      makePass(
        {
          label: "distances.least",
          body: wgsl.distances_least,
          snippets: pairSnippets,
          constants: {
            THREADS: distancesPolicy.threads,
            TILE_REFS: valuesTile(params, limits).refs,
            CUT: false,
            SELF: self !== undefined,
          },
          uniforms: [
            ["groups", "u32", groups],
            ["parts", "u32", parts],
            ["blocks", "u32", blocks],
            ...pairUniforms(params),
          ],
          bindings: [
            ...pairBindings,
            { name: "extremes", access: "read", type: "array<u32>" },
            { name: "found", access: "read_write", type: "array<u32>" },
          ],
          groups,
        },
        limits,
      ),
    ];
  },
  bytes: (params) => ({
    ...pairBytes(params),
    extremes: params.queryRows * params.blocks * EXTREMES_WORDS * 4,
    found: params.queryRows * params.parts * FOUND_WORDS * 4,
  }),
};
