/**
 * These are the passes of `knn.filter` that work on candidate lists. They take limits from lists, merge into
 * them what the tiles left in scratch, and choose and recompute the groups that a list needs. The passes over
 * tiles themselves are in epilogues.ts.
 */
import { ceilDiv } from "../../../../core/math.ts";
import { knnGroupPitch, knnWaitingRoom, type KnnFilterParams } from "../../contract/filter.ts";
import { pairSnippets, rowBindings, rowUniforms, type TileVariant } from "../../../../distance/gpu/tile.ts";
import type { UniformField } from "../../../../runtime/gpu/passes/compose.ts";
import type { PassParts } from "../../../../runtime/gpu/passes/pass.ts";
import { knnPolicy } from "../policy.ts";
import { appendedBegin, appendedUniforms, scratchAs } from "./scratch.ts";
import * as distanceWgsl from "../../../../distance/gpu/wgsl.generated.ts";
import * as wgsl from "./wgsl.generated.ts";
import * as collectives from "../../../../runtime/gpu/collectives/wgsl.generated.ts";
import * as keys from "../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";

export const listBindings = [
  { name: "heads", access: "read_write", type: "array<vec2u>" },
  { name: "candidates", access: "read_write", type: "array<u32>" },
  { name: "intervals", access: "read_write", type: "array<vec2f>" },
] as const;

const listSnippets = [
  collectives.workgroup_scan,
  keys.ordered_key,
  distanceWgsl.distance_interval,
  wgsl.knn_kth,
];

function listConstants({ cut, keepAll = false }: KnnFilterParams) {
  return { THREADS: knnPolicy.selectThreads, CUT: cut, KEEP_ALL: keepAll };
}

export function selectPass(params: KnnFilterParams): PassParts {
  return {
    label: "knn.select",
    body: wgsl.knn_select,
    snippets: [...listSnippets, wgsl.knn_list],
    constants: { ...listConstants(params), FOUND: knnPolicy.found },
    uniforms: [
      ["queryRows", "u32", params.queryRows],
      ["refBegin", "u32", params.refBegin],
      ["refRows", "u32", params.refRows],
      // The row index of the tile's first column in the whole reference set.
      ["firstRow", "u32", params.refOffset + params.refBegin],
      // The distance from one row of `scratch` to the next, in vec4f.
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

/**
 * Makes the pass that finds limits.
 * @param rank the rank of the limit among the high ends of a list: k for its threshold
 */
export function limitsPass(params: KnnFilterParams, room: number, rank: number): PassParts {
  return {
    label: "knn.limits",
    body: wgsl.knn_limits,
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
    ...appendedUniforms(params.queryRows, room),
  ];
}

export function mergePass(params: KnnFilterParams, room: number, rank: number): PassParts {
  return {
    label: "knn.merge",
    body: wgsl.knn_merge,
    snippets: [...listSnippets, wgsl.knn_list],
    constants: listConstants(params),
    uniforms: [
      // The limit's rank among the high ends before.
      ["rank", "u32", rank],
      ["slack", "f32", params.slack],
      ...limitUniforms(params, room),
    ],
    bindings: [...listBindings, scratchAs("array<atomic<u32>>")],
    groups: params.queryRows,
  };
}

export function groupsPass(params: KnnFilterParams, room: number): PassParts {
  const { queryRows, refRows, k, capacity, group = 0 } = params;
  return {
    label: "knn.groups",
    body: wgsl.knn_groups,
    snippets: listSnippets,
    constants: { THREADS: knnPolicy.selectThreads, CUT: params.cut },
    uniforms: [
      ["queryRows", "u32", queryRows],
      ["groups", "u32", ceilDiv(refRows, group)],
      ["pitch", "u32", knnGroupPitch(refRows, group)],
      ["k", "u32", k],
      ["capacity", "u32", capacity],
      ["slack", "f32", params.slack],
      ...appendedUniforms(params.queryRows, room),
    ],
    bindings: [
      { ...listBindings[0], access: "read" },
      { ...listBindings[2], access: "read" },
      scratchAs("array<u32>"),
    ],
    groups: queryRows,
  };
}

export function recomputePass(
  params: KnnFilterParams,
  room: number,
  variant: TileVariant | undefined,
): PassParts {
  const { queryRows, refBegin, refRows, k, group = 0 } = params;
  const pitch = knnGroupPitch(refRows, group);
  return {
    label: "knn.recompute",
    body: wgsl.knn_recompute,
    snippets: [...listSnippets, wgsl.knn_list, ...pairSnippets(params.core, variant), distanceWgsl.row_sum],
    constants: { ...listConstants(params), ...variant?.constants },
    uniforms: [
      ["queryRows", "u32", queryRows],
      ["refBegin", "u32", refBegin],
      ["refRows", "u32", refRows],
      ["firstRow", "u32", params.refOffset + refBegin],
      ...rowUniforms(params, variant),
      ["group", "u32", group],
      ["pitch", "u32", pitch],
      // The word of `scratch` at which the pairs that wait begin, and how many of a query there may be.
      ["waiting", "u32", appendedBegin(queryRows) + queryRows * pitch * 2],
      ["waitingRoom", "u32", knnWaitingRoom(k)],
      ["k", "u32", k],
      ["capacity", "u32", params.capacity],
      ["slack", "f32", params.slack],
      ...appendedUniforms(params.queryRows, room),
    ],
    bindings: [...rowBindings, ...listBindings, scratchAs("array<u32>")],
    groups: queryRows,
  };
}
