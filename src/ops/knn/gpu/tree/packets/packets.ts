/**
 * This is the first search of `knn.treeFilter` where queries lie as densely as points. They are put in the
 * order of a k-d tree, and packets of those that follow each other search together. search.ts goes on with
 * what packets leave.
 */
import { ceilDiv } from "../../../../../core/math.ts";
import { LARGEST_FLOAT } from "../../../../../distance/float32.ts";
import * as keys from "../../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import type { KernelLimits, Pass, PassParts } from "../../../../../runtime/gpu/passes/pass.ts";
import { COUNTER_WORDS, type KnnTreeFilterParams } from "../../../contract/tree.ts";
import { RUN_PLACES } from "../../../contract/treeRuns.ts";
import { itemsPass } from "../build/build.ts";
import { highsFor, knnTreePolicy } from "../policy.ts";
import { treeUniforms } from "../uniforms.ts";
import { bestSnippet } from "./best.ts";
import { keysSnippet } from "./keys.ts";
import { wgsl } from "../wgsl.ts";

/**
 * Makes the passes of packets, which leave lists, or, with `within`, results as knn.nearestPoints has them.
 */
export function packetPasses(
  params: KnnTreeFilterParams,
  constants: NonNullable<PassParts["constants"]>,
  limits: KernelLimits,
  within?: number,
): readonly Pass[] {
  return [splitPass(params.queryRows, limits), packetPass(params, constants, limits, within)];
}

/** Makes the pass that puts runs of queries in the order of a k-d tree, whose leaves are packets. */
function splitPass(queryRows: number, limits: KernelLimits): Pass {
  const { packetLanes: PART } = knnTreePolicy;
  const RUN = RUN_PLACES;
  const groups = ceilDiv(queryRows, RUN);
  return itemsPass(
    "knn.treeFilter.split",
    wgsl("kd_order"),
    queryRows,
    { queries: "vec4f", scratch: "u32!" },
    {
      uniforms: [
        ["queryRows", "u32", queryRows],
        ["groups", "u32", groups],
      ],
      snippets: [wgsl("split_queries")],
      constants: { THREADS: RUN / 8, RUN, PART, WORDS: COUNTER_WORDS },
      groups,
    },
    limits,
  );
}

const subgroupDirectives = ["enable subgroups", "diagnostic(off, subgroup_uniformity)"];

/** Makes the pass in which packets of queries search together. */
function packetPass(
  params: KnnTreeFilterParams,
  constants: NonNullable<PassParts["constants"]>,
  limits: KernelLimits,
  within: number | undefined,
): Pass {
  const { queryRows, k, pairs = Infinity, most = Infinity } = params;
  const { traits, subgroupSize = 0 } = limits;
  const ofResults = within !== undefined;
  const { packetThreads, packetLanes, leastLanes, packetVisits, packetShare, atOnce, width, longLists } =
    knnTreePolicy;
  const subgroups = traits?.subgroups === true && subgroupSize >= leastLanes;
  const K = highsFor(k) + 1;
  const list = !ofResults && k >= longLists ? keysSnippet(K) : bestSnippet(K, ofResults);
  const THREADS = subgroups ? packetThreads : packetLanes;
  // A lane tests one of 2^WIDTH boxes. Subgroups larger than the least size are larger by powers of two.
  const WIDTH = Math.min(width, Math.floor(Math.log2(subgroups ? subgroupSize : packetLanes)));
  const groups = ceilDiv(queryRows, THREADS);
  const visits = queryRows > atOnce ? packetVisits : packetShare;
  return itemsPass(
    "knn.treeFilter.packets",
    wgsl("query_packets"),
    queryRows,
    {
      ...{ queries: "vec4f", points: "vec4u", boxes: "vec4f", scratch: "atomic<u32>!" },
      ...(ofResults
        ? { distances: "f32!", indices: "u32!" }
        : { queryMeta: "vec4f", heads: "vec2u!", candidates: "u32!" }),
    },
    {
      uniforms: [
        ...treeUniforms(params),
        ["groups", "u32", groups],
        ["most", "u32", Math.ceil(Math.min(most, (pairs * visits) / queryRows, 2 ** 31))],
        ["total", "f32", Math.min(pairs * packetShare, LARGEST_FLOAT)],
        ...(ofResults ? [["within", "f32", within] as const] : []),
      ],
      constants: { ...constants, K, THREADS, WIDTH },
      directives: subgroups ? subgroupDirectives : [],
      snippets: [
        ...[wgsl("leaf_begin"), wgsl("query_gap"), list],
        ...(ofResults
          ? [wgsl("may_hold"), wgsl("which_points"), wgsl("count_nothing"), wgsl("query_results")]
          : [wgsl("count_lists"), wgsl("query_lists")]),
        ...(subgroups ? [wgsl("packet_subgroup")] : [keys.ordered_key, wgsl("packet_workgroup")]),
      ],
      groups,
    },
    limits,
  );
}
