/** This is `distances.values` as one pass over tiles. Its promise stands in deviceContract.ts. */
import type { Epilogue } from "../../../distance/gpu/epilogue.ts";
import * as distanceWgsl from "../../../distance/gpu/wgsl.generated.ts";
import { choosePairTile, pairTiles, type PairTile } from "../../../distance/gpu/policy.ts";
import { tileGroups, tileParts } from "../../../distance/gpu/tile.ts";
import * as keys from "../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type PassParts } from "../../../runtime/gpu/passes/pass.ts";
import { EXTREMES_WORDS, type Pairs, type ValuesBinding, type ValuesParams } from "../deviceContract.ts";
import { pairBytes, placeUniforms } from "./pairs.ts";
import { distancesPolicy } from "./policy.ts";
import * as wgsl from "./wgsl.generated.ts";

export const valuesKernel: GpuKernel<ValuesParams, ValuesBinding> = {
  passes(params, limits) {
    return params.queryRows === 0 || params.refRows === 0
      ? []
      : [makePass(valuesParts(params, limits), limits)];
  },
  bytes: (params) => ({
    ...pairBytes(params),
    extremes: params.queryRows * params.blocks * EXTREMES_WORDS * 4,
  }),
  work: ({ queryRows, refRows }) => queryRows * refRows,
};

/** Returns the tile in which the values of some pairs are made. */
export function valuesTile({ queryRows, refRows }: Pairs, limits: KernelLimits): PairTile {
  return pairTiles[choosePairTile(queryRows, refRows, limits)];
}

export function valuesParts(params: ValuesParams, limits: KernelLimits): PassParts {
  const tile = valuesTile(params, limits);
  const { tilesPerGroup, enoughGroups } = distancesPolicy;
  const groups = tileGroups(tile, params, tilesPerGroup, enoughGroups);
  return tileParts("distances.values", params, { tile }, epilogueOf(params), groups);
}

function epilogueOf(params: ValuesParams): Epilogue {
  const { blocks, cut, floor, ceiling, slack, self } = params;
  return {
    snippets: [wgsl.epilogue_distances, keys.ordered_key, distanceWgsl.distance_interval],
    constants: { CUT: cut, SELF: self !== undefined },
    uniforms: [
      ...placeUniforms(params),
      ["slack", "f32", slack],
      ["blocks", "u32", blocks],
      ["floor", "f32", floor],
      ["ceiling", "f32", ceiling],
    ],
    reads: ["queryMeta", "refMeta"],
    bindings: [
      { name: "values", access: "read_write", type: "array<vec4f>" },
      { name: "extremes", access: "read_write", type: "array<atomic<u32>>" },
    ],
  };
}
