/**
 * This is `distances.count` as one pass: workgroups divide each query's pairs into parts. Its promise stands
 * in deviceContract.ts.
 */
import { ceilDiv, clamp, roundUp } from "../../../core/math.ts";
import * as keys from "../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import type { GpuKernel } from "../../../runtime/gpu/passes/kernel.ts";
import {
  DEFAULT_WORKGROUP_BYTES,
  makePass,
  type KernelLimits,
  type PassParts,
} from "../../../runtime/gpu/passes/pass.ts";
import { thresholdWords, type CountBinding, type CountParams } from "../deviceContract.ts";
import { pairBindings, pairBytes, pairSnippets, pairUniforms } from "./pairs.ts";
import { distancesPolicy } from "./policy.ts";
import * as wgsl from "./wgsl.generated.ts";

export const countKernel: GpuKernel<CountParams, CountBinding> = {
  passes: (params, limits) =>
    params.queryRows === 0 || params.refRows === 0 ? [] : [makePass(countParts(params, limits), limits)],
  bytes: (params) => {
    const { queryRows, bins, countWords, exact, shared } = params;
    const { queries, queryMeta, refs, refMeta, values } = pairBytes(params);
    return {
      queries: exact ? queries : 0,
      queryMeta: exact ? queryMeta : 0,
      refs: exact ? refs : 0,
      refMeta: exact ? refMeta : 0,
      values,
      thresholds: (shared ? 1 : queryRows) * thresholdWords(bins, exact) * 4,
      counts: queryRows * countWords * 4,
    };
  },
};

/** The way in which workgroups divide the work; for measurements and tests, it never changes the counts. */
export interface CountVariant {
  readonly threads: number;
  /** Bins that a workgroup holds, in so many copies; 0 where they do not fit. */
  readonly size: number;
  readonly copies: number;
  readonly turns: number;
  readonly parts: number;
  readonly partRows: number;
}

export function countParts(
  params: CountParams,
  limits: KernelLimits,
  variant: CountVariant = countVariant(params, limits),
): PassParts {
  const { queryRows, bins, countWords, exact, fixed, shared, root, self } = params;
  const { threads, size, copies, turns, parts, partRows } = variant;
  const groups = queryRows * parts;
  const values = pairBindings.filter(({ name }) => exact || name === "values");
  return {
    label: "distances.count",
    body: wgsl.distances_count,
    snippets: exact
      ? [...pairSnippets, wgsl.pair_fixed, wgsl.count_exact]
      : [keys.ordered_key, wgsl.count_float32],
    constants: {
      ...{ THREADS: threads, ROOT: root, SELF: self !== undefined, CUT: !exact, TURNS: turns },
      ...{ LOCAL: size > 0, HELD: size + 1, HELD_SLOTS: size + 2, COPIES: copies },
      FIXED: fixed !== undefined,
    },
    uniforms: [
      ["groups", "u32", groups],
      ["parts", "u32", parts],
      ["partRows", "u32", partRows],
      ["bins", "u32", bins],
      ["countWords", "u32", countWords],
      ["thresholdWords", "u32", shared ? 0 : thresholdWords(bins, exact)],
      ["fixedScale", "f32", 2 ** (fixed ?? 0)],
      ["fixedExponent", "i32", 2 * (fixed ?? 0)],
      ...pairUniforms(params),
    ],
    bindings: [
      ...values.map((each) => (exact ? each : { ...each, type: "array<vec4f>" })),
      { name: "thresholds", access: "read", type: "array<u32>" },
      { name: "counts", access: "read_write", type: "array<atomic<u32>>" },
    ],
    groups,
  };
}

/** Chooses as many lanes as there is work for, copies of the bins while there is room, and parts. */
export function countVariant(
  { queryRows, refRows, bins, exact }: CountParams,
  { workgroupBytes = DEFAULT_WORKGROUP_BYTES, workgroupThreads = 256 }: KernelLimits,
): CountVariant {
  const { most, pairsPerLane, sizes, copiedBins, reserved, lanes } = distancesPolicy;
  const threads =
    [most, most / 2].find((each) => each <= workgroupThreads && refRows >= each * pairsPerLane) ??
    distancesPolicy.threads;
  const turns = exact ? distancesPolicy.turns : 1;
  const room = workgroupBytes - reserved - (exact ? (turns + 1) * threads * 4 : 0);
  // A bin takes a word for its threshold and one for its count.
  const bytes = (size: number, copies: number) => 4 * (size + 1 + (size + 2) * copies);
  const wanted = sizes.find((each) => each >= bins) ?? bins;
  const size = [wanted, bins].find((each) => bytes(each, 1) <= room) ?? 0;
  const fitting = size === 0 ? 1 : Math.floor((room / 4 - size - 1) / (size + 2));
  const copies = clamp(
    2 ** Math.floor(Math.log2(Math.min(fitting, copiedBins / size))),
    1,
    distancesPolicy.copies,
  );
  const parts = ceilDiv(lanes / threads, queryRows);
  const partRows = roundUp(Math.max(ceilDiv(refRows, parts), threads * pairsPerLane, bins), 4);
  return { threads, size, copies, turns, parts: ceilDiv(refRows, partRows), partRows };
}
