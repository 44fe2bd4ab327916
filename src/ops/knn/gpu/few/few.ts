/**
 * This is `knn.fewFilter` as passes. They find the least ends of groups of references, choose the groups that
 * matter, and compute their pairs, which are merged into the lists as `knn.filter` merges groups. The
 * contract is ops/knn/contract/few.ts.
 */
import { ceilDiv } from "../../../../core/math.ts";
import { metricOf, rowBindings, rowUniforms } from "../../../../distance/gpu/tile.ts";
import * as distanceWgsl from "../../../../distance/gpu/wgsl.generated.ts";
import * as collectives from "../../../../runtime/gpu/collectives/wgsl.generated.ts";
import * as keys from "../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import type { GpuKernel } from "../../../../runtime/gpu/passes/kernel.ts";
import { makePass, type PassParts } from "../../../../runtime/gpu/passes/pass.ts";
import {
  knnAppendRoom,
  knnGroupPitch,
  type KnnFilterBinding,
  type KnnFilterParams,
} from "../../contract/filter.ts";
import { FEW_GROUP, type KnnFewFilterParams } from "../../contract/few.ts";
import { knnFilterBuffers } from "../filter/filter.ts";
import { recomputePass } from "../filter/listPasses.ts";
import { appendedUniforms, scratchAs } from "../filter/scratch.ts";
import * as filterWgsl from "../filter/wgsl.generated.ts";
import { knnPolicy } from "../policy.ts";
import { fewPolicy } from "./policy.ts";
import { wgsl } from "./wgsl.ts";

export { unpack } from "./wgsl.ts";

export const knnFewFilterKernel: GpuKernel<KnnFewFilterParams, KnnFilterBinding> = {
  passes: (params, limits) => partsOf(params).map((parts) => makePass(parts, limits)),
  bytes: knnFilterBuffers,
  work: ({ queryRows, refRows }) => queryRows * refRows,
};

function partsOf(params: KnnFewFilterParams): readonly PassParts[] {
  if (params.queryRows === 0 || params.refRows === 0) return [];
  const room = knnAppendRoom(params.k);
  return [endsPass(params, room), choosePass(params, room), recomputePass(params, room, undefined)];
}

function endsPass(params: KnnFewFilterParams, room: number): PassParts {
  const { core, queryRows, refRows, slack, asSeveral = false } = params;
  const { threads, rowLanes, one, more } = fewPolicy;
  const { queries, rows } = queryRows === 1 && !asSeveral ? one : more;
  return {
    label: "knn.few",
    body: wgsl("knn_few"),
    snippets: [
      ...metricOf(core),
      distanceWgsl.pair_value,
      distanceWgsl.distance_row,
      wgsl("parts_workgroup"),
      keys.ordered_key,
      distanceWgsl.distance_interval,
      wgsl("keep_ends"),
    ],
    constants: {
      ...{ THREADS: threads, QUERIES: queries, ROWS: rows, ROW_LANES: rowLanes },
      ...{ GROUP: FEW_GROUP, CUT: false },
    },
    uniforms: [
      ["queryRows", "u32", queryRows],
      ["refBegin", "u32", params.refBegin],
      ["refRows", "u32", refRows],
      ...rowUniforms(params),
      ["pitch", "u32", knnGroupPitch(refRows, FEW_GROUP)],
      ["slack", "f32", slack],
      ...appendedUniforms(queryRows, room),
    ],
    bindings: [...rowBindings, scratchAs("array<u32>")],
    groups: ceilDiv(queryRows, queries) * ceilDiv(refRows, (threads / rowLanes) * rows),
  };
}

function choosePass(params: KnnFilterParams, room: number): PassParts {
  const { queryRows, refRows, k } = params;
  const { chosen, lanesForK } = fewPolicy;
  const threads = knnPolicy.selectThreads;
  return {
    label: "knn.choose",
    body: wgsl("knn_choose"),
    snippets: [collectives.workgroup_scan, keys.ordered_key, filterWgsl.knn_kth],
    constants: { THREADS: threads, CHOSEN: chosen, BY_LANES: lanesForK * k <= threads },
    uniforms: [
      ["queryRows", "u32", queryRows],
      ["groups", "u32", ceilDiv(refRows, FEW_GROUP)],
      ["pitch", "u32", knnGroupPitch(refRows, FEW_GROUP)],
      ["k", "u32", k],
      ...appendedUniforms(queryRows, room),
    ],
    bindings: [{ name: "heads", access: "read", type: "array<vec2u>" }, scratchAs("array<u32>")],
    groups: queryRows,
  };
}
