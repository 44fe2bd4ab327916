/**
 * These are `knn.pointTree` and `knn.nearestPoints` as passes, on buffers of other WebGPU programs. The tree
 * is that of `knn.tree`, over rows that have no margins. Its search keeps what it finds as it is: nothing is
 * evaluated again, and nothing needs the host.
 */
import { ceilDiv } from "../../../../../core/math.ts";
import { LARGEST_FLOAT } from "../../../../../distance/float32.ts";
import type { GpuKernel } from "../../../../../runtime/gpu/passes/kernel.ts";
import type { KernelLimits, Pass, PassParts } from "../../../../../runtime/gpu/passes/pass.ts";
import {
  scratchOf,
  treeOf,
  type NearestPointsBinding,
  type NearestPointsParams,
  type PointTreeBinding,
  type PointTreeParams,
} from "../../../contract/nearestPoints.ts";
import {
  gpuTreeBytes,
  queryScratchBytes,
  treeScratchBytes,
  type KnnTreeFilterParams,
} from "../../../contract/tree.ts";
import { buildPasses, itemsPass, renamed } from "../build/build.ts";
import { packetPasses } from "../packets/packets.ts";
import { highsFor, knnTreePolicy } from "../policy.ts";
import { isInPackets, orderPasses, wordConstants } from "../search.ts";
import { treeUniforms } from "../uniforms.ts";
import { wgsl } from "../wgsl.ts";

export { unpack } from "../wgsl.ts";

export const pointTreeKernel: GpuKernel<PointTreeParams, PointTreeBinding> = {
  bytes: (params) => {
    const tree = treeOf(params);
    const { points: leaves, boxes } = gpuTreeBytes(tree);
    const scratch = scratchOf(treeScratchBytes(tree));
    return { points: tree.rows * 16, leaves, boxes, scratch: 0, ...scratch.bytes } as Bytes<PointTreeBinding>;
  },
  passes: (params, limits) => {
    const tree = treeOf(params);
    const names = { refs: "points", points: "leaves", ...scratchOf(treeScratchBytes(tree)).names };
    return buildPasses(tree, limits, false).map((pass) => renamed(pass, names));
  },
};

type Bytes<Binding extends string> = Readonly<Record<Binding, number>>;

export const nearestPointsKernel: GpuKernel<NearestPointsParams, NearestPointsBinding> = {
  wantsTraits: () => true,
  bytes: ({ queries, k, ...params }) => {
    const { points: leaves, boxes } = gpuTreeBytes(treeOf(params));
    const results = { distances: queries * k * 4, indices: queries * k * 4 };
    const scratch = scratchOf(queryScratchBytes(queries)).bytes;
    return { queries: queries * 16, leaves, boxes, ...results, ...scratch } as Bytes<NearestPointsBinding>;
  },
  passes: searchPasses,
};

function searchPasses(params: NearestPointsParams, limits: KernelLimits): readonly Pass[] {
  const { queries: queryRows, k, metric, radius, excludeSelf, visitsPerDispatch: pairs } = params;
  const tree = treeOf(params);
  const search: KnnTreeFilterParams = {
    ...{ core: "l2", slack: 0, k, capacity: k, stride: 4, queryRows, tree, pairs },
  };
  const { searchThreads: THREADS, restGroups, pointPasses } = knnTreePolicy;
  const within = Math.min(Math.fround(metric === "euclidean" ? radius * radius : radius), LARGEST_FLOAT);
  const constants = {
    ...{ ...wordConstants, THREADS, CORE: 0, ROOT: metric === "euclidean" ? 1 : 0 },
    ...{ RADIUS: radius < Infinity ? 1 : 0, SELF: excludeSelf ? 1 : 0 },
  };
  const whole = ceilDiv(queryRows, THREADS);
  const inPackets = isInPackets(search);
  const rounds = Array.from({ length: pointPasses }, (_, round) => {
    if (round === 0 && inPackets) {
      const first = { ...search, pairs: Math.max(pairs, queryRows * FIRST_VISITS) };
      return packetPasses(first, { ...constants, K: highsFor(k) }, limits, within);
    }
    const groups = round === 0 ? whole : Math.min(whole, restGroups);
    return [restPass(search, constants, round, groups, within, limits)];
  });
  const names = { points: "leaves", ...scratchOf(queryScratchBytes(queryRows)).names };
  return [...orderPasses(queryRows, limits, true), ...rounds.flat()].map((pass) => renamed(pass, names));
}

/** Makes the pass that goes on with the queries that are left after `round` passes. */
function restPass(
  params: KnnTreeFilterParams,
  constants: NonNullable<PassParts["constants"]>,
  round: number,
  groups: number,
  within: number,
  limits: KernelLimits,
): Pass {
  const { queryRows, pairs = Infinity } = params;
  const isLast = round === knnTreePolicy.pointPasses - 1;
  return itemsPass(
    "knn.nearestPoints.rest",
    wgsl("nearest_rest"),
    queryRows,
    {
      ...{ queries: "vec4f", points: "vec4u", boxes: "vec4f" },
      ...{ distances: "f32!", indices: "u32!", scratch: "atomic<u32>!" },
    },
    {
      uniforms: [
        ...treeUniforms(params),
        ["lanes", "u32", groups * knnTreePolicy.searchThreads],
        ["round", "u32", round],
        ["pairs", "u32", Math.min(pairs, MOST_WORD)],
        ["least", "u32", isLast ? MOST_WORD : 1],
        ["most", "u32", isLast ? MOST_WORD : Math.min(pairs, knnTreePolicy.most)],
        ["within", "f32", within],
      ],
      constants,
      snippets: [wgsl("leaf_begin"), wgsl("query_gap"), wgsl("may_hold"), wgsl("which_points")],
      groups,
    },
    limits,
  );
}

/** A query of a packet may visit this many points at first, however many there are: most are then done. */
const FIRST_VISITS = 512;
const MOST_WORD = 2 ** 32 - 1;
