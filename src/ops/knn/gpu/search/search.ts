/**
 * This is `knn.search` as passes: metas of the rows, then, one batch of queries after the other, `knn.filter`
 * over windows of the references, and the lists sorted and written. Everything but the caller's buffers lies
 * in parts of one scratch buffer. few.ts makes the passes for few queries.
 */
import { InvalidInputError, assert } from "../../../../core/errors.ts";
import { ceilDiv, roundDown, roundUp, spans } from "../../../../core/math.ts";
import { knnFilterBytes, knnFilterScratchBytes, type KnnFilterParams } from "../../contract/filter.ts";
import type { KnnSearchBinding, KnnSearchMetric, KnnSearchParams } from "../../contract/search.ts";
import { knnFilterPasses, type KnnFilterVariant } from "../filter/filter.ts";
import { fewLayout, fewPasses, fewVariant } from "./few.ts";
import {
  PART_ROWS,
  partsOf,
  place,
  windowOf,
  windowRows,
  type ScratchRange,
  type Places,
} from "../../../../runtime/gpu/passes/windows.ts";
import { metricForms } from "./parts.ts";
import { DEFAULT_BINDING_BYTES, type KernelLimits, type Pass } from "../../../../runtime/gpu/passes/pass.ts";
import { chooseTile } from "../../plan/tile.ts";
import { knnSearchPolicy } from "../policy.ts";
import { sortThroughPasses, type EntryStage } from "../../../../runtime/gpu/collectives/sort/sortLists.ts";
import { wgsl } from "./wgsl.ts";
import * as keys from "../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import { clearPass } from "../../../../runtime/gpu/collectives/clear/clear.ts";
import { plainRowsPass } from "../../../../distance/gpu/rows/plainRows.ts";

export { unpack } from "./wgsl.ts";

/**
 * Measurements and tests set this variant. The result depends on it only where few queries take the variant
 * for many, whose sums differ.
 */
export interface KnnSearchVariant extends Pick<KnnFilterVariant, "tile"> {
  /** This is the group of KnnFilterParams; default by size. */
  readonly group?: number;
}

interface SearchLayout {
  readonly stride: number;
  readonly group: number;
  /** A batch has this many queries, and a window, which one binding holds, this many references. */
  readonly batch: number;
  readonly window: number;
  readonly parts: Readonly<Record<SearchPart, ScratchRange>>;
  readonly bytes: number;
}

type SearchPart = "queryMeta" | "refMeta" | "heads" | "candidates" | "intervals" | "scratch";

export function knnSearchBytes(
  params: KnnSearchParams,
  limits: KernelLimits,
  variant: KnnSearchVariant = {},
): Readonly<Record<KnnSearchBinding, number>> {
  const { queries, references, columns, k } = params;
  const stride = roundUp(columns, 4);
  const { bytes } = fewOf(params, limits, variant)?.kept ?? layoutOf(params, limits, variant);
  return {
    queries: queries * stride * 4,
    references: references * stride * 4,
    distances: queries * k * 4,
    indices: queries * k * 4,
    scratch: bytes,
  };
}

/** Tells whether traits are wanted, as Kernel has it. */
export function knnSearchWantsTraits({ queries }: KnnSearchParams): boolean {
  return fewVariant(queries)?.subgroupThreads !== undefined;
}

export function knnSearchPasses(
  params: KnnSearchParams,
  limits: KernelLimits,
  variant: KnnSearchVariant = {},
): readonly Pass[] {
  const few = fewOf(params, limits, variant);
  if (few) return fewPasses(params, few, limits);
  const layout = layoutOf(params, limits, variant);
  const passes: Pass[] = [];
  // Only inner products read the metas of references.
  const metas = metricForms[params.metric].core === "dot" ? spans(params.references, layout.window) : [];
  for (const { begin, end } of metas) {
    const rows = windowOf("references", begin, end, layout.stride * 4);
    const metas = windowOf("scratch", begin, end, 16, layout.parts.refMeta.offset);
    passes.push(rowsPass(params, layout, end - begin, { rows, metas }, limits));
  }
  for (const { begin, end } of spans(params.queries, layout.batch)) {
    passes.push(...batchPasses(params, layout, begin, end, limits, variant));
  }
  return passes;
}

function fewOf(params: KnnSearchParams, limits: KernelLimits, { tile, group }: KnnSearchVariant) {
  return tile === undefined && group === undefined ? fewLayout(params, limits) : undefined;
}

function batchPasses(
  params: KnnSearchParams,
  layout: SearchLayout,
  begin: number,
  end: number,
  limits: KernelLimits,
  variant: KnnSearchVariant,
): Pass[] {
  const { references, columns, k } = params;
  const { stride, group, parts } = layout;
  const { core, weight } = metricForms[params.metric];
  const queryRows = end - begin;
  const rows = windowOf("queries", begin, end, stride * 4);
  const own = Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, { name: "scratch", part }]),
  );
  const results = {
    distances: windowOf("distances", begin, end, k * 4),
    indices: windowOf("indices", begin, end, k * 4),
  };
  const passes = [
    place(clearPass("knn.clear", queryRows * 2, limits), { scratch: own["heads"] }),
    rowsPass(params, layout, queryRows, { rows, metas: own["queryMeta"] }, limits),
  ];
  for (const { begin: refOffset, end: refEnd } of spans(references, layout.window)) {
    const filter: KnnFilterParams = {
      ...{ core, p: 1, weight, slack: 0, cut: true, k, capacity: k, dims: columns, stride, queryRows, group },
      ...{ refBegin: 0, refRows: refEnd - refOffset, refOffset },
    };
    const buffers = {
      ...own,
      queries: rows,
      refs: windowOf("references", refOffset, refEnd, stride * 4),
      refMeta: windowOf("scratch", refOffset, refEnd, 16, parts.refMeta.offset),
    };
    passes.push(
      ...knnFilterPasses(filter, limits, { ...variant, oneBuffer: true }).map((pass) => place(pass, buffers)),
    );
  }
  const lists = { rows: queryRows, length: k, begin: 0 };
  const sorting = sortThroughPasses("knn", lists, listed(), neighboursOf(params.metric), limits);
  return [...passes, ...sorting.map((pass) => place(pass, { ...own, ...results }))];
}

function rowsPass(
  { columns, metric }: KnnSearchParams,
  { stride }: SearchLayout,
  count: number,
  places: Places,
  limits: KernelLimits,
): Pass {
  const rows = { rows: count, dims: columns, stride };
  return place(plainRowsPass("knn.rows", rows, metricForms[metric].norms, limits), places);
}

/** Returns the source that makes the lists of knn.filter into entries that can be sorted. */
function listed(): EntryStage {
  return {
    snippets: [keys.ordered_key, wgsl("entries_from_lists")],
    bindings: [
      { name: "candidates", access: "read_write", type: "array<u32>" },
      { name: "intervals", access: "read_write", type: "array<vec2f>" },
    ],
  };
}

/** Returns the target that makes results of sorted entries. */
function neighboursOf(metric: KnnSearchMetric): EntryStage {
  const { norms } = metricForms[metric];
  return {
    snippets: [keys.ordered_key, wgsl("entries_to_neighbours")],
    constants: { NOT_NEGATIVE: norms, ROOT: metric === "euclidean" },
    bindings: [
      { name: "distances", access: "read_write", type: "array<f32>" },
      { name: "indices", access: "read_write", type: "array<u32>" },
    ],
  };
}

function layoutOf(params: KnnSearchParams, limits: KernelLimits, variant: KnnSearchVariant): SearchLayout {
  const { queries, references, columns, k, workPerDispatch = knnSearchPolicy.workPerDispatch } = params;
  const { bindingBytes = DEFAULT_BINDING_BYTES } = limits;
  const stride = roundUp(columns, 4);
  const chunkRows = Math.min(references, windowRows(stride * 4, limits));
  const tile = chooseTile(
    { queries, k, capacity: k, stride },
    { resident: true, chunkRows, chunks: ceilDiv(references, chunkRows) },
    {
      kind: "gpu",
      queries: knnSearchPolicy.queries,
      free: Infinity,
      scratch: knnSearchPolicy.scratchBytes,
      bufferBytes: bindingBytes,
      work: workPerDispatch,
      fewest: PART_ROWS,
    },
    { group: variant.group },
  );
  assert(tile, "a tile has at least `fewest` queries");
  const batch = tile.queries < queries ? roundDown(tile.queries, PART_ROWS) : queries;
  const { references: window, group } = tile;
  const scratch = knnFilterScratchBytes({ queryRows: batch, refRows: window, k, group });
  const { queryMeta, refMeta, heads, candidates, intervals } = knnFilterBytes({
    queryRows: batch,
    refBegin: 0,
    refRows: references,
    stride,
    capacity: k,
  });
  const sizes: Record<SearchPart, number> = {
    ...{ queryMeta, refMeta, heads, candidates, intervals },
    scratch: Math.max(intervals, scratch),
  };
  // The metas of references are bound window by window.
  const bound = Math.max(...Object.values({ ...sizes, refMeta: 0 }));
  if (bound > bindingBytes) {
    throw new InvalidInputError(
      `k is ${k}: ${batch} queries would bind ${bound} bytes at once, and this device binds ${bindingBytes} at most; ask for fewer neighbours, or search with kneighbors`,
    );
  }
  return { stride, group, batch, window, ...partsOf(sizes) };
}
