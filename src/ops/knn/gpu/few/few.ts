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
import type { Binding, UniformField } from "../../../../runtime/gpu/passes/compose.ts";
import {
  makePass,
  type KernelLimits,
  type Pass,
  type PassParts,
} from "../../../../runtime/gpu/passes/pass.ts";
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
  passes: (params, limits) => fewPasses(params, limits, rowsRead),
  bytes: (params) => ({ ...knnFilterBuffers(params), scratch: knnFewScratchBytes(params) }),
  work: ({ queryRows, refRows }) => queryRows * refRows,
};

/** Says what knn.few reads of the references. */
export interface FewReading {
  readonly snippets: readonly string[];
  readonly uniforms: readonly UniformField[];
  readonly bindings: readonly Binding[];
}

const rowsRead = (params: KnnFewFilterParams): FewReading => ({
  snippets: [...pairSnippets(params.core), wgsl("few_rows"), wgsl("row_interval")],
  uniforms: [...rowUniforms(params), ["slack", "f32", params.slack]],
  bindings: rowBindings,
});

/**
 * Makes the passes for few queries, of which the first one reads all references.
 * @param givesUp a query that leaves more spans than are chosen at a time has no list, but KNN_GAVE_UP;
 *   default all of them are looked into
 */
export function fewPasses<Params extends KnnFewFilterParams>(
  params: Params,
  limits: KernelLimits,
  reading: (params: Params) => FewReading,
  givesUp = false,
): readonly Pass[] {
  const { queryRows, refRows, k, capacity } = params;
  if (queryRows === 0 || refRows === 0) return [];
  const { one, more, threads, rowLanes, listRows, room, lanesForK } = fewPolicy;
  const variant = queryRows === 1 && !params.asSeveral ? one : more;
  const places = knnFewPlaces(params, (threads / rowLanes) * variant.rows);
  const isShort = lanesForK * k <= threads && capacity + (threads / rowLanes) * listRows.short <= room;
  const limit = isShort ? [] : [limitPass(params, places)];
  return [
    endsPass(params, variant, reading(params), places),
    ...limit,
    listsPass(params, { isShort, givesUp }, places),
  ].map((parts) => makePass(parts, limits));
}

type Places = ReturnType<typeof knnFewPlaces>;

function endsPass(
  { queryRows, refBegin, refRows }: KnnFewFilterParams,
  { queries, rows }: { readonly queries: number; readonly rows: number },
  { snippets, uniforms, bindings }: FewReading,
  { groups, spans, spanEnds }: Places,
): PassParts {
  const { threads, rowLanes } = fewPolicy;
  return {
    label: "knn.few",
    body: wgsl("knn_few"),
    snippets: [
      wgsl("parts_workgroup"),
      keys.ordered_key,
      distanceWgsl.distance_interval,
      wgsl("keep_ends"),
      ...snippets,
    ],
    constants: {
      ...{ THREADS: threads, QUERIES: queries, ROWS: rows, ROW_LANES: rowLanes },
      ...{ GROUP: FEW_GROUP, CUT: false },
    },
    uniforms: [
      ["queryRows", "u32", queryRows],
      ["refBegin", "u32", refBegin],
      ["refRows", "u32", refRows],
      ["groups", "u32", groups],
      ["spans", "u32", spans],
      ["spanEnds", "u32", spanEnds],
      ...uniforms,
    ],
    bindings: [...bindings, scratchAs("array<u32>")],
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

/** Lists are made in this way. */
interface ListsWay {
  /** Says whether k is so small, and lists are, that a workgroup holds one. */
  readonly isShort: boolean;
  readonly givesUp: boolean;
}

function listsPass(params: KnnFewFilterParams, { isShort, givesUp }: ListsWay, places: Places): PassParts {
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
      ["givesUp", "u32", givesUp ? 1 : 0],
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
