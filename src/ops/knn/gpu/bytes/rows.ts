/**
 * These are the kernels of rows that are bytes. Sums of bytes are exact, so that a pair whose bytes do not
 * rule it out has its distance at once, and nothing is left to evaluate. The promises are in
 * ops/knn/contract/byteRows.ts; the tiles are those of knn.byteFilter.
 */
import { ceilDiv } from "../../../../core/math.ts";
import { choosePairTile, pairTiles } from "../../../../distance/gpu/policy.ts";
import { tileGroups, tileParts } from "../../../../distance/gpu/tile.ts";
import { strideOf } from "../../../../distance/rows/preparation.ts";
import type { GpuKernel } from "../../../../runtime/gpu/passes/kernel.ts";
import {
  makePass,
  type KernelLimits,
  type Pass,
  type PassParts,
} from "../../../../runtime/gpu/passes/pass.ts";
import type { KnnByteRowsParams, KnnTakeBytesParams, KnnWidenBytesParams } from "../../contract/byteRows.ts";
import { knnByteWords, knnQuantizedBytes, knnQuantizedPlaces } from "../../contract/bytes.ts";
import {
  knnAppendRoom,
  knnFilterBytes,
  knnFilterScratchBytes,
  knnFirstRows,
  type KnnFilterBinding,
  type KnnFilterParams,
} from "../../contract/filter.ts";
import { valuesEpilogue } from "../filter/epilogues.ts";
import { limitsPass, mergePass, selectPass } from "../filter/listPasses.ts";
import { scratchAs } from "../filter/scratch.ts";
import { spread } from "../filter/windows.ts";
import { appendUniforms, bytesPass, compareSnippets, variantFor } from "./bytes.ts";
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

export const widenBytesKernel: GpuKernel<KnnWidenBytesParams, "quantized" | "values" | "metas"> = {
  passes: (params, limits) => [makePass(widenPass(params), limits)],
  bytes: ({ dims, count, facts }) => ({
    quantized: 4 * facts + 16 * count,
    values: count * strideOf(dims) * 4,
    metas: count * 16,
  }),
};

export const byteRowsKernel: GpuKernel<KnnByteRowsParams, KnnFilterBinding | "quantized"> = {
  passes: byteRowsPasses,
  wantsTraits: () => true,
  bytes(params) {
    const filter = filterParams(params);
    const refRows = Math.min(params.refRows, knnFirstRows(params.k));
    return {
      ...knnFilterBytes({ ...filter, refRows }),
      scratch: knnFilterScratchBytes(filter),
      quantized: knnQuantizedBytes({ ...params, refRows: params.held }),
    };
  },
  work: ({ queryRows, refRows }) => queryRows * refRows,
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

function widenPass({ dims, count, bytes, facts }: KnnWidenBytesParams): PassParts {
  const depth = ceilDiv(dims, 4);
  const { threads } = knnBytePolicy;
  return {
    label: "knn.widenBytes",
    body: wgsl("knn_widen"),
    constants: { THREADS: threads },
    uniforms: [
      ["count", "u32", count],
      ["depth", "u32", depth],
      ["words", "u32", knnByteWords(dims)],
      ["bytes", "u32", bytes],
      ["facts", "u32", facts],
    ],
    bindings: [
      { name: "quantized", access: "read", type: "array<u32>" },
      { name: "values", access: "read_write", type: "array<vec4f>" },
      { name: "metas", access: "read_write", type: "array<vec4f>" },
    ],
    groups: ceilDiv(count * depth, threads),
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
  const first = Math.min(refRows, Math.max(0, knnFirstRows(k) - refOffset));
  const parts = first > 0 ? firstParts({ ...all, refRows: first }, limits) : [];
  // No more pairs pass on average than there is room for with a reserve for chance.
  const growth = Math.max(1, room / (k * spread(k)));
  for (let begin = first; begin < refRows;) {
    const rows = Math.min(refRows - begin, Math.floor((refOffset + begin) * growth));
    const window = { ...all, refBegin: begin, refRows: rows };
    parts.push(
      limitsPass(window, room, k),
      bytesPass(exact, window, room, by, true),
      wholePass(params, window, room),
      mergePass(window, room, k),
    );
    begin += rows;
  }
  return parts.map((each) => makePass(each, limits));
}

/** Makes the passes that compare the first references of all, of which there is no limit yet. */
function firstParts(params: KnnFilterParams, limits: KernelLimits): PassParts[] {
  const tile = pairTiles[choosePairTile(params.queryRows, params.refRows, limits)];
  const groups = tileGroups(tile, params);
  const values = tileParts("knn.distance", params, { tile }, valuesEpilogue(params), groups);
  return [values, selectPass(params)];
}

function wholePass(params: KnnByteRowsParams, window: KnnFilterParams, room: number): PassParts {
  const { queryBytes, refFacts, queryFacts } = knnQuantizedPlaces({ ...params, refRows: params.held });
  return {
    label: "knn.whole",
    body: wgsl("knn_compare"),
    snippets: [...compareSnippets, wgsl("compare_bytes")],
    constants: { CUT: true, THREADS: knnBytePolicy.compareThreads },
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
