/**
 * This is `knn.treeFilter` as passes. Queries are put in the order of the cells they lie in, and one lane
 * takes one down the tree. Those that are not done after a number of points go on in the next pass, so that
 * no dispatch is long. What is promised stands in contract/tree.ts.
 */
import { assert } from "../../../../core/errors.ts";
import { ceilDiv } from "../../../../core/math.ts";
import type { GpuKernel } from "../../../../runtime/gpu/passes/kernel.ts";
import type { KernelLimits, Pass, PassParts } from "../../../../runtime/gpu/passes/pass.ts";
import {
  COUNTER_WORDS,
  gpuTreeBytes,
  MOST_TREE_K,
  queryScratchBytes,
  TREE_COUNTERS,
  type KnnTreeFilterBinding,
  type KnnTreeFilterParams,
  type QueryScratch,
} from "../../contract/tree.ts";
import { itemsPass, startsPasses } from "./build/build.ts";
import { packetPasses } from "./packets/packets.ts";
import { highsFor, knnTreePolicy } from "./policy.ts";
import { treeUniforms } from "./uniforms.ts";
import { wgsl } from "./wgsl.ts";

export const knnTreeFilterKernel: GpuKernel<
  KnnTreeFilterParams,
  KnnTreeFilterBinding | QueryScratch | "intervals"
> = {
  passes: searchPasses,
  wantsTraits: () => true,
  bytes: ({ queryRows, stride, capacity, tree }) => ({
    queries: queryRows * stride * 4,
    queryMeta: queryRows * 16,
    heads: queryRows * 8,
    candidates: queryRows * capacity * 4,
    intervals: queryRows * capacity * 8,
    ...{ order: 0, margins: 0, nodeMargins: 0, points: 0, boxes: 0 },
    ...gpuTreeBytes(tree),
    ...queryScratchBytes(queryRows),
  }),
};

export const cores = ["l2", "l1", "linf"] as const;

function searchPasses(params: KnnTreeFilterParams, limits: KernelLimits): readonly Pass[] {
  const { queryRows, k, core } = params;
  if (queryRows === 0) return [];
  assert(k <= MOST_TREE_K, `${k} neighbours are more than a tree on a GPU finds`);
  const { passes, searchThreads: THREADS, restGroups } = knnTreePolicy;
  const search = { ...wordConstants, THREADS, K: highsFor(k), CORE: cores.indexOf(core) };
  const whole = ceilDiv(queryRows, THREADS);
  return [
    ...orderPasses(queryRows, limits),
    ...(isInPackets(params)
      ? packetPasses(params, search, limits)
      : [searchPass(params, search, 0, whole, limits)]),
    ...Array.from({ length: passes - 1 }, (_, i) =>
      searchPass(params, search, i + 1, Math.min(whole, restGroups), limits),
    ),
    restPass(queryRows, passes, limits),
  ];
}

/** Makes the pass that marks what waits after `round` passes. */
export function restPass(queryRows: number, round: number, limits: KernelLimits): Pass {
  return itemsPass(
    "knn.treeFilter.rest",
    wgsl("query_rest"),
    queryRows,
    { heads: "vec2u!", scratch: "u32!" },
    {
      uniforms: [
        ["queryRows", "u32", queryRows],
        ["round", "u32", round],
      ],
      constants: wordConstants,
    },
    limits,
  );
}

export const wordConstants = { WORDS: COUNTER_WORDS, COUNTERS: TREE_COUNTERS };

/** Tells whether queries lie as densely as the packets need. */
export function isInPackets({ tree, queryRows }: Pick<KnnTreeFilterParams, "tree" | "queryRows">): boolean {
  return tree.rows <= queryRows * knnTreePolicy.packets;
}

/** Makes the passes that list the queries cell by cell, for lists, or for results. */
export function orderPasses(queryRows: number, limits: KernelLimits, ofResults = false): readonly Pass[] {
  const uniforms: PassParts["uniforms"] = [["queryRows", "u32", queryRows]];
  const items = (name: string, body: string, types: Record<string, string>, snippets: string[] = []) =>
    itemsPass(
      `knn.treeFilter.${name}`,
      body,
      queryRows,
      types,
      { uniforms, snippets, constants: wordConstants },
      limits,
    );
  return [
    itemsPass(
      "knn.treeFilter.clear",
      wgsl("query_clear"),
      Math.max(queryRows, COUNTER_WORDS),
      { counts: "u32!", scratch: "u32!" },
      { uniforms, constants: wordConstants },
      limits,
    ),
    items(
      "cells",
      wgsl("query_cells"),
      { queries: "vec4f", boxes: "vec4f", counts: "atomic<u32>!", scratch: "u32!" },
      [wgsl("tree_path")],
    ),
    ...startsPasses(queryRows, { input: "counts", output: "starts" }, limits),
    items(
      "order",
      wgsl("query_order"),
      { starts: "u32", scratch: "u32!", ...(!ofResults && { heads: "vec2u!" }) },
      [ofResults ? wgsl("count_nothing") : wgsl("count_lists")],
    ),
  ];
}

/**
 * Makes the pass that goes on with the queries that are left after `round` passes, for a number of points.
 */
function searchPass(
  params: KnnTreeFilterParams,
  constants: NonNullable<PassParts["constants"]>,
  round: number,
  groups: number,
  limits: KernelLimits,
): Pass {
  const { queryRows, pairs = Infinity, most = knnTreePolicy.most } = params;
  return itemsPass(
    "knn.treeFilter.search",
    wgsl("query_search"),
    queryRows,
    {
      ...{ queries: "vec4f", queryMeta: "vec4f", points: "vec4u", boxes: "vec4f" },
      ...{ heads: "vec2u!", candidates: "u32!", intervals: "vec2f!", scratch: "atomic<u32>!" },
    },
    {
      uniforms: [
        ...treeUniforms(params),
        ["lanes", "u32", groups * knnTreePolicy.searchThreads],
        ["round", "u32", round],
        // The pass visits at most `pairs` points, and one query at most `most`.
        ["pairs", "u32", Math.min(pairs, 2 ** 32 - 1)],
        ["most", "u32", Math.min(most, knnTreePolicy.most)],
      ],
      constants,
      snippets: [wgsl("leaf_begin"), wgsl("query_gap")],
      groups,
    },
    limits,
  );
}
