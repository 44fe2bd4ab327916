/**
 * `knn.filter` as passes. The values of the first references go to scratch and are merged into every query's candidate list, which then has
 * a threshold: of the others, pairs that pass it are noted and merged. Where more pass than there is room for, as in data in
 * order, the least ends of groups of references are taken and the groups that matter looked into again. What it
 * promises stands in core/primitives/knn.ts; all ways give the same lists.
 */
import { assert } from "../../../../core/errors.ts";
import { ceilDiv, roundUp } from "../../../../core/math.ts";
import {
  knnFilterScratchBytes,
  knnGroupPitch,
  knnRooms,
  knnWaitingRoom,
  type DistanceCore,
  type KnnFilterBinding,
  type KnnFilterParams,
} from "../../contract/filter.ts";
import type { UniformField } from "../../../../runtime/gpu/passes/compose.ts";
import type { Kernel } from "../../../../runtime/gpu/passes/kernel.ts";
import { knnWindows } from "./windows.ts";
import {
  makePass,
  type KernelLimits,
  type Pass,
  type PassParts,
} from "../../../../runtime/gpu/passes/pass.ts";
import { chooseKnnTile, knnTiles, knnTileThreads, type KnnTile } from "../../../../distance/gpu/policy.ts";
import { knnPolicy, knnSearchPolicy } from "../policy.ts";
import * as collectives from "../../../../runtime/gpu/collectives/wgsl.generated.ts";
import * as distanceWgsl from "../../../../distance/gpu/wgsl.generated.ts";
import * as keys from "../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import * as wgsl from "./wgsl.generated.ts";

/** Beside the parameters: which references are kept does not depend on it. */
export interface KnnTuning {
  /** For measurements and tests; default the policy's. */
  readonly tile?: KnnTile;
  readonly mixed?: MixedKernels;
  /** Workgroups below which none makes several tiles one after the other; default the policy's. */
  readonly enoughGroups?: number;
  /** All buffers but queries and refs are parts of one, which WebGPU then takes only where every part is writable. */
  readonly oneBuffer?: boolean;
}

/** The texts that knn.mixedFilter and knn.powerFilter put in place of others; knn.filter does without. */
export interface MixedKernels {
  readonly steps?: string;
  /** Instead of the core's. */
  readonly metric?: string;
  readonly differences?: string;
  readonly row?: string;
  readonly constants?: Readonly<Record<string, boolean>>;
  readonly uniforms: readonly UniformField[];
}

const metricSnippets: Record<DistanceCore, string> = {
  dot: distanceWgsl.metric_dot,
  l2: distanceWgsl.metric_l2,
  l1: distanceWgsl.metric_l1,
  linf: distanceWgsl.metric_linf,
  lp: distanceWgsl.metric_lp,
};

export const knnFilterKernel: Kernel<"knn.filter"> = {
  name: "knn.filter",
  passes: (params, limits) => knnFilterPasses(params, limits),
  bytes: knnFilterBytes,
  pairs: ({ queryRows, refRows }) => queryRows * refRows,
};

export function knnFilterBytes(params: KnnFilterParams): Record<KnnFilterBinding, number> {
  const { queryRows, refBegin, refRows, stride, capacity } = params;
  return {
    queries: queryRows * stride * 4,
    queryMeta: queryRows * 16,
    refs: (refBegin + refRows) * stride * 4,
    refMeta: (refBegin + refRows) * 16,
    heads: queryRows * 8,
    candidates: queryRows * capacity * 4,
    intervals: queryRows * capacity * 8,
    scratch: knnFilterScratchBytes(params),
  };
}

export function knnFilterPasses(
  params: KnnFilterParams,
  limits: KernelLimits,
  { tile, mixed, enoughGroups = knnPolicy.enoughGroups, oneBuffer = false }: KnnTuning = {},
): readonly Pass[] {
  if (params.queryRows === 0 || params.refRows === 0) return [];
  const parts = partsOf(params, {
    ...{ tile: tile ?? tileFor(params, limits), mixed, enoughGroups },
    ...knnRooms(params),
  });
  const codes = new Map<string, string>();
  return parts.map((each) => {
    const pass = makePass(oneBuffer ? allWritable(each) : each, limits, codes.get(each.label));
    codes.set(each.label, pass.code); // Passes of one call that are called alike differ in their uniforms only.
    return pass;
  });
}

function tileFor({ queryRows, refRows }: KnnFilterParams, limits: KernelLimits): KnnTile {
  return knnTiles[chooseKnnTile(queryRows, refRows, limits)];
}

/** How a call goes about it. */
interface Way {
  readonly tile: KnnTile;
  readonly mixed: MixedKernels | undefined;
  readonly enoughGroups: number;
  readonly first: number;
  readonly room: number;
}

function partsOf(params: KnnFilterParams, way: Way): readonly PassParts[] {
  const { group = 0, history = false, refBegin } = params;
  const { tile, room } = way;
  if (group === 0 && !history) return [valuesPass(params, way), selectPass(params)];
  assert(
    history || (group % 4 === 0 && tile.refs % group === 0),
    `groups of ${group} references do not fit a tile of ${tile.refs}`,
  );
  if (way.first === 0 && !history) return recomputeParts(params, way, false);
  const { first, noted } = knnWindows(params, way);
  const values = first === 0 ? [] : [{ ...params, refRows: first }];
  return [
    ...values.flatMap((call) => [valuesPass(call, way), selectPass(call)]),
    ...noted.flatMap(({ begin, end, rank }) => {
      const call = { ...params, refBegin: refBegin + begin, refRows: end - begin };
      return [
        rank < params.k ? guessPass(call, way, rank) : limitsPass(call, way),
        appendPass(call, way),
        mergePass(call, way, rank),
        ...(room < call.refRows && !history ? recomputeParts(call, way, true) : []),
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

function valuesPass(params: KnnFilterParams, way: Way): PassParts {
  const { tile } = way;
  const { queryRows, refRows } = params;
  const groups = tileGroups(tile, queryRows, refRows);
  return {
    label: "knn.distance",
    ...distanceParts(params, way, wgsl.epilogue_values),
    uniforms: [
      ...distanceUniforms(params, way, groups),
      // From one row of `scratch` to the next, in its elements.
      ["pitch", "u32", ceilDiv(refRows, 4)],
    ],
    bindings: [...rowBindings, scratchAs("array<vec4f>")],
    groups,
  };
}

function appendPass(params: KnnFilterParams, way: Way): PassParts {
  const { tile, room, enoughGroups } = way;
  const parts = distanceParts(params, way, wgsl.epilogue_append);
  const groups = tileGroups(tile, params.queryRows, params.refRows, knnPolicy.tilesPerGroup, enoughGroups);
  return {
    label: "knn.append",
    ...parts,
    snippets: [...parts.snippets, keys.ordered_key, distanceWgsl.knn_interval, wgsl.knn_append],
    constants: { ...parts.constants, CUT: params.cut },
    uniforms: [
      ...distanceUniforms(params, way, groups),
      ["firstRow", "u32", params.refOffset + params.refBegin],
      ["k", "u32", params.k],
      ["slack", "f32", params.slack],
      ...noteUniforms(params, room),
    ],
    bindings: [
      ...rowBindings.filter(({ name }) => name !== "queryMeta"),
      { ...listBindings[0], access: "read" },
      scratchAs("array<atomic<u32>>"),
    ],
    groups,
  };
}

function minimaPass(params: KnnFilterParams, way: Way, mend: boolean): PassParts {
  const { queryRows, refRows, group = 0 } = params;
  const { tile, room } = way;
  const parts = distanceParts(params, way, wgsl.epilogue_minima);
  // Usually there is nothing to mend, which few workgroups find out sooner.
  const groups = mend
    ? tileGroups(tile, queryRows, refRows, Infinity, knnPolicy.recomputeGroups)
    : tileGroups(tile, queryRows, refRows);
  return {
    label: "knn.minima",
    ...parts,
    snippets: [...parts.snippets, keys.ordered_key, distanceWgsl.knn_interval],
    constants: { ...parts.constants, GROUP: group, CUT: params.cut, MEND: mend },
    uniforms: [
      ...distanceUniforms(params, way, groups),
      // From one row of minima to the next, in pairs of words.
      ["pitch", "u32", knnGroupPitch(refRows, group)],
      ["slack", "f32", params.slack],
      ...noteUniforms(params, room),
    ],
    bindings: [...rowBindings, scratchAs("array<u32>")],
    groups,
  };
}

function recomputeParts(params: KnnFilterParams, way: Way, mend: boolean): readonly PassParts[] {
  return [minimaPass(params, way, mend), groupsPass(params, way, mend), recheckPass(params, way, mend)];
}

/** The kernel of a tile of distances, with the snippet that takes its sums. */
export function distanceParts(
  { core, dims }: Pick<KnnFilterParams, "core" | "dims">,
  { tile, mixed }: Pick<Way, "tile" | "mixed">,
  epilogue: string,
) {
  const steps = mixed?.steps ?? distanceWgsl.knn_steps;
  const snippets = [
    collectives.linear_group,
    ...metricOf(core, mixed),
    steps,
    distanceWgsl.pair_value,
    epilogue,
  ];
  const constants = {
    THREADS: knnTileThreads(tile),
    TILE_QUERIES: tile.queries,
    TILE_REFS: tile.refs,
    TILE_DEPTH: tile.depth,
    WHOLE_SLABS: roundUp(dims, 4) % tile.depth === 0,
    PER_QUERY: tile.perQuery,
    PER_REF: tile.perRef,
    ...mixed?.constants,
  };
  return { body: distanceWgsl.distance_tile, snippets, constants };
}

/** How a column is added to a sum, and what becomes of the sum. */
export function metricOf(core: DistanceCore, mixed?: MixedKernels): readonly string[] {
  if (core === "dot") return [mixed?.metric ?? metricSnippets.dot];
  return [metricSnippets[core], mixed?.differences ?? distanceWgsl.knn_direct];
}

function distanceUniforms(params: KnnFilterParams, way: Way, groups: number): readonly UniformField[] {
  return [
    ["groups", "u32", groups],
    ["queryRows", "u32", params.queryRows],
    ["refBegin", "u32", params.refBegin],
    ["refRows", "u32", params.refRows],
    ...rowUniforms(params, way),
  ];
}

/** Where in `scratch`, in words, the limits begin that follow the counts, and what follows those; pairs of a query that can be noted. */
function noteUniforms({ queryRows }: KnnFilterParams, room: number): readonly UniformField[] {
  return [
    ["limits", "u32", roundUp(queryRows + 1, 4)],
    ["begin", "u32", beginOf(queryRows)],
    ["room", "u32", room],
  ];
}

function beginOf(queryRows: number): number {
  return roundUp(queryRows + 1, 4) + 4 * queryRows;
}

/** Workgroups that share the tiles, equally many for every tile of queries: each makes `most` tiles where at least `enough` are left. */
export function tileGroups(tile: KnnTile, queryRows: number, refRows: number, most = 1, enough = 1): number {
  const refTiles = ceilDiv(refRows, tile.refs);
  const queryTiles = ceilDiv(queryRows, tile.queries);
  return queryTiles * Math.min(refTiles, Math.max(ceilDiv(refTiles, most), ceilDiv(enough, queryTiles)));
}

/** Of `queries` and `refs` in vec4f: columns that count, and from one row to the next. */
function rowUniforms({ dims, stride, weight, p }: KnnFilterParams, { mixed }: Way): readonly UniformField[] {
  return [
    ["depth", "u32", ceilDiv(dims, 4)],
    ["stride", "u32", stride / 4],
    ["weight", "f32", weight],
    ["p", "f32", p],
    ...(mixed?.uniforms ?? []),
  ];
}

const rowBindings = [
  { name: "queries", access: "read", type: "array<vec4f>" },
  { name: "queryMeta", access: "read", type: "array<vec4f>" },
  { name: "refs", access: "read", type: "array<vec4f>" },
  { name: "refMeta", access: "read", type: "array<vec4f>" },
] as const;

const listBindings = [
  { name: "heads", access: "read_write", type: "array<vec2u>" },
  { name: "candidates", access: "read_write", type: "array<u32>" },
  { name: "intervals", access: "read_write", type: "array<vec2f>" },
] as const;

const listSnippets = [
  collectives.linear_group,
  collectives.workgroup_scan,
  keys.ordered_key,
  distanceWgsl.knn_interval,
  wgsl.knn_kth,
];

function listConstants({ cut, history = false }: KnnFilterParams) {
  return { THREADS: knnPolicy.selectThreads, CUT: cut, HISTORY: history };
}

function scratchAs(type: string) {
  return { name: "scratch", access: "read_write", type } as const;
}

function selectPass(params: KnnFilterParams): PassParts {
  return {
    label: "knn.select",
    body: wgsl.knn_select,
    snippets: [...listSnippets, wgsl.knn_list],
    constants: { ...listConstants(params), FOUND: knnPolicy.found },
    uniforms: [
      ["queryRows", "u32", params.queryRows],
      ["refBegin", "u32", params.refBegin],
      ["refRows", "u32", params.refRows],
      // Row index of the tile's first column in the whole reference set.
      ["firstRow", "u32", params.refOffset + params.refBegin],
      // From one row of `scratch` to the next, in vec4f.
      ["pitch", "u32", ceilDiv(params.refRows, 4)],
      ["k", "u32", params.k],
      ["capacity", "u32", params.capacity],
      ["slack", "f32", params.slack],
    ],
    bindings: [
      rowBindings[1],
      rowBindings[3],
      { name: "scratch", access: "read", type: "array<vec4f>" },
      ...listBindings,
    ],
    groups: params.queryRows,
  };
}

function limitsPass(params: KnnFilterParams, { room }: Way): PassParts {
  const { threads } = knnSearchPolicy;
  const { queryRows } = params;
  return {
    label: "knn.limits",
    body: wgsl.knn_limits,
    snippets: [collectives.linear_group, wgsl.knn_limit],
    constants: { THREADS: threads },
    uniforms: limitUniforms(params, room),
    bindings: [rowBindings[1], { ...listBindings[0], access: "read" }, scratchAs("array<u32>")],
    groups: ceilDiv(queryRows + 1, threads),
  };
}

function guessPass(params: KnnFilterParams, { room }: Way, rank: number): PassParts {
  return {
    label: "knn.guess",
    body: wgsl.knn_guess,
    snippets: [...listSnippets, wgsl.knn_limit],
    constants: listConstants(params),
    uniforms: [["rank", "u32", rank], ["slack", "f32", params.slack], ...limitUniforms(params, room)],
    bindings: [
      rowBindings[1],
      { ...listBindings[0], access: "read" },
      { ...listBindings[2], access: "read" },
      scratchAs("array<u32>"),
    ],
    groups: params.queryRows,
  };
}

function limitUniforms(params: KnnFilterParams, room: number): readonly UniformField[] {
  return [
    ["queryRows", "u32", params.queryRows],
    ["k", "u32", params.k],
    ["capacity", "u32", params.capacity],
    ...noteUniforms(params, room),
  ];
}

function mergePass(params: KnnFilterParams, { room }: Way, rank: number): PassParts {
  return {
    label: "knn.merge",
    body: wgsl.knn_merge,
    snippets: [...listSnippets, wgsl.knn_list],
    constants: listConstants(params),
    uniforms: [
      // Of the limit among the high ends before.
      ["rank", "u32", rank],
      ["slack", "f32", params.slack],
      ...limitUniforms(params, room),
    ],
    bindings: [...listBindings, scratchAs("array<atomic<u32>>")],
    groups: params.queryRows,
  };
}

function groupsPass(params: KnnFilterParams, { room }: Way, mend: boolean): PassParts {
  const { queryRows, refRows, k, capacity, group = 0 } = params;
  return {
    label: "knn.groups",
    body: wgsl.knn_groups,
    snippets: listSnippets,
    constants: { THREADS: knnPolicy.selectThreads, CUT: params.cut, MEND: mend },
    uniforms: [
      ["queryRows", "u32", queryRows],
      ["groups", "u32", ceilDiv(refRows, group)],
      ["pitch", "u32", knnGroupPitch(refRows, group)],
      ["k", "u32", k],
      ["capacity", "u32", capacity],
      ["slack", "f32", params.slack],
      ...noteUniforms(params, room),
    ],
    bindings: [
      { ...listBindings[0], access: "read" },
      { ...listBindings[2], access: "read" },
      scratchAs("array<u32>"),
    ],
    groups: queryRows,
  };
}

function recheckPass(params: KnnFilterParams, way: Way, mend: boolean): PassParts {
  const { room, mixed } = way;
  const { queryRows, refBegin, refRows, k, group = 0 } = params;
  const pitch = knnGroupPitch(refRows, group);
  return {
    label: "knn.recompute",
    body: wgsl.knn_recompute,
    snippets: [
      ...listSnippets,
      wgsl.knn_list,
      ...metricOf(params.core, mixed),
      distanceWgsl.pair_value,
      mixed?.row ?? distanceWgsl.knn_row,
    ],
    constants: { ...listConstants(params), MEND: mend, ...mixed?.constants },
    uniforms: [
      ["queryRows", "u32", queryRows],
      ["refBegin", "u32", refBegin],
      ["refRows", "u32", refRows],
      ["firstRow", "u32", params.refOffset + refBegin],
      ...rowUniforms(params, way),
      ["group", "u32", group],
      ["pitch", "u32", pitch],
      // Where in `scratch` the pairs that wait begin, in words, and how many of a query there may be.
      ["waiting", "u32", beginOf(queryRows) + queryRows * pitch * 2],
      ["waitingRoom", "u32", knnWaitingRoom(k)],
      ["k", "u32", k],
      ["capacity", "u32", params.capacity],
      ["slack", "f32", params.slack],
      ...noteUniforms(params, room),
    ],
    bindings: [...rowBindings, ...listBindings, scratchAs("array<u32>")],
    groups: queryRows,
  };
}
