/**
 * This is `knn.fewFilter` as passes. They find the least ends of groups of references, choose the groups that
 * matter, and compute their pairs, which are merged into the lists. The contract is ops/knn/contract/few.ts.
 */
import { ceilDiv } from "../../../../core/math.ts";
import { pairSnippets, rowBindings, rowUniforms } from "../../../../distance/gpu/tile.ts";
import * as distanceWgsl from "../../../../distance/gpu/wgsl.generated.ts";
import * as collectives from "../../../../runtime/gpu/collectives/wgsl.generated.ts";
import * as keys from "../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import type { GpuKernel } from "../../../../runtime/gpu/passes/kernel.ts";
import { makePass, type PassParts } from "../../../../runtime/gpu/passes/pass.ts";
import { knnWaitingRoom, type KnnFilterBinding } from "../../contract/filter.ts";
import { FEW_GROUP, knnFewPlaces, knnFewScratchBytes, type KnnFewFilterParams } from "../../contract/few.ts";
import { knnFilterBuffers } from "../filter/filter.ts";
import { listBindings } from "../filter/listPasses.ts";
import { scratchAs } from "../filter/scratch.ts";
import * as filterWgsl from "../filter/wgsl.generated.ts";
import { fewPolicy } from "./policy.ts";
import { wgsl } from "./wgsl.ts";

export { unpack } from "./wgsl.ts";

export const knnFewFilterKernel: GpuKernel<KnnFewFilterParams, KnnFilterBinding> = {
  passes: (params, limits) => partsOf(params).map((parts) => makePass(parts, limits)),
  bytes: (params) => ({ ...knnFilterBuffers(params), scratch: knnFewScratchBytes(params) }),
  work: ({ queryRows, refRows }) => queryRows * refRows,
};

function partsOf(params: KnnFewFilterParams): readonly PassParts[] {
  const { queryRows, refRows, k, capacity } = params;
  if (queryRows === 0 || refRows === 0) return [];
  const { one, more, threads, rowLanes, listRows, room, lanesForK } = fewPolicy;
  const variant = queryRows === 1 && !params.asSeveral ? one : more;
  const places = knnFewPlaces(params, (threads / rowLanes) * variant.rows);
  const isShort = lanesForK * k <= threads && capacity + (threads / rowLanes) * listRows.short <= room;
  const limit = isShort ? [] : [limitPass(params, places)];
  return [endsPass(params, variant, places), ...limit, listsPass(params, isShort, places)];
}

type Places = ReturnType<typeof knnFewPlaces>;

function endsPass(
  params: KnnFewFilterParams,
  { queries, rows }: { readonly queries: number; readonly rows: number },
  { groups, spans, spanEnds }: Places,
): PassParts {
  const { core, queryRows, refRows, slack } = params;
  const { threads, rowLanes } = fewPolicy;
  return {
    label: "knn.few",
    body: wgsl("knn_few"),
    snippets: [
      ...pairSnippets(core),
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
      ["groups", "u32", groups],
      ["spans", "u32", spans],
      ["spanEnds", "u32", spanEnds],
      ["slack", "f32", slack],
    ],
    bindings: [...rowBindings, scratchAs("array<u32>")],
    groups: ceilDiv(queryRows, queries) * spans,
  };
}

/**
 * Makes the pass that finds a limit for larger k or lists: among spans, or among groups where those are few.
 */
function limitPass({ queryRows, k }: KnnFewFilterParams, places: Places): PassParts {
  const { groups, spans, spanEnds, limits } = places;
  const enough = spans >= fewPolicy.spansForK * k;
  return {
    label: "knn.fewLimit",
    body: wgsl("knn_few_limit"),
    snippets: [collectives.workgroup_scan, filterWgsl.knn_kth],
    constants: { THREADS: fewPolicy.threads },
    uniforms: [
      ["queryRows", "u32", queryRows],
      ["ends", "u32", enough ? spanEnds : 0],
      ["count", "u32", enough ? spans : groups],
      ["limits", "u32", limits],
      ["k", "u32", k],
    ],
    bindings: [scratchAs("array<u32>")],
    groups: queryRows,
  };
}

/** @param isShort k is so small, and so are lists, that a workgroup holds one */
function listsPass(params: KnnFewFilterParams, isShort: boolean, places: Places): PassParts {
  const { queryRows, refBegin, refRows, k, capacity, slack } = params;
  const { groups, spans, spanEnds, limits, waiting, span } = places;
  const { threads, rowLanes, chosenSpans, chosenGroups, listRows, room } = fewPolicy;
  return {
    label: "knn.fewLists",
    body: wgsl("knn_few_lists"),
    snippets: [
      ...pairSnippets(params.core),
      keys.ordered_key,
      distanceWgsl.distance_interval,
      ...(isShort ? [wgsl("few_kept")] : mergedSnippets()),
    ],
    constants: {
      ...{ THREADS: threads, GROUP: FEW_GROUP, ROW_LANES: rowLanes },
      ...{ CHOSEN_SPANS: chosenSpans, CHOSEN_GROUPS: chosenGroups },
      ...{ CUT: false, ROWS: isShort ? listRows.short : listRows.long },
      ...(isShort ? { ROOM: room } : { KEEP_ALL: false }),
    },
    uniforms: [
      ["queryRows", "u32", queryRows],
      ["refBegin", "u32", refBegin],
      ["refRows", "u32", refRows],
      ["firstRow", "u32", params.refOffset + refBegin],
      ...rowUniforms(params),
      ["groups", "u32", groups],
      ["spans", "u32", spans],
      ["spanGroups", "u32", span / FEW_GROUP],
      ["spanEnds", "u32", spanEnds],
      ["limits", "u32", limits],
      ["waiting", "u32", waiting],
      ["waitingRoom", "u32", knnWaitingRoom(k)],
      ["k", "u32", k],
      ["capacity", "u32", capacity],
      ["slack", "f32", slack],
    ],
    bindings: [...rowBindings, ...listBindings, scratchAs("array<u32>")],
    groups: queryRows,
  };
}

function mergedSnippets(): readonly string[] {
  return [collectives.workgroup_scan, filterWgsl.knn_kth, filterWgsl.knn_list, wgsl("few_merged")];
}
