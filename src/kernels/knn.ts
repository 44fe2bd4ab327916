/**
 * `knn.filter` as passes: the values of a tile of distances into scratch, then the merge of every query's row of values
 * into its candidate list. What it promises stands in core/primitives.ts.
 */
import { ceilDiv, roundUp } from "../core/math.ts";
import { knnFilterScratchBytes, type DistanceCore, type KnnFilterParams } from "../core/primitives.ts";
import type { Kernel } from "./index.ts";
import { makePass, type KernelLimits, type Pass } from "./pass.ts";
import { chooseKnnTile, knnPolicy, knnTileThreads, type KnnTile } from "./policy.ts";
import * as wgsl from "./wgsl.generated.ts";

const metricSnippets: Record<DistanceCore, string> = {
  dot: wgsl.metric_dot,
  l2: wgsl.metric_l2,
  l1: wgsl.metric_l1,
  linf: wgsl.metric_linf,
  lp: wgsl.metric_lp,
};

export const knnFilterKernel: Kernel<"knn.filter"> = {
  name: "knn.filter",
  passes: knnFilterPasses,
  bytes: ({ queryRows, refBegin, refRows, stride, capacity }) => ({
    queries: queryRows * stride * 4,
    queryMeta: queryRows * 16,
    refs: (refBegin + refRows) * stride * 4,
    refMeta: (refBegin + refRows) * 16,
    heads: queryRows * 8,
    candidates: queryRows * capacity * 4,
    intervals: queryRows * capacity * 8,
    scratch: knnFilterScratchBytes(queryRows, refRows),
  }),
  pairs: ({ queryRows, refRows }) => queryRows * refRows,
};

/** @param tile for measurements and tests; the choice never changes which references are kept. */
export function knnFilterPasses(
  params: KnnFilterParams,
  limits: KernelLimits,
  tile: KnnTile = chooseKnnTile(params.queryRows, params.refRows),
): readonly Pass[] {
  if (params.queryRows === 0 || params.refRows === 0) return [];
  return [distancePass(params, limits, tile), selectPass(params, limits)];
}

function distancePass(params: KnnFilterParams, limits: KernelLimits, tile: KnnTile): Pass {
  return makePass(
    {
      label: "knn.distance",
      body: wgsl.knn_distance,
      snippets: [wgsl.linear_group, metricSnippets[params.core]],
      constants: {
        THREADS: knnTileThreads(tile),
        TILE_QUERIES: tile.queries,
        TILE_REFS: tile.refs,
        TILE_DEPTH: tile.depth,
        PER_QUERY: tile.perQuery,
        PER_REF: tile.perRef,
      },
      uniforms: [
        ["queryRows", "u32", params.queryRows],
        ["refBegin", "u32", params.refBegin],
        ["refRows", "u32", params.refRows],
        // Rows of `queries` and `refs` in vec4f: how many count, and from one to the next.
        ["depth", "u32", ceilDiv(params.dims, 4)],
        ["stride", "u32", params.stride / 4],
        // From one row of `scratch` to the next, in f32.
        ["pitch", "u32", roundUp(params.refRows, 4)],
        ["weight", "f32", params.weight],
        ["p", "f32", params.p],
      ],
      bindings: [
        { name: "queries", access: "read", type: "array<vec4f>" },
        { name: "queryMeta", access: "read", type: "array<vec4f>" },
        { name: "refs", access: "read", type: "array<vec4f>" },
        { name: "refMeta", access: "read", type: "array<vec4f>" },
        { name: "scratch", access: "read_write", type: "array<f32>" },
      ],
      groups: ceilDiv(params.queryRows, tile.queries) * ceilDiv(params.refRows, tile.refs),
    },
    limits,
  );
}

function selectPass(params: KnnFilterParams, limits: KernelLimits): Pass {
  return makePass(
    {
      label: "knn.select",
      body: wgsl.knn_select,
      snippets: [wgsl.linear_group, wgsl.workgroup_scan, wgsl.ordered_key],
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
        { name: "queryMeta", access: "read", type: "array<vec4f>" },
        { name: "refMeta", access: "read", type: "array<vec4f>" },
        { name: "scratch", access: "read", type: "array<vec4f>" },
        { name: "heads", access: "read_write", type: "array<vec2u>" },
        { name: "candidates", access: "read_write", type: "array<u32>" },
        { name: "intervals", access: "read_write", type: "array<vec2f>" },
      ],
      groups: params.queryRows,
    },
    limits,
  );
}
