/**
 * This is `distances.count` as a pass that counts, for which workgroups divide each query's pairs into parts,
 * and with `exact` one that settles what waits. Its promise stands in deviceContract.ts.
 */
import { ceilDiv, clamp, roundUp } from "../../../core/math.ts";
import * as distanceWgsl from "../../../distance/gpu/wgsl.generated.ts";
import * as keys from "../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import type { Binding, UniformField } from "../../../runtime/gpu/passes/compose.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import {
  DEFAULT_WORKGROUP_BYTES,
  makePass,
  type KernelLimits,
  type PassParts,
} from "../../../runtime/gpu/passes/pass.ts";
import {
  areSquares,
  GROUP_ROWS,
  groupBytes,
  thresholdWords,
  type CountBinding,
  type CountParams,
} from "../deviceContract.ts";
import { pairBindings, pairBytes, pairSnippets, pairUniforms, rankConstants } from "./pairs.ts";
import { distancesPolicy } from "./policy.ts";
import { wgsl } from "./shaders/wgsl.ts";

export const countKernel: GpuKernel<CountParams, CountBinding> = {
  passes(params, limits) {
    const { queryRows, refRows, exact } = params;
    if (queryRows === 0 || refRows === 0) return [];
    const all = exact ? [countParts(params, limits), settleParts(params)] : [countParts(params, limits)];
    return all.map((each) => makePass(each, limits));
  },
  bytes: (params) => {
    const { queryRows, bins, countWords, exact, shared, refBegin, refRows, room } = params;
    const { queries, queryMeta, refs, values } = pairBytes(params);
    return {
      queries: exact ? queries : 0,
      queryMeta: exact ? queryMeta : 0,
      refs: exact ? refs : 0,
      refGroups: exact ? groupBytes(refBegin + refRows) : 0,
      waiting: exact ? queryRows * (1 + room) * 4 : 0,
      values,
      thresholds: (shared ? 1 : queryRows) * thresholdWords(bins, exact) * 4,
      counts: queryRows * countWords * 4,
    };
  },
};

/** Workgroups divide the work in this way. Measurements and tests set it; it never changes the counts. */
export interface CountVariant {
  readonly threads: number;
  /** A workgroup holds this many bins, in this many copies; 0 where they do not fit. */
  readonly size: number;
  readonly copies: number;
  /** It holds their thresholds too. */
  readonly holds: boolean;
  readonly parts: number;
  readonly partRows: number;
}

export function countParts(
  params: CountParams,
  limits: KernelLimits,
  variant: CountVariant = countVariant(params, limits),
): PassParts {
  const { queryRows, exact, room, root, self } = params;
  const { threads, size, copies, holds, parts, partRows } = variant;
  const groups = queryRows * parts;
  return {
    label: "distances.count",
    body: wgsl("distances_count"),
    snippets: [
      keys.ordered_key,
      wgsl("slots"),
      ...(exact ? [distanceWgsl.distance_interval, wgsl("count_exact")] : [wgsl("count_float32")]),
    ],
    constants: {
      ...{ THREADS: threads, ROOT: root, SELF: self !== undefined, CUT: !exact, GROUP: GROUP_ROWS },
      ...{ LOCAL: size > 0, HELD_SLOTS: size + 2, COPIES: copies },
      ...{ HOLDS: holds, HELD: holds ? size + 1 : 1 },
    },
    uniforms: [
      ["groups", "u32", groups],
      ["parts", "u32", parts],
      ["partRows", "u32", partRows],
      ["queryRows", "u32", queryRows],
      ["room", "u32", room],
      ...slotUniforms(params),
      ...pairUniforms(params),
    ],
    bindings: [
      ...(exact ? exactBindings : []),
      { name: "values", access: "read", type: "array<vec4f>" },
      ...countBindings,
    ],
    groups,
  };
}

const groupsBinding: Binding = { name: "refGroups", access: "read", type: "array<vec2f>" };

const exactBindings: readonly Binding[] = [
  { name: "queryMeta", access: "read", type: "array<vec4f>" },
  groupsBinding,
  { name: "waiting", access: "read_write", type: "array<atomic<u32>>" },
];

const countBindings: readonly Binding[] = [
  { name: "thresholds", access: "read", type: "array<u32>" },
  { name: "counts", access: "read_write", type: "array<atomic<u32>>" },
];

function slotUniforms({ bins, countWords, shared, exact }: CountParams): readonly UniformField[] {
  return [
    ["bins", "u32", bins],
    ["countWords", "u32", countWords],
    ["thresholdWords", "u32", shared ? 0 : thresholdWords(bins, exact)],
  ];
}

function settleParts(params: CountParams): PassParts {
  const { queryRows, refRows, core, fixed = 0, room, root, self } = params;
  const { threads, settling, settledPerLane } = distancesPolicy;
  const parts = clamp(
    ceilDiv(settling / threads, queryRows),
    1,
    ceilDiv(Math.max(room, refRows / settledPerLane), threads),
  );
  const groups = queryRows * parts;
  return {
    label: "distances.settle",
    body: wgsl("distances_settle"),
    snippets: [...pairSnippets(), wgsl("slots"), wgsl("pair_fixed")],
    constants: {
      ...{ THREADS: threads, ROOT: root, SELF: self !== undefined, CUT: false },
      ...{ FIXED: params.fixed !== undefined, GROUP: GROUP_ROWS },
      ...rankConstants(core),
    },
    uniforms: [
      ["groups", "u32", groups],
      ["parts", "u32", parts],
      ["queryRows", "u32", queryRows],
      ["room", "u32", room],
      ["fixedScale", "f32", 2 ** fixed],
      ["fixedExponent", "i32", areSquares(core) ? 2 * fixed : fixed + 16],
      ...slotUniforms(params),
      ...pairUniforms(params),
    ],
    bindings: [
      ...pairBindings.filter(({ name }) => name !== "refMeta"),
      groupsBinding,
      ...countBindings,
      { name: "waiting", access: "read_write", type: "array<atomic<u32>>" },
    ],
    groups,
  };
}

/** Chooses as many lanes as there is work for, copies of the bins while there is room, and parts. */
export function countVariant(
  { queryRows, refRows, bins }: CountParams,
  { workgroupBytes = DEFAULT_WORKGROUP_BYTES, workgroupThreads = 256 }: KernelLimits,
): CountVariant {
  const { most, pairsPerLane, sizes, heldBins, copiedBins, reserved, lanes } = distancesPolicy;
  const threads =
    [most, most / 2].find((each) => each <= workgroupThreads && refRows >= each * pairsPerLane) ??
    distancesPolicy.threads;
  const room = (workgroupBytes - reserved) / 4;
  const wanted = sizes.find((each) => each >= bins) ?? bins;
  const size = [wanted, bins].find((each) => each + 2 <= room) ?? 0;
  const holds = size > 0 && size <= heldBins && 2 * size + 3 <= room;
  const fitting = (room - (holds ? size + 1 : 0)) / (size + 2);
  const copies = clamp(
    2 ** Math.floor(Math.log2(Math.min(fitting, copiedBins / Math.max(size, 1)))),
    1,
    size > 0 ? distancesPolicy.copies : 1,
  );
  const parts = ceilDiv(lanes / threads, queryRows);
  const partRows = roundUp(Math.max(ceilDiv(refRows, parts), threads * pairsPerLane, bins), 4);
  return { threads, size, copies, holds, parts: ceilDiv(refRows, partRows), partRows };
}
