/** This is `distances.least` as two passes. Its promise stands in deviceContract.ts. */
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import { makePass } from "../../../runtime/gpu/passes/pass.ts";
import {
  EXTREMES_WORDS,
  FOUND_WORDS,
  GROUP_ROWS,
  groupBytes,
  type LeastBinding,
  type LeastParams,
} from "../deviceContract.ts";
import { pairBindings, pairBytes, pairSnippets, pairUniforms, rankConstants } from "./pairs.ts";
import { distancesPolicy } from "./policy.ts";
import { valuesTile } from "./values.ts";
import { wgsl } from "./shaders/wgsl.ts";

export const leastKernel: GpuKernel<LeastParams, LeastBinding> = {
  passes(params, limits) {
    const { queryRows, refBegin, refRows, parts, blocks, self } = params;
    if (queryRows === 0 || refRows === 0) return [];
    const groups = queryRows * parts;
    const constants = {
      THREADS: distancesPolicy.threads,
      TILE_REFS: valuesTile(params, limits).refs,
      GROUP: GROUP_ROWS,
    };
    const widest = {
      label: "distances.widest",
      body: wgsl("distances_widest"),
      constants,
      uniforms: [
        ["blocks", "u32", blocks],
        ["refBegin", "u32", refBegin],
        ["refRows", "u32", refRows],
      ],
      bindings: [
        { name: "refGroups", access: "read", type: "array<vec2f>" },
        { name: "widest", access: "read_write", type: "array<vec2f>" },
      ],
      groups: blocks,
    } as const;
    const least = {
      label: "distances.least",
      body: wgsl("distances_least"),
      snippets: pairSnippets(),
      constants: { ...constants, ...rankConstants(params.core), CUT: false, SELF: self !== undefined },
      uniforms: [
        ["groups", "u32", groups],
        ["parts", "u32", parts],
        ["blocks", "u32", blocks],
        ...pairUniforms(params),
      ],
      bindings: [
        ...pairBindings,
        { name: "widest", access: "read", type: "array<vec2f>" },
        { name: "extremes", access: "read", type: "array<u32>" },
        { name: "found", access: "read_write", type: "array<u32>" },
      ],
      groups,
    } as const;
    return [makePass(widest, limits), makePass(least, limits)];
  },
  bytes: (params) => ({
    ...pairBytes(params),
    refGroups: groupBytes(params.refBegin + params.refRows),
    widest: params.blocks * 8,
    extremes: params.queryRows * params.blocks * EXTREMES_WORDS * 4,
    found: params.queryRows * params.parts * FOUND_WORDS * 4,
  }),
};
