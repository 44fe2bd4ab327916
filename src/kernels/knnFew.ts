/**
 * `knn.search` for few queries as passes: reading the references is what takes time, so they are read once, the values of all pairs
 * stored, and `select` finds the least of every query. Up to eight queries have a kernel of their own, up to 32 the tile. Not the
 * search for many (knnSearch.ts), whose values would take too much room.
 */
import { ceilDiv, roundDown, roundUp } from "../core/math.ts";
import { elementBytes, type DistanceCore, type SelectParams } from "../core/primitives.ts";
import type { KnnSearchMetric, KnnSearchParams } from "../core/primitives/knnSearch.ts";
import { chooseSelectWay, selectScratchBytes, type SelectWay } from "../core/selectWays.ts";
import type { UniformField } from "./compose.ts";
import { distanceGroups, distanceParts, metricOf } from "./knn.ts";
import { partsOf, place, spans, windowOf, type Part } from "./knnParts.ts";
import { makePass, type KernelLimits, type Pass, type PassParts } from "./pass.ts";
import {
  chooseKnnTile,
  knnFewPolicy,
  knnFewShapes,
  knnSearchPolicy,
  knnTiles,
  type KnnFewShape,
} from "./policy.ts";
import { selectPasses } from "./select.ts";
import * as wgsl from "./wgsl.generated.ts";

interface Way {
  readonly core: DistanceCore;
  readonly weight: number;
  /** Whether the bases are squared lengths, else 0. */
  readonly norms: boolean;
}

/** Of the tile, which has the time for products alone. */
const ways: Record<KnnSearchMetric, Way> = {
  euclidean: { core: "dot", weight: -2, norms: true },
  sqeuclidean: { core: "dot", weight: -2, norms: true },
  inner_product: { core: "dot", weight: -1, norms: false },
  manhattan: { core: "l1", weight: 0, norms: false },
  chebyshev: { core: "linf", weight: 0, norms: false },
};

export interface FewLayout {
  /** Of knn_few; without it the tile makes the values. */
  readonly shape: KnnFewShape | undefined;
  readonly selection: SelectParams;
  readonly way: SelectWay;
  /** Of `scratch`: the values, [query][reference], and what select needs. */
  readonly parts: Readonly<Record<"values" | "work", Part>>;
  readonly bytes: number;
}

/** Undefined for more queries, and where the values of all pairs cannot be bound at once. */
export function fewLayout(
  { queries, references, k }: KnnSearchParams,
  { bindingBytes = 128 * 2 ** 20 }: KernelLimits,
): FewLayout | undefined {
  if (queries > knnFewPolicy.queries) return undefined;
  const shape = knnFewShapes.find((each) => queries <= each.queries);
  // What fills up a row of values is NaN, which comes last.
  const selection = { rows: queries, cols: roundUp(references, 4), k, type: "f32", largest: false } as const;
  const way = { ...chooseSelectWay(selection), ...knnFewPolicy.selection };
  const sizes = { values: elementBytes(queries * selection.cols), work: selectScratchBytes(selection, way) };
  const most = Math.min(bindingBytes, knnSearchPolicy.scratchBytes);
  if (Math.max(sizes.values, sizes.work) > most) return undefined;
  return { shape, selection, way, ...partsOf(sizes) };
}

export function fewPasses(
  params: KnnSearchParams,
  { shape, selection, way, parts }: FewLayout,
  limits: KernelLimits,
): readonly Pass[] {
  const { bindingBytes = 128 * 2 ** 20 } = limits;
  const rowBytes = roundUp(params.columns, 4) * 4;
  // References of a window that one binding holds; windows begin at multiples of 256 bytes.
  const window = Math.max(ROWS, roundDown(bindingBytes / rowBytes, ROWS));
  const values = { name: "scratch", part: parts.values };
  const selecting = selectPasses(selection, limits, {
    way,
    oneBuffer: true,
    result: params.metric === "euclidean" ? wgsl.knn_root : wgsl.select_to_result,
  });
  return [
    ...spans(params.references, window).map(({ begin, end }) =>
      place(valuesPass(params, shape, { begin, end }, limits), {
        refs: windowOf("references", begin, end, rowBytes),
        values,
      }),
    ),
    ...selecting.map((pass) =>
      place(pass, {
        input: values,
        scratch: { name: "scratch", part: parts.work },
        values: { name: "distances" },
      }),
    ),
  ];
}

const ROWS = 64;

interface Span {
  readonly begin: number;
  readonly end: number;
}

function valuesPass(
  params: KnnSearchParams,
  shape: KnnFewShape | undefined,
  { begin, end }: Span,
  limits: KernelLimits,
): Pass {
  const { queries, references, columns } = params;
  const rows = end - begin;
  const uniforms: readonly UniformField[] = [
    ["queryRows", "u32", queries],
    ["refBegin", "u32", 0],
    ["refRows", "u32", rows],
    // Of `queries` and `refs` in vec4f: columns that count, and from one row to the next.
    ["depth", "u32", ceilDiv(columns, 4)],
    ["stride", "u32", ceilDiv(columns, 4)],
    // In a row of values: where those of this window begin, and from one row to the next.
    ["firstColumn", "u32", begin],
    ["pitch", "u32", roundUp(references, 4)],
  ];
  const parts = shape ? fewParts(params, shape, rows) : tileParts(params, rows, limits);
  return makePass({ ...parts, uniforms: [...uniforms, ...parts.uniforms] }, limits);
}

function fewParts({ metric }: KnnSearchParams, { queries, rows }: KnnFewShape, refRows: number): PassParts {
  const { threads, rowLanes } = knnFewPolicy;
  const { core, weight, norms } = ways[metric];
  return {
    label: "knn.few",
    body: wgsl.knn_few,
    // Norms would be more to compute than differences.
    snippets: [wgsl.linear_group, ...metricOf(norms ? "l2" : core), wgsl.knn_row],
    constants: { THREADS: threads, QUERIES: queries, ROWS: rows, ROW_LANES: rowLanes },
    uniforms: [["weight", "f32", weight]],
    bindings: [...rowBindings, { name: "values", access: "read_write", type: "array<u32>" }],
    groups: ceilDiv(refRows, (threads / rowLanes) * rows),
  };
}

function tileParts({ metric, queries }: KnnSearchParams, refRows: number, limits: KernelLimits): PassParts {
  const { core, weight, norms } = ways[metric];
  const tile = knnTiles[chooseKnnTile(queries, refRows, limits)];
  const parts = distanceParts({ core }, { tile, mixed: undefined }, wgsl.knn_whole);
  const groups = distanceGroups(tile, queries, refRows);
  return {
    label: "knn.whole",
    ...parts,
    constants: { ...parts.constants, NORMS: norms },
    uniforms: [
      ["groups", "u32", groups],
      ["weight", "f32", weight],
    ],
    bindings: [...rowBindings, { name: "values", access: "read_write", type: "array<vec4u>" }],
    groups,
  };
}

const rowBindings = [
  { name: "queries", access: "read", type: "array<vec4f>" },
  { name: "refs", access: "read", type: "array<vec4f>" },
] as const;
