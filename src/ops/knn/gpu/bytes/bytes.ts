/**
 * This is `knn.byteFilter` as passes: they are those of `knn.filter`, but the tile that appends pairs
 * compares bytes. Pairs that bytes do not rule out are then compared whole, so that the lists are the same.
 * The contract is ops/knn/contract/bytes.ts, the proof distance/bound/bytes.ts.
 */
import { ceilDiv } from "../../../../core/math.ts";
import { pairSnippets, rowBindings, rowUniforms } from "../../../../distance/gpu/tile.ts";
import * as distanceWgsl from "../../../../distance/gpu/wgsl.generated.ts";
import type { GpuKernel } from "../../../../runtime/gpu/passes/kernel.ts";
import type { KernelLimits, Pass, PassParts } from "../../../../runtime/gpu/passes/pass.ts";
import type { UniformField } from "../../../../runtime/gpu/passes/compose.ts";
import { matrixDirectives } from "../../../../runtime/gpu/matrixDirectives.ts";
import * as collectives from "../../../../runtime/gpu/collectives/wgsl.generated.ts";
import * as keys from "../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import {
  knnByteWords,
  knnQuantizedBytes,
  knnQuantizedPlaces,
  type KnnByteFilterBinding,
  type KnnByteFilterParams,
} from "../../contract/bytes.ts";
import { knnAppendRoom, knnGroupPitch, knnWaitingRoom, type KnnFilterParams } from "../../contract/filter.ts";
import { knnBytePolicy } from "./policy.ts";
import { quantizePass, scaleUniforms } from "./quantize.ts";
import * as filterWgsl from "../filter/wgsl.generated.ts";
import {
  knnFilterBuffers,
  knnFilterPasses,
  type KnnFilterVariant,
  type Prefilter,
} from "../filter/filter.ts";
import { appendedUniforms, scratchAs } from "../filter/scratch.ts";
import { wgsl } from "./wgsl.ts";

export { unpackShaders } from "./wgsl.ts";

/** Sums of bytes are made in this way; the lists do not depend on it. */
export type ByteVariant = "packed" | "matrix";

export const knnByteFilterKernel: GpuKernel<KnnByteFilterParams, KnnByteFilterBinding> = {
  passes: (params, limits) =>
    knnByteFilterPasses(params, limits, {}, params.packed ? "packed" : variantFor(limits)),
  wantsTraits: () => true,
  bytes: (params) => ({
    ...knnFilterBuffers(params),
    byteCentre: params.stride * 4,
    quantized: knnQuantizedBytes(params),
  }),
  work: ({ queryRows, refRows }) => queryRows * refRows,
};

export function variantFor({ traits, workgroupBytes = 0, workgroupThreads = 0 }: KernelLimits): ByteVariant {
  const { threads, bytes } = knnBytePolicy.tiles.matrix;
  return traits?.byteMatrices && workgroupBytes >= bytes && workgroupThreads >= threads ? "matrix" : "packed";
}

export function knnByteFilterPasses(
  params: KnnByteFilterParams,
  limits: KernelLimits,
  variant: KnnFilterVariant = {},
  by: ByteVariant = "packed",
): readonly Pass[] {
  const caps = { room: roomOf(params), ...variant.caps };
  return knnFilterPasses(params, limits, {
    ...variant,
    caps,
    prefilter: prefilterOf(params, caps.room, by, limits),
  });
}

/**
 * Returns how many pairs of a query can be appended: more than bytes let pass, where minima would take more.
 */
function roomOf({ k, refRows, group = 0 }: KnnByteFilterParams): number {
  const room = knnAppendRoom(k);
  if (group === 0) return room;
  const minima = knnGroupPitch(refRows, group) * 8 + knnWaitingRoom(k) * 12;
  return Math.max(room, Math.min(Math.floor(minima / 12), knnBytePolicy.roomsForK * k));
}

function prefilterOf(
  params: KnnByteFilterParams,
  room: number,
  by: ByteVariant,
  limits: KernelLimits,
): Prefilter {
  const { looseness, sampled } = knnBytePolicy;
  const loose = Math.max(looseness, sampled * ((params.looseness ?? 1) - 1));
  return {
    prepare: [quantizePass(params, "refs"), quantizePass(params, "queries")],
    expected: Math.max(1, Math.floor(room / loose)),
    append: (window, room) => [
      bytesPass(params, window, room, by),
      comparePass(params, window, room, limits),
    ],
  };
}

/**
 * Makes the pass that appends what bytes do not rule out.
 * @param exact rows are bytes themselves, so that a limit is whole and no pair at it is wanted; default false
 */
export function bytesPass(
  params: KnnByteFilterParams,
  window: KnnFilterParams,
  room: number,
  by: ByteVariant,
  exact = false,
): PassParts {
  const { tiles, enoughGroups } = knnBytePolicy;
  const { tilesPerGroup, ...tile } = tiles[by];
  const words = knnByteWords(params.dims);
  const { queryBytes, refFacts, queryFacts } = knnQuantizedPlaces(params);
  const { queryRows, refRows } = window;
  const queryTiles = ceilDiv(queryRows, tile.queries);
  const refTiles = ceilDiv(refRows, tile.refs);
  const shares = Math.max(ceilDiv(refTiles, tilesPerGroup), ceilDiv(enoughGroups, queryTiles));
  const perGroup = ceilDiv(refTiles, Math.min(refTiles, shares));
  const groups = queryTiles * ceilDiv(refTiles, perGroup);
  return {
    label: "knn.bytes",
    ...(by === "matrix"
      ? { body: wgsl("knn_matrix"), directives: matrixDirectives }
      : { body: wgsl("knn_bytes") }),
    snippets: [...appendSnippets, wgsl("byte_key"), wgsl("knn_byte_bounds"), wgsl("knn_byte_queue")],
    constants: {
      CUT: window.cut,
      EXACT: exact,
      TILE_QUERIES: tile.queries,
      TILE_REFS: tile.refs,
      THREADS: tile.threads,
      ...(by === "matrix" && { STEPS: Math.min(4, words / 8), WHOLE: words <= 32 }),
    },
    uniforms: [
      ["groups", "u32", groups],
      ["share", "u32", perGroup * tile.refs],
      ["words", "u32", words],
      ["queryBytes", "u32", queryBytes],
      ["refFacts", "u32", refFacts],
      ["queryFacts", "u32", queryFacts],
      ["window", "u32", window.refBegin - params.refBegin],
      ...scaleUniforms(params.bytes.scale),
      ["usual", "f32", exact ? 0 : usualLoss(params.dims)],
      ...appendUniforms(window, room),
    ],
    bindings: [{ name: "quantized", access: "read", type: "array<vec4u>" }, ...appendBindings],
    groups,
  };
}

/**
 * Returns what quantizing usually takes of a row, in steps. Each column loses up to half a step; the sum of
 * squares has its mean and one standard deviation. With no deviation, or three, more pairs pass.
 */
function usualLoss(dims: number): number {
  return Math.sqrt(dims / 12 + Math.sqrt(dims / 180));
}

function comparePass(
  params: KnnByteFilterParams,
  window: KnnFilterParams,
  room: number,
  limits: KernelLimits,
): PassParts {
  return {
    label: "knn.compare",
    ...compareShader("row", pairSnippets(window.core), limits),
    constants: { EVERY: false, CUT: window.cut, THREADS: knnBytePolicy.compareThreads },
    uniforms: [
      ...rowUniforms(window),
      ["refBegin", "u32", window.refBegin],
      ["counts", "u32", 4 * knnQuantizedPlaces(params).counts],
      ...appendUniforms(window, room),
    ],
    bindings: [
      rowBindings[0],
      rowBindings[2],
      rowBindings[3],
      ...appendBindings,
      { name: "quantized", access: "read_write", type: "array<atomic<u32>>" },
    ],
    groups: window.queryRows,
  };
}

/** Returns the uniforms of knn_append; its snippets and bindings follow. */
export function appendUniforms(window: KnnFilterParams, room: number): readonly UniformField[] {
  return [
    ["queryRows", "u32", window.queryRows],
    ["refRows", "u32", window.refRows],
    ["firstRow", "u32", window.refOffset + window.refBegin],
    ["k", "u32", window.k],
    ["slack", "f32", window.slack],
    ...appendedUniforms(window.queryRows, room),
  ];
}

const appendSnippets = [keys.ordered_key, distanceWgsl.distance_interval, filterWgsl.knn_append];

/** Returns the shader that compares pairs whole: four lanes together, where the device has subgroups. */
export function compareShader(what: "row" | "byte", snippets: readonly string[], { traits }: KernelLimits) {
  const hasQuads = traits?.subgroups === true;
  const alone = what === "row" ? distanceWgsl.row_sum : wgsl("byte_sum");
  const sum = hasQuads ? [wgsl("quad"), wgsl(`${what}_sum_quads`)] : [alone];
  return {
    body: wgsl("knn_compare"),
    directives: hasQuads ? ["enable subgroups"] : [],
    snippets: [collectives.workgroup_scan, ...appendSnippets, ...snippets, ...sum, wgsl(`compare_${what}s`)],
  };
}

const appendBindings = [
  { name: "heads", access: "read", type: "array<vec2u>" },
  scratchAs("array<atomic<u32>>"),
] as const;
