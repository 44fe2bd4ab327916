/**
 * k-NN with bytes before float32 as passes, for bench/knn_bytes.bench.ts: those of `knn.filter`, of which the
 * tile that appends pairs compares bytes. What bytes do not rule out is then compared whole, so that the
 * lists are the same. It is an experiment and no part of the library, which nothing here changes. The proof
 * is in bound.ts.
 */
import { readFileSync } from "node:fs";
import { ceilDiv } from "../../dist/core/math.js";
import {
  pairSnippets,
  rowBindings,
  rowUniforms,
  tileGroups,
  tileParts,
} from "../../dist/distance/gpu/tile.js";
import { choosePairTile, pairTiles } from "../../dist/distance/gpu/policy.js";
import * as distanceWgsl from "../../dist/distance/gpu/wgsl.generated.js";
import {
  knnAppendRoom,
  knnFirstRows,
  knnGroupPitch,
  knnWaitingRoom,
  type KnnFilterParams,
} from "../../dist/ops/knn/contract/filter.js";
import { minimaEpilogue, valuesEpilogue } from "../../dist/ops/knn/gpu/filter/epilogues.js";
import {
  groupsPass,
  limitsPass,
  mergePass,
  recomputePass,
  selectPass,
} from "../../dist/ops/knn/gpu/filter/listPasses.js";
import { appendedUniforms, scratchAs } from "../../dist/ops/knn/gpu/filter/scratch.js";
import * as filterWgsl from "../../dist/ops/knn/gpu/filter/wgsl.generated.js";
import { knnWindows } from "../../dist/ops/knn/gpu/filter/windows.js";
import * as collectives from "../../dist/runtime/gpu/collectives/wgsl.generated.js";
import * as keys from "../../dist/runtime/gpu/collectives/keys/wgsl.generated.js";
import type { UniformField } from "../../dist/runtime/gpu/passes/compose.js";
import {
  makePass,
  type KernelLimits,
  type Pass,
  type PassParts,
} from "../../dist/runtime/gpu/passes/pass.js";
import type { ByteBound } from "./bound.ts";
import { byteWords, quantizedPlaces } from "./layout.ts";

/** Rows whose value is the square of their distance: core dot, weight -2, squared lengths as bases. */
export interface ByteFilterParams extends KnnFilterParams {
  readonly bytes: ByteBound;
}

/**
 * The sizes. On one H100, 10,000 x 1,000,000 x 128 took matrix units 20.8, 17.6 and 16.0 ms with 8, 16 and 32
 * tiles of a workgroup, packed products 28.7, 28.5 and 28.4.
 */
const policy = {
  tiles: {
    /** A lane has 8 x 8 pairs. */
    packed: { queries: 64, refs: 64, threads: 64, tilesPerGroup: 8 },
    matrix: { queries: 128, refs: 64, threads: 256, tilesPerGroup: 128 },
  },
  enoughGroups: 4096,
  /** The pairs that bytes let pass for each one that float32 does, for the length of windows. */
  looseness: 2.5,
  roomsForK: 8,
  compareThreads: 128,
  /** The lanes of a workgroup that quantizes rows, and those that share a row. */
  threads: 256,
  rowLanes: 16,
  recomputeGroups: 1024,
} as const;

const matrixDirectives = [
  "enable subgroups",
  "enable chromium_experimental_subgroup_matrix",
  "diagnostic(off, chromium.subgroup_matrix_uniformity)",
];

function text(name: string): string {
  return readFileSync(new URL(`../../bench/bytes/${name}.wgsl`, import.meta.url), "utf8");
}

/** The way in which sums of bytes are made; the lists do not depend on it. */
export type ByteVariant = "packed" | "matrix";

/**
 * Makes the passes of `knn.filter` over all references with bytes before float32, of lists that are empty:
 * the values of the first references are stored, and of the others pairs are appended that bytes do not rule
 * out.
 */
export function byteFilterPasses(
  params: ByteFilterParams,
  limits: KernelLimits,
  by: ByteVariant,
): readonly Pass[] {
  const room = roomOf(params);
  const expected = Math.floor(room / policy.looseness);
  const { first, appended } = knnWindows(params, { first: knnFirstRows(params.k), room: expected });
  const tile = pairTiles[choosePairTile(params.queryRows, params.refRows, limits)];
  const values = { ...params, refRows: first };
  const parts = [
    quantizePass(params, "refs"),
    quantizePass(params, "queries"),
    tileParts("knn.distance", values, { tile }, valuesEpilogue(values), tileGroups(tile, values)),
    selectPass(values),
    ...appended.flatMap(({ begin, end, rank }) => {
      const window = { ...params, refBegin: params.refBegin + begin, refRows: end - begin };
      // Usually there is nothing to recompute, which few workgroups find out sooner.
      const groups = tileGroups(tile, window, Infinity, policy.recomputeGroups);
      return [
        limitsPass(window, room, rank),
        bytesPass(params, window, room, by),
        comparePass(params, window, room),
        mergePass(window, room, rank),
        ...(expected < window.refRows
          ? [
              tileParts("knn.minima", window, { tile }, minimaEpilogue(window, room), groups),
              groupsPass(window, room),
              recomputePass(window, room, undefined),
            ]
          : []),
      ];
    }),
  ];
  return parts.map((each) => makePass(each, limits));
}

/** Returns the pairs of a query that can be appended: more than in float32, where minima would take more. */
function roomOf({ k, refRows, group = 0 }: ByteFilterParams): number {
  const room = knnAppendRoom(k);
  if (group === 0) return room;
  const minima = knnGroupPitch(refRows, group) * 8 + knnWaitingRoom(k) * 12;
  return Math.max(room, Math.min(Math.floor(minima / 12), policy.roomsForK * k));
}

function quantizePass(params: ByteFilterParams, side: "refs" | "queries"): PassParts {
  const { bytes, dims, stride, refBegin, refRows, queryRows } = params;
  const { threads, rowLanes } = policy;
  const places = quantizedPlaces(params);
  const isRefs = side === "refs";
  const count = isRefs ? refRows : queryRows;
  return {
    label: "knn.quantize",
    body: text("knn_quantize"),
    snippets: [isRefs ? text("quantize_refs") : text("quantize_queries")],
    constants: { THREADS: threads, ROW_LANES: rowLanes },
    uniforms: [
      ["count", "u32", count],
      ["first", "u32", isRefs ? refBegin : 0],
      ["depth", "u32", ceilDiv(dims, 4)],
      ["stride", "u32", stride / 4],
      ["words", "u32", byteWords(dims)],
      ["bytes", "u32", 4 * (isRefs ? places.refBytes : places.queryBytes)],
      ["facts", "u32", 4 * (isRefs ? places.refFacts : places.queryFacts)],
      ...scaleUniforms(bytes.scale),
      ["most", "f32", 127 * bytes.scale],
      ["factor", "f32", bytes.factor],
      ["constant", "f32", bytes.constant],
      ["lost", "f32", stride * 2 ** -125],
      ["enlarge", "f32", 1 + (stride + 32) * 2 ** -23],
    ],
    bindings: [
      { name: side, access: "read", type: "array<vec4f>" },
      { name: "byteCentre", access: "read", type: "array<vec4f>" },
      { name: "quantized", access: "read_write", type: "array<u32>" },
    ],
    groups: ceilDiv(count, threads / rowLanes),
  };
}

function scaleUniforms(scale: number): readonly UniformField[] {
  return [
    ["scale", "f32", scale],
    ["inverse", "f32", 1 / scale],
  ];
}

function bytesPass(
  params: ByteFilterParams,
  window: KnnFilterParams,
  room: number,
  by: ByteVariant,
): PassParts {
  const { tiles, enoughGroups } = policy;
  const { tilesPerGroup, ...tile } = tiles[by];
  const words = byteWords(params.dims);
  const { queryBytes, refFacts, queryFacts } = quantizedPlaces(params);
  const { queryRows, refRows } = window;
  const queryTiles = ceilDiv(queryRows, tile.queries);
  const refTiles = ceilDiv(refRows, tile.refs);
  const shares = Math.max(ceilDiv(refTiles, tilesPerGroup), ceilDiv(enoughGroups, queryTiles));
  const groups = queryTiles * Math.min(refTiles, shares);
  return {
    label: "knn.bytes",
    ...(by === "matrix"
      ? { body: text("knn_matrix"), directives: matrixDirectives }
      : { body: text("knn_bytes") }),
    snippets: [...appendSnippets, text("knn_byte_bounds"), text("knn_byte_queue")],
    constants: {
      CUT: window.cut,
      TILE_QUERIES: tile.queries,
      TILE_REFS: tile.refs,
      THREADS: tile.threads,
      ...(by === "matrix" && { STEPS: Math.min(4, words / 8), WHOLE: words <= 32 }),
    },
    uniforms: [
      ["groups", "u32", groups],
      ["words", "u32", words],
      ["queryBytes", "u32", queryBytes],
      ["refFacts", "u32", refFacts],
      ["queryFacts", "u32", queryFacts],
      ["window", "u32", window.refBegin - params.refBegin],
      ...scaleUniforms(params.bytes.scale),
      ...appendUniforms(window, room),
    ],
    bindings: [{ name: "quantized", access: "read", type: "array<vec4u>" }, ...appendBindings],
    groups,
  };
}

function comparePass(params: ByteFilterParams, window: KnnFilterParams, room: number): PassParts {
  return {
    label: "knn.compare",
    body: text("knn_compare"),
    snippets: [collectives.workgroup_scan, ...appendSnippets, ...pairSnippets(window.core)],
    constants: { CUT: window.cut, THREADS: policy.compareThreads },
    uniforms: [
      ...rowUniforms(window),
      ["refBegin", "u32", window.refBegin],
      ["counts", "u32", 4 * quantizedPlaces(params).counts],
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

/** The uniforms, snippets and bindings of knn_append. */
function appendUniforms(window: KnnFilterParams, room: number): readonly UniformField[] {
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

const appendBindings = [
  { name: "heads", access: "read", type: "array<vec2u>" },
  scratchAs("array<atomic<u32>>"),
] as const;
