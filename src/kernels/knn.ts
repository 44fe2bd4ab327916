/**
 * `knn.filter` as passes, in one of two ways. Either the values of a tile of distances go into scratch and are merged into every
 * query's candidate list; or only the least ends of groups of references do, and the groups that matter are looked into
 * again. What it promises stands in core/primitives/knn.ts, and both give the same lists.
 */
import { assert } from "../core/errors.ts";
import { ceilDiv, roundUp } from "../core/math.ts";
import {
  knnFilterScratchBytes,
  knnGroupPitch,
  knnWaitingRoom,
  type DistanceCore,
  type KnnFilterParams,
} from "../core/primitives/knn.ts";
import type { UniformField } from "./compose.ts";
import type { Kernel } from "./index.ts";
import { makePass, type KernelLimits, type Pass, type PassParts } from "./pass.ts";
import { chooseKnnTile, knnPolicy, knnTiles, knnTileThreads, type KnnTile } from "./policy.ts";
import * as wgsl from "./wgsl.generated.ts";

/** What tuning may choose: which references are kept does not depend on it. */
export interface KnnTuning {
  readonly tile: KnnTile;
  /** Whether knn_recheck reads references together through workgroup memory, or each lane its own. */
  readonly staged: boolean;
}

/** How knn.search uses it. */
export interface KnnEmbedding {
  /** All buffers but queries and refs are parts of one, which WebGPU then takes only where every part is writable. */
  readonly oneBuffer?: boolean;
}

const metricSnippets: Record<DistanceCore, string> = {
  dot: wgsl.metric_dot,
  l2: wgsl.metric_l2,
  l1: wgsl.metric_l1,
  linf: wgsl.metric_linf,
  lp: wgsl.metric_lp,
};

export const knnFilterKernel: Kernel<"knn.filter"> = {
  name: "knn.filter",
  passes: (params, limits) => knnFilterPasses(params, limits),
  bytes: ({ queryRows, refBegin, refRows, stride, capacity, k, group }) => ({
    queries: queryRows * stride * 4,
    queryMeta: queryRows * 16,
    refs: (refBegin + refRows) * stride * 4,
    refMeta: (refBegin + refRows) * 16,
    heads: queryRows * 8,
    candidates: queryRows * capacity * 4,
    intervals: queryRows * capacity * 8,
    scratch: knnFilterScratchBytes({ queryRows, refRows, k, group }),
  }),
  pairs: ({ queryRows, refRows }) => queryRows * refRows,
};

export function knnTuning({ queryRows, refRows }: KnnFilterParams): KnnTuning {
  return { tile: knnTiles[chooseKnnTile(queryRows, refRows)], staged: false };
}

/** @param tuning for measurements and tests; default the policy's. */
export function knnFilterPasses(
  params: KnnFilterParams,
  limits: KernelLimits,
  tuning: Partial<KnnTuning> & KnnEmbedding = {},
): readonly Pass[] {
  if (params.queryRows === 0 || params.refRows === 0) return [];
  const { tile, staged, oneBuffer = false } = { ...knnTuning(params), ...tuning };
  const { group = 0 } = params;
  const parts = partsOf(params, tile, group, staged);
  return parts.map((each) => makePass(oneBuffer ? allWritable(each) : each, limits));
}

function partsOf(
  params: KnnFilterParams,
  tile: KnnTile,
  group: number,
  staged: boolean,
): readonly PassParts[] {
  if (group === 0) return [distancePass(params, tile, 0), selectPass(params)];
  assert(
    group % tile.perRef === 0 && tile.refs % group === 0,
    `groups of ${group} references do not fit a tile of ${tile.refs} with ${tile.perRef} per lane`,
  );
  return [distancePass(params, tile, group), groupsPass(params), recheckPass(params, staged)];
}

function allWritable(parts: PassParts): PassParts {
  const rows = ["queries", "refs"];
  const bindings = parts.bindings.map((binding) =>
    rows.includes(binding.name) ? binding : ({ ...binding, access: "read_write" } as const),
  );
  return { ...parts, bindings };
}

function distancePass(params: KnnFilterParams, tile: KnnTile, group: number): PassParts {
  const { queryRows, refRows } = params;
  const grouped = group > 0;
  return {
    label: grouped ? "knn.minima" : "knn.distance",
    body: wgsl.knn_distance,
    snippets: [
      wgsl.linear_group,
      metricSnippets[params.core],
      ...(grouped ? groupedSnippets : [wgsl.knn_values]),
    ],
    constants: {
      THREADS: knnTileThreads(tile),
      TILE_QUERIES: tile.queries,
      TILE_REFS: tile.refs,
      TILE_DEPTH: tile.depth,
      PER_QUERY: tile.perQuery,
      PER_REF: tile.perRef,
      AHEAD: tile.ahead,
      ...(grouped ? { GROUP: group, CUT: params.cut } : {}),
    },
    uniforms: [
      ["queryRows", "u32", queryRows],
      ["refBegin", "u32", params.refBegin],
      ["refRows", "u32", refRows],
      ...rowUniforms(params),
      // From one row of `scratch` to the next, in its elements.
      ["pitch", "u32", grouped ? knnGroupPitch(refRows, group) : roundUp(refRows, 4)],
      ["slack", "f32", params.slack],
    ],
    bindings: [...rowBindings, scratchAs(grouped ? "array<vec2u>" : "array<f32>")],
    groups: ceilDiv(queryRows, tile.queries) * ceilDiv(refRows, tile.refs),
  };
}

const groupedSnippets = [wgsl.ordered_key, wgsl.knn_interval, wgsl.knn_minima];

/** Of `queries` and `refs` in vec4f: columns that count, and from one row to the next. */
function rowUniforms({ dims, stride, weight, p }: KnnFilterParams): readonly UniformField[] {
  return [
    ["depth", "u32", ceilDiv(dims, 4)],
    ["stride", "u32", stride / 4],
    ["weight", "f32", weight],
    ["p", "f32", p],
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
  wgsl.linear_group,
  wgsl.workgroup_scan,
  wgsl.ordered_key,
  wgsl.knn_interval,
  wgsl.knn_kth,
];

function scratchAs(type: string) {
  return { name: "scratch", access: "read_write", type } as const;
}

function selectPass(params: KnnFilterParams): PassParts {
  return {
    label: "knn.select",
    body: wgsl.knn_select,
    snippets: [...listSnippets, wgsl.knn_list],
    constants: { THREADS: knnPolicy.selectThreads, FOUND: knnPolicy.found, CUT: params.cut },
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

function groupsPass(params: KnnFilterParams): PassParts {
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
    ],
    bindings: [
      { ...listBindings[0], access: "read" },
      { ...listBindings[2], access: "read" },
      scratchAs("array<vec2u>"),
    ],
    groups: queryRows,
  };
}

function recheckPass(params: KnnFilterParams, staged: boolean): PassParts {
  const { queryRows, refBegin, refRows, k, group = 0 } = params;
  const pitch = knnGroupPitch(refRows, group);
  return {
    label: "knn.recheck",
    body: wgsl.knn_recheck,
    snippets: [
      ...listSnippets,
      wgsl.knn_list,
      metricSnippets[params.core],
      staged ? wgsl.knn_row_staged : wgsl.knn_row_direct,
    ],
    constants: {
      THREADS: knnPolicy.selectThreads,
      CUT: params.cut,
      ...(staged ? { ROW_DEPTH: knnPolicy.rowDepth } : {}),
    },
    uniforms: [
      ["queryRows", "u32", queryRows],
      ["refBegin", "u32", refBegin],
      ["refRows", "u32", refRows],
      ["firstRow", "u32", params.refOffset + refBegin],
      ...rowUniforms(params),
      ["group", "u32", group],
      ["pitch", "u32", pitch],
      // Where in `scratch` the pairs that wait begin, in words, and how many of a query there may be.
      ["waiting", "u32", queryRows * pitch * 2],
      ["room", "u32", knnWaitingRoom(k)],
      ["k", "u32", k],
      ["capacity", "u32", params.capacity],
      ["slack", "f32", params.slack],
    ],
    bindings: [...rowBindings, ...listBindings, scratchAs("array<u32>")],
    groups: queryRows,
  };
}
