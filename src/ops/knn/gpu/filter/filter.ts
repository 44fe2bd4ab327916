/**
 * This is `knn.filter` as passes. The values of the first references go to scratch and are merged into every
 * query's candidate list, which then has a threshold: of the others, pairs that pass it are appended and
 * merged. Where more pass than there is room for, as in sorted data, the least ends of groups of references
 * are taken and the groups that matter are recomputed. The contract is ops/knn/contract/filter.ts; all
 * variants give the same lists.
 */
import { assert } from "../../../../core/errors.ts";
import {
  knnFilterBytes,
  knnFilterScratchBytes,
  knnRooms,
  type KnnFilterBinding,
  type KnnFilterParams,
  type KnnRooms,
} from "../../contract/filter.ts";
import type { GpuKernel } from "../../../../runtime/gpu/passes/kernel.ts";
import { knnWindows } from "./windows.ts";
import {
  makePass,
  type KernelLimits,
  type Pass,
  type PassParts,
} from "../../../../runtime/gpu/passes/pass.ts";
import { choosePairTile, pairTiles, type PairTile } from "../../../../distance/gpu/policy.ts";
import { knnPolicy } from "../policy.ts";
import { tileGroups, tileParts, type TileVariant } from "../../../../distance/gpu/tile.ts";
import { appendEpilogue, minimaEpilogue, valuesEpilogue } from "./epilogues.ts";
import { groupsPass, limitsPass, recomputePass, selectPass, mergePass } from "./listPasses.ts";

/** The passes run in this variant; which references are kept does not depend on it. */
export interface KnnFilterVariant {
  /** Pairs are computed in this tile, for measurements and tests; default the policy's. */
  readonly tile?: PairTile | undefined;
  /** knn.mixedFilter and knn.powerFilter ask for this variant of the tile. */
  readonly variant?: TileVariant;
  /** With fewer workgroups than this, none makes several tiles one after the other; default the policy's. */
  readonly enoughGroups?: number;
  /** Tests set the rooms, so that little data takes every path; at most what scratch is sized for. */
  readonly caps?: Partial<KnnRooms> | undefined;
  /**
   * This is true where all buffers but queries and refs are parts of one, which WebGPU then takes only where
   * every part is writable.
   */
  readonly oneBuffer?: boolean;
  /** These passes rule out pairs before they are compared in float32; default none. */
  readonly prefilter?: Prefilter;
}

/** These passes rule out pairs by less than float32, and leave the same lists. */
export interface Prefilter {
  /** These passes over all rows of the call come first. */
  readonly prepare: readonly PassParts[];
  /**
   * At most this many pairs of a query and a window may pass in float32, so that there is room for what the
   * prefilter appends.
   */
  readonly expected: number;
  /** Makes the passes that append the pairs of a window. */
  append(window: KnnFilterParams, room: number): readonly PassParts[];
}

export const knnFilterKernel: GpuKernel<KnnFilterParams, KnnFilterBinding> = {
  passes: (params, limits) => knnFilterPasses(params, limits),
  bytes: knnFilterBuffers,
  work: ({ queryRows, refRows }) => queryRows * refRows,
};

/** Returns how many bytes each binding takes. */
export function knnFilterBuffers(params: KnnFilterParams): Record<KnnFilterBinding, number> {
  return { ...knnFilterBytes(params), scratch: knnFilterScratchBytes(params) };
}

export function knnFilterPasses(
  params: KnnFilterParams,
  limits: KernelLimits,
  {
    tile,
    variant,
    enoughGroups = knnPolicy.enoughGroups,
    caps,
    oneBuffer = false,
    prefilter,
  }: KnnFilterVariant = {},
): readonly Pass[] {
  if (params.queryRows === 0 || params.refRows === 0) return [];
  const made = partsOf(params, {
    ...{ tile: tile ?? tileFor(params, limits), variant, enoughGroups, prefilter },
    ...knnRooms(params),
    ...caps,
  });
  return made.map((parts) => makePass(oneBuffer ? allWritable(parts) : parts, limits));
}

function tileFor({ queryRows, refRows }: KnnFilterParams, limits: KernelLimits): PairTile {
  return pairTiles[choosePairTile(queryRows, refRows, limits)];
}

/** This is the variant with its defaults filled in. */
interface Decided extends KnnRooms {
  readonly tile: PairTile;
  readonly variant: TileVariant | undefined;
  readonly enoughGroups: number;
  readonly prefilter: Prefilter | undefined;
}

function partsOf(params: KnnFilterParams, decided: Decided): readonly PassParts[] {
  const { group = 0, keepAll = false, refBegin } = params;
  const { tile, room, prefilter } = decided;
  if (group === 0 && !keepAll) return [valuesPass(params, decided), selectPass(params)];
  assert(
    keepAll || (group % 4 === 0 && tile.refs % group === 0),
    `groups of ${group} do not fit a tile of ${tile.refs}`,
  );
  const expected = prefilter?.expected ?? room;
  const { first, appended } = knnWindows(params, { ...decided, room: expected });
  const values = first === 0 ? [] : [{ ...params, refRows: first }];
  return [
    ...(appended.length > 0 ? (prefilter?.prepare ?? []) : []),
    ...values.flatMap((call) => [valuesPass(call, decided), selectPass(call)]),
    ...appended.flatMap(({ begin, end, rank }) => {
      const call = { ...params, refBegin: refBegin + begin, refRows: end - begin };
      return [
        limitsPass(call, room, rank),
        ...(prefilter?.append(call, room) ?? [appendPass(call, decided)]),
        mergePass(call, room, rank),
        ...(expected < call.refRows && !keepAll ? recomputeParts(call, decided) : []),
      ];
    }),
  ];
}

function allWritable(parts: PassParts): PassParts {
  const rows = ["queries", "refs"];
  const bindings = parts.bindings.map((binding) =>
    rows.includes(binding.name) ? binding : ({ ...binding, access: "read_write" } as const),
  );
  return { ...parts, bindings };
}

function valuesPass(params: KnnFilterParams, { tile, variant }: Decided): PassParts {
  const groups = tileGroups(tile, params);
  return tileParts("knn.distance", params, { tile, variant }, valuesEpilogue(params), groups);
}

function appendPass(params: KnnFilterParams, { tile, variant, room, enoughGroups }: Decided): PassParts {
  const groups = tileGroups(tile, params, knnPolicy.tilesPerGroup, enoughGroups);
  return tileParts("knn.append", params, { tile, variant }, appendEpilogue(params, room), groups);
}

function recomputeParts(params: KnnFilterParams, decided: Decided): readonly PassParts[] {
  const { room, variant } = decided;
  return [minimaPass(params, decided), groupsPass(params, room), recomputePass(params, room, variant)];
}

function minimaPass(params: KnnFilterParams, { tile, variant, room }: Decided): PassParts {
  // Usually there is nothing to recompute, which few workgroups find out sooner.
  const groups = tileGroups(tile, params, Infinity, knnPolicy.recomputeGroups);
  return tileParts("knn.minima", params, { tile, variant }, minimaEpilogue(params, room), groups);
}
