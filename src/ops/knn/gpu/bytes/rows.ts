/**
 * These are the kernels of rows that are bytes. Sums of bytes are exact, so that a pair whose bytes do not
 * rule it out has its distance at once, and nothing is left to evaluate. The promises are in
 * ops/knn/contract/byteRows.ts; the tiles are those of knn.byteFilter.
 */
import { ceilDiv } from "../../../../core/math.ts";
import { strideOf } from "../../../../distance/rows/preparation.ts";
import { sortThroughPasses, type EntryStage } from "../../../../runtime/gpu/collectives/sort/sortLists.ts";
import type { GpuKernel } from "../../../../runtime/gpu/passes/kernel.ts";
import {
  makePass,
  type KernelLimits,
  type Pass,
  type PassParts,
} from "../../../../runtime/gpu/passes/pass.ts";
import {
  knnByteRoomBytes,
  type KnnByteRowsBinding,
  type KnnByteRowsParams,
  type KnnByteOrderBinding,
  type KnnByteOrderParams,
  type KnnTakeBytesParams,
} from "../../contract/byteRows.ts";
import { knnByteWords, knnQuantizedBytes, knnQuantizedPlaces } from "../../contract/bytes.ts";
import { knnAppendRoom, knnFilterBytes, type KnnFilterParams } from "../../contract/filter.ts";
import { limitsPass, mergePass } from "../filter/listPasses.ts";
import { scratchAs } from "../filter/scratch.ts";
import { spread } from "../filter/windows.ts";
import { appendUniforms, bytesPass, compareShader, variantFor } from "./bytes.ts";
import { knnBytePolicy } from "./policy.ts";
import { wgsl } from "./wgsl.ts";

export { unpackShaders } from "./wgsl.ts";

export const takeBytesKernel: GpuKernel<KnnTakeBytesParams, "rows" | "quantized"> = {
  passes: (params, limits) => [makePass(takePass(params), limits)],
  bytes: ({ dims, first, count, facts }) => ({
    rows: (first + count) * strideOf(dims),
    quantized: 4 * facts + 16 * count,
  }),
};

export const byteRowsKernel: GpuKernel<KnnByteRowsParams, KnnByteRowsBinding> = {
  passes: byteRowsPasses,
  wantsTraits: () => true,
  bytes(params) {
    const { queryRows, k } = params;
    const { queryMeta, heads, candidates, intervals } = knnFilterBytes(filterParams(params));
    return {
      ...{ queryMeta, heads, candidates, intervals },
      scratch: knnByteRoomBytes(queryRows, k),
      quantized: knnQuantizedBytes({ ...params, refRows: params.held }),
    };
  },
  work: ({ queryRows, refRows }) => queryRows * refRows,
};

export const byteOrderKernel: GpuKernel<KnnByteOrderParams, KnnByteOrderBinding> = {
  passes: orderPasses,
  bytes({ queryRows, k }) {
    const entries = 4 * queryRows * k;
    const lists = { candidates: entries, intervals: 2 * entries, scratch: 2 * entries };
    return { ...lists, nearRows: entries, nearSums: entries };
  },
};

function takePass({ dims, first, count, bytes, facts, signed }: KnnTakeBytesParams): PassParts {
  const { threads, rowLanes } = knnBytePolicy;
  return {
    label: "knn.takeBytes",
    body: wgsl("knn_take"),
    constants: { THREADS: threads, ROW_LANES: rowLanes },
    uniforms: [
      ["count", "u32", count],
      ["first", "u32", first],
      ["depth", "u32", ceilDiv(dims, 4)],
      ["words", "u32", knnByteWords(dims)],
      ["bytes", "u32", bytes],
      ["facts", "u32", facts],
      ["flip", "u32", signed ? 0 : 0x80808080],
    ],
    bindings: [
      { name: "rows", access: "read", type: "array<u32>" },
      { name: "quantized", access: "read_write", type: "array<u32>" },
    ],
    groups: ceilDiv(count, threads / rowLanes),
  };
}

/** Returns the parameters of `knn.filter` that leave the same lists. */
function filterParams({ packed: _, held: __, ...params }: KnnByteRowsParams): KnnFilterParams {
  const metric = { core: "dot", p: 0, weight: -2, slack: 0, cut: true } as const;
  return { ...params, ...metric, stride: strideOf(params.dims), refBegin: 0 };
}

function byteRowsPasses(params: KnnByteRowsParams, limits: KernelLimits): readonly Pass[] {
  const { k, refRows, refOffset, packed } = params;
  const all = filterParams(params);
  const exact = { ...all, refRows: params.held, bytes: { scale: 1, factor: 0, constant: 0 } };
  const room = knnAppendRoom(k);
  const by = packed ? "packed" : variantFor(limits);
  const parts: PassParts[] = [];
  const growth = growthOf(params, room);
  const first = Math.max(knnBytePolicy.first, 2 * k);
  for (let begin = 0; begin < refRows;) {
    const seen = refOffset + begin;
    const isFirst = seen < first;
    const wanted = isFirst ? first - seen : Math.ceil(seen * growth);
    const rows = Math.min(refRows - begin, wanted);
    const window = { ...all, refBegin: begin, refRows: rows };
    parts.push(
      limitsPass(window, room, k),
      ...(isFirst ? [] : [bytesPass(exact, window, room, by, true)]),
      wholePass(params, window, room, isFirst, limits),
      mergePass(window, room, k),
    );
    begin += rows;
  }
  return parts.map((each) => makePass(each, limits));
}

/**
 * Returns how many references a window has for each that was seen before. The windows of all references and
 * the pairs that pass take the least time together. No more pairs may pass on average than there is room for,
 * with a reserve for chance.
 */
function growthOf({ k, queryRows }: KnnByteRowsParams, room: number): number {
  const { growths, windowNs, queryNs, entryNs, pairNs } = knnBytePolicy;
  const most = Math.max(1, room / (k * spread(k)));
  const window = windowNs / queryRows + queryNs + entryNs * k;
  const time = (growth: number) => (window + pairNs * k * growth) / Math.log1p(growth);
  const best = growths.reduce((a, b) => (time(b) < time(a) ? b : a));
  return Math.min(most, best);
}

/** Makes the pass that compares whole what passed, or every pair of the window. */
function wholePass(
  params: KnnByteRowsParams,
  window: KnnFilterParams,
  room: number,
  every: boolean,
  limits: KernelLimits,
): PassParts {
  const { queryBytes, refFacts, queryFacts } = knnQuantizedPlaces({ ...params, refRows: params.held });
  return {
    label: "knn.whole",
    ...compareShader("byte", [wgsl("byte_key")], limits),
    constants: { EVERY: every, CUT: true, THREADS: knnBytePolicy.compareThreads },
    uniforms: [
      ["words", "u32", knnByteWords(params.dims) / 4],
      ["queryBytes", "u32", queryBytes],
      ["refFacts", "u32", refFacts],
      ["queryFacts", "u32", queryFacts],
      ["first", "u32", params.refOffset],
      ["capacity", "u32", params.capacity],
      ...appendUniforms(window, room),
    ],
    bindings: [
      { name: "quantized", access: "read", type: "array<vec4u>" },
      { name: "heads", access: "read_write", type: "array<vec2u>" },
      scratchAs("array<atomic<u32>>"),
    ],
    groups: window.queryRows,
  };
}

function orderPasses({ queryRows, k }: KnnByteOrderParams, limits: KernelLimits): readonly Pass[] {
  const listed: EntryStage = {
    snippets: [wgsl("byte_entries")],
    bindings: [
      { name: "candidates", access: "read", type: "array<u32>" },
      { name: "intervals", access: "read", type: "array<vec2f>" },
    ],
  };
  const near: EntryStage = {
    snippets: [wgsl("byte_key"), wgsl("byte_neighbours")],
    bindings: [
      { name: "nearRows", access: "read_write", type: "array<u32>" },
      { name: "nearSums", access: "read_write", type: "array<u32>" },
    ],
  };
  return sortThroughPasses("knn", { rows: queryRows, length: k, begin: 0 }, listed, near, limits);
}
