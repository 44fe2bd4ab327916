/** This is `distances.values` as one pass over tiles. Its promise stands in deviceContract.ts. */
import type { Epilogue } from "../../../distance/gpu/epilogue.ts";
import { choosePairTile, pairTiles, type PairTile } from "../../../distance/gpu/policy.ts";
import { tileGroups, tileParts } from "../../../distance/gpu/tile.ts";
import * as keys from "../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type PassParts } from "../../../runtime/gpu/passes/pass.ts";
import {
  EXTREMES_WORDS,
  type StoredPairs,
  type ValuesBinding,
  type ValuesParams,
} from "../deviceContract.ts";
import { pairBytes, placeUniforms } from "./pairs.ts";
import { distancesPolicy } from "./policy.ts";
import { wholeTileParts } from "./whole/whole.ts";
import { wgsl } from "./shaders/wgsl.ts";

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
export function valuesTile(
  { queryRows, refRows, whole }: StoredPairs & Pick<ValuesParams, "whole">,
  limits: KernelLimits,
): PairTile {
  return whole !== undefined
    ? distancesPolicy.wholeTile
    : pairTiles[choosePairTile(queryRows, refRows, limits)];
}

export function valuesParts(params: ValuesParams, limits: KernelLimits): PassParts {
  const tile = valuesTile(params, limits);
  const { tilesPerGroup, enoughGroups } = distancesPolicy;
  const groups = tileGroups(tile, params, tilesPerGroup, enoughGroups);
  const epilogue = epilogueOf(params);
  return params.whole === undefined
    ? tileParts("distances.values", params, { tile }, epilogue, groups)
    : wholeTileParts(params, params.whole, epilogue, groups);
}

function epilogueOf(params: ValuesParams): Epilogue {
  const { blocks, cut, floor, ceiling, self } = params;
  return {
    snippets: [wgsl("epilogue_distances"), keys.ordered_key],
    constants: { CUT: cut, SELF: self !== undefined },
    uniforms: [
      ...placeUniforms(params),
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
