/**
 * This is `knn.search` for the runtime, with the variant that a caller chose. Its passes are in search.ts.
 */
import { InvalidInputError, oneOf } from "../../../../core/errors.ts";
import type { GpuKernel } from "../../../../runtime/gpu/passes/kernel.ts";
import type { KernelLimits } from "../../../../runtime/gpu/passes/pass.ts";
import {
  fitsWorkgroup,
  pairTileBytes,
  pairTiles,
  pairTileThreads,
  type PairTile,
} from "../../../../distance/gpu/policy.ts";
import { knnGroups } from "../policy.ts";
import type { KnnSearchBinding, KnnSearchParams } from "../../contract/search.ts";
import type { KnnVariant } from "../../contract/variant.ts";
import { knnSearchBytes, knnSearchPasses, knnSearchWantsTraits, type KnnSearchVariant } from "./search.ts";

export { unpack } from "./search.ts";

/**
 * This kernel of `knn.search` reads large buffers through windows.
 * @throws InvalidInputError for a variant that does not exist or does not fit the device
 */
export const knnSearchKernel: GpuKernel<
  KnnSearchParams & { readonly variant: KnnVariant },
  KnnSearchBinding
> = {
  bytes: ({ variant, ...params }, limits) => knnSearchBytes(params, limits, variantOf(variant, limits)),
  passes: ({ variant, ...params }, limits) => knnSearchPasses(params, limits, variantOf(variant, limits)),
  wantsTraits: knnSearchWantsTraits,
  windowed: true,
};

function variantOf({ tile, group }: KnnVariant, limits: KernelLimits): KnnSearchVariant {
  const tiles = new Map<string, PairTile>(Object.entries(pairTiles));
  if (tile !== undefined && !tiles.has(tile)) {
    throw new InvalidInputError(`unknown tile ${JSON.stringify(tile)}; expected ${oneOf([...tiles.keys()])}`);
  }
  if (group !== undefined && group !== 0 && !knnGroups.some((each) => each === group)) {
    throw new InvalidInputError(`group is ${group}; expected 0, 8, 16, 32 or 64`);
  }
  const named = tile === undefined ? undefined : tiles.get(tile);
  if (named && !fitsWorkgroup(named, limits)) {
    throw new InvalidInputError(
      `the tile ${String(tile)} needs ${pairTileThreads(named)} lanes and ${pairTileBytes(named)} bytes of a workgroup, more than this device has; choose a smaller one`,
    );
  }
  return {
    ...(named && { tile: named }),
    ...(group !== undefined && { group }),
  };
}
