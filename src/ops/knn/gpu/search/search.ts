/**
 * `knn.search` as passes: metas of the rows, then, one batch of queries after the other, `knn.filter` over windows of the
 * references, and the lists sorted and written. All that is not the caller's lies in parts of one scratch buffer. Not few
 * queries: knnFew.ts.
 */
import { InvalidInputError } from "../../../../core/errors.ts";
import { ceilDiv, roundDown, roundUp, spans } from "../../../../core/math.ts";
import { knnFilterScratchBytes, type KnnFilterParams } from "../../contract/filter.ts";
import type { KnnSearchBinding, KnnSearchParams } from "../../contract/search.ts";
import type { Binding } from "../../../../runtime/gpu/passes/compose.ts";
import { knnFilterPasses, type KnnTuning } from "../filter/filter.ts";
import { fewLayout, fewPasses, fewVariant } from "./few.ts";
import {
  PART_ROWS,
  partsOf,
  place,
  metricForms,
  windowOf,
  windowRows,
  type Part,
  type Places,
} from "./parts.ts";
import {
  DEFAULT_BINDING_BYTES,
  makePass,
  type KernelLimits,
  type Pass,
} from "../../../../runtime/gpu/passes/pass.ts";
import { chooseKnnGroup, knnSearchPolicy } from "../policy.ts";
import { sortListsPasses } from "../../../../runtime/gpu/collectives/sortLists.ts";
import * as collectives from "../../../../runtime/gpu/collectives/wgsl.generated.ts";
import * as keyWgsl from "../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import * as tileScanWgsl from "../../../../runtime/gpu/collectives/tileScan/wgsl.generated.ts";
import * as wgsl from "./wgsl.generated.ts";

/** For measurements and tests. The result depends on it only where few queries go the way of many, whose sums differ. */
export interface KnnSearchVariant extends Pick<KnnTuning, "tile"> {
  /** As in KnnFilterParams; default by size. */
  readonly group?: number;
}

interface Layout {
  readonly stride: number;
  readonly group: number;
  /** Queries of a batch, and references of a window that one binding holds. */
  readonly batch: number;
  readonly window: number;
  readonly parts: Readonly<Record<ScratchPart, Part>>;
  readonly bytes: number;
}

type ScratchPart = "queryMeta" | "refMeta" | "heads" | "candidates" | "intervals" | "scratch";

export function knnSearchBytes(
  params: KnnSearchParams,
  limits: KernelLimits,
  tuning: KnnSearchVariant = {},
): Readonly<Record<KnnSearchBinding, number>> {
  const { queries, references, columns, k } = params;
  const stride = roundUp(columns, 4);
  const { bytes } = fewOf(params, limits, tuning)?.kept ?? layoutOf(params, limits, tuning);
  return {
    queries: queries * stride * 4,
    references: references * stride * 4,
    distances: queries * k * 4,
    indices: queries * k * 4,
    scratch: bytes,
  };
}

/** As in Kernel. */
export function knnSearchWantsTraits({ queries }: KnnSearchParams): boolean {
  return fewVariant(queries)?.subgroupThreads !== undefined;
}

export function knnSearchPasses(
  params: KnnSearchParams,
  limits: KernelLimits,
  tuning: KnnSearchVariant = {},
): readonly Pass[] {
  const few = fewOf(params, limits, tuning);
  if (few) return fewPasses(params, few, limits);
  const layout = layoutOf(params, limits, tuning);
  const passes: Pass[] = [];
  // Only inner products read the metas of references.
  const metas = metricForms[params.metric].core === "dot" ? spans(params.references, layout.window) : [];
  for (const { begin, end } of metas) {
    const rows = windowOf("references", begin, end, layout.stride * 4);
    const metas = windowOf("scratch", begin, end, 16, layout.parts.refMeta.offset);
    passes.push(rowsPass(params, layout, end - begin, { rows, metas }, limits));
  }
  for (const { begin, end } of spans(params.queries, layout.batch)) {
    passes.push(...batchPasses(params, layout, begin, end, limits, tuning));
  }
  return passes;
}

function fewOf(params: KnnSearchParams, limits: KernelLimits, { tile, group }: KnnSearchVariant) {
  return tile === undefined && group === undefined ? fewLayout(params, limits) : undefined;
}

function batchPasses(
  params: KnnSearchParams,
  layout: Layout,
  begin: number,
  end: number,
  limits: KernelLimits,
  tuning: KnnSearchVariant,
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
    clearPass(queryRows * 2, { scratch: own["heads"] }, limits),
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
      ...knnFilterPasses(filter, limits, { ...tuning, oneBuffer: true }).map((pass) => place(pass, buffers)),
    );
  }
  const sorting = sortListsPasses({ rows: queryRows, length: k, begin: 0 }, limits);
  return [
    ...passes,
    entriesPass("knn.keys", params, queryRows, own, limits),
    ...sorting.map((pass) => place(pass, own)),
    entriesPass("knn.write", params, queryRows, { ...own, ...results }, limits),
  ];
}

function rowsPass(
  params: KnnSearchParams,
  { stride }: Layout,
  count: number,
  places: Places,
  limits: KernelLimits,
): Pass {
  const { threads, rowLanes } = knnSearchPolicy;
  const pass = makePass(
    {
      label: "knn.rows",
      body: wgsl.knn_rows,
      snippets: [collectives.linear_group],
      constants: { THREADS: threads, ROW_LANES: rowLanes, NORMS: metricForms[params.metric].norms },
      uniforms: [
        ["count", "u32", count],
        ["depth", "u32", ceilDiv(params.columns, 4)],
        ["stride", "u32", stride / 4],
      ],
      bindings: [
        { name: "rows", access: "read", type: "array<vec4f>" },
        { name: "metas", access: "read_write", type: "array<vec4f>" },
      ],
      groups: ceilDiv(count, threads / rowLanes),
    },
    limits,
  );
  return place(pass, places);
}

function clearPass(words: number, places: Places, limits: KernelLimits): Pass {
  const { threads } = knnSearchPolicy;
  const pass = makePass(
    {
      label: "knn.clear",
      body: tileScanWgsl.scan_clear,
      snippets: [collectives.linear_group],
      constants: { THREADS: threads },
      uniforms: [["words", "u32", words]],
      bindings: [{ name: "scratch", access: "read_write", type: "array<u32>" }],
      groups: ceilDiv(words, threads),
    },
    limits,
  );
  return place(pass, places);
}

function entriesPass(
  label: "knn.keys" | "knn.write",
  { k, metric }: KnnSearchParams,
  queryRows: number,
  places: Places,
  limits: KernelLimits,
): Pass {
  const { threads } = knnSearchPolicy;
  const { norms } = metricForms[metric];
  const count = queryRows * k;
  const keys = label === "knn.keys";
  const lists: Binding[] = [
    { name: "candidates", access: "read_write", type: "array<u32>" },
    { name: "intervals", access: "read_write", type: "array<vec2f>" },
  ];
  const results: Binding[] = [
    { name: "distances", access: "read_write", type: "array<f32>" },
    { name: "indices", access: "read_write", type: "array<u32>" },
  ];
  const pass = makePass(
    {
      label,
      body: keys ? wgsl.knn_keys : wgsl.knn_write,
      snippets: [collectives.linear_group, keyWgsl.ordered_key],
      constants: { THREADS: threads, ...(keys ? {} : { NOT_NEGATIVE: norms, ROOT: metric === "euclidean" }) },
      uniforms: [["count", "u32", count]],
      bindings: [
        ...(keys ? lists : results),
        { name: "scratch", access: "read_write", type: "array<vec2u>" },
      ],
      groups: ceilDiv(count, threads),
    },
    limits,
  );
  return place(pass, places);
}

function layoutOf(params: KnnSearchParams, limits: KernelLimits, tuning: KnnSearchVariant): Layout {
  const { queries, references, columns, k, workPerDispatch = knnSearchPolicy.workPerDispatch } = params;
  const { bindingBytes = DEFAULT_BINDING_BYTES } = limits;
  const stride = roundUp(columns, 4);
  const window = Math.min(references, windowRows(stride * 4, limits));
  const group = tuning.group ?? chooseKnnGroup(k, window);
  const scratchOf = (rows: number) =>
    Math.max(rows * k * 8, knnFilterScratchBytes({ queryRows: rows, refRows: window, k, group }));
  const scratchBytes = Math.min(bindingBytes, knnSearchPolicy.scratchBytes);
  const most = Math.min(
    scratchBytes / scratchOf(1),
    bindingBytes / (stride * 4),
    workPerDispatch / (window * stride),
  );
  const batch = Math.min(queries, Math.max(PART_ROWS, roundDown(most, PART_ROWS)));
  const sizes: Record<ScratchPart, number> = {
    queryMeta: batch * 16,
    refMeta: references * 16,
    heads: batch * 8,
    candidates: batch * k * 4,
    intervals: batch * k * 8,
    scratch: scratchOf(batch),
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
