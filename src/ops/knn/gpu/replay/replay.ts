/**
 * This is `knn.replay` as one pass. The contract is ops/knn/contract/replay.ts. It has a folder of its own,
 * so that pages which replay no heap do not load it.
 */
import { assert } from "../../../../core/errors.ts";
import type { KnnReplayParams, KnnReplayBinding } from "../../contract/replay.ts";
import type { GpuKernel } from "../../../../runtime/gpu/passes/kernel.ts";
import { makePass, type KernelLimits, type Pass } from "../../../../runtime/gpu/passes/pass.ts";
import { chooseReplayCapacity, knnReplayPolicy } from "../policy.ts";
import { workgroup_sort } from "../../../../runtime/gpu/collectives/sort/wgsl.generated.ts";
import * as wgsl from "./wgsl.generated.ts";

export const knnReplayKernel: GpuKernel<KnnReplayParams, KnnReplayBinding> = {
  passes: replayPasses,
  bytes: ({ queryBegin, queryRows, capacity, k }) => ({
    heads: (queryBegin + queryRows) * 8,
    candidates: (queryBegin + queryRows) * capacity * 4,
    intervals: (queryBegin + queryRows) * capacity * 8,
    places: (queryBegin + queryRows) * k * 4,
  }),
};

function replayPasses(params: KnnReplayParams, limits: KernelLimits): readonly Pass[] {
  const { k, capacity, points, queryBegin, queryRows } = params;
  if (queryRows === 0) return [];
  const { threads, mostK } = knnReplayPolicy;
  const room = chooseReplayCapacity(capacity);
  assert(room !== undefined && k <= mostK, `lists of ${capacity} are too long for a heap of ${k}`);
  const pass = makePass(
    {
      label: "knn.replay",
      body: wgsl.knn_replay,
      snippets: [workgroup_sort],
      constants: { THREADS: threads, CAPACITY: room, MOST_K: mostK, POINTS: points },
      uniforms: [
        ["queryBegin", "u32", queryBegin],
        ["queryRows", "u32", queryRows],
        ["capacity", "u32", capacity],
        ["k", "u32", k],
      ],
      bindings: [
        { name: "heads", access: "read", type: "array<vec2u>" },
        { name: "candidates", access: "read", type: "array<u32>" },
        { name: "intervals", access: "read", type: "array<vec2f>" },
        { name: "places", access: "read_write", type: "array<u32>" },
      ],
      groups: queryRows,
    },
    limits,
  );
  return [pass];
}
