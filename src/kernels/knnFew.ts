/**
 * `knn.search` for few queries as passes: reading the references is what takes time, so they are read once, the values of all pairs
 * stored, and `select` finds the least of every query. Up to eight queries have a kernel of their own, up to 32 the tile. Not the
 * search for many (knnSearch.ts), whose values would take too much room.
 */
import { ceilDiv, roundUp } from "../core/math.ts";
import { elementBytes, type SelectParams } from "../core/primitives.ts";
import type { KnnSearchParams } from "../core/primitives/knnSearch.ts";
import { chooseSelectWay, selectScratchBytes, type SelectWay } from "../core/selectWays.ts";
import type { UniformField } from "./compose.ts";
import { distanceGroups, distanceParts, metricOf } from "./knn.ts";
import { partsOf, place, searchWays, spans, windowOf, windowRows, type Part } from "./knnParts.ts";
import { DEFAULT_BINDING_BYTES, makePass, type KernelLimits, type Pass, type PassParts } from "./pass.ts";
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
  { bindingBytes = DEFAULT_BINDING_BYTES }: KernelLimits,
): FewLayout | undefined {
  if (queries > knnFewPolicy.queries) return undefined;
  const shape = fewShape(queries);
  // What fills up a row of values is NaN, which comes last.
  const selection = { rows: queries, cols: roundUp(references, 4), k, type: "f32", largest: false } as const;
  const way = { ...chooseSelectWay(selection), ...knnFewPolicy.selection };
  const sizes = { values: elementBytes(queries * selection.cols), work: selectScratchBytes(selection, way) };
  const layout = { shape, selection, way, ...partsOf(sizes) };
  return layout.bytes <= Math.min(bindingBytes, knnSearchPolicy.scratchBytes) ? layout : undefined;
}

export function fewShape(queries: number): KnnFewShape | undefined {
  return knnFewShapes.find((each) => queries <= each.queries);
}

export function fewPasses(
  params: KnnSearchParams,
  { shape, selection, way, parts }: FewLayout,
  limits: KernelLimits,
): readonly Pass[] {
  const rowBytes = roundUp(params.columns, 4) * 4;
  const values = { name: "scratch", part: parts.values };
  const selecting = selectPasses(selection, limits, {
    way,
    oneBuffer: true,
    result: params.metric === "euclidean" ? wgsl.knn_root : wgsl.select_to_result,
  });
  return [
    ...spans(params.references, windowRows(rowBytes, limits)).map(({ begin, end }) =>
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
    ["refRows", "u32", rows],
    // Of `queries` and `refs` in vec4f: columns that count, and also from one row to the next.
    ["depth", "u32", ceilDiv(columns, 4)],
    // In a row of values: where those of this window begin, and from one row to the next.
    ["firstColumn", "u32", begin],
    ["pitch", "u32", roundUp(references, 4)],
  ];
  const parts = shape ? fewParts(params, shape, rows, limits) : tileParts(params, rows, limits);
  return makePass({ ...parts, uniforms: [...uniforms, ...parts.uniforms] }, limits);
}

function fewParts(
  { metric }: KnnSearchParams,
  { queries, rows, subgroupThreads }: KnnFewShape,
  refRows: number,
  { traits, subgroupSize = 0 }: KernelLimits,
): PassParts {
  const subgroups = subgroupThreads !== undefined && traits?.subgroups === true && subgroupSize >= 4;
  const threads = subgroups ? subgroupThreads : knnFewPolicy.threads;
  const rowLanes = Math.min(knnFewPolicy.rowLanes, subgroups ? subgroupSize : Infinity);
  const { core, weight, norms } = searchWays[metric];
  return {
    label: "knn.few",
    directives: subgroups ? ["enable subgroups", "diagnostic(off, subgroup_uniformity)"] : [],
    body: wgsl.knn_few,
    snippets: [
      wgsl.linear_group,
      // Of so few queries differences cost no more than norms.
      ...metricOf(norms ? "l2" : core),
      wgsl.knn_row,
      subgroups ? wgsl.parts_subgroup : wgsl.parts_workgroup,
    ],
    constants: { THREADS: threads, QUERIES: queries, ROWS: rows, ROW_LANES: rowLanes },
    uniforms: [["weight", "f32", weight]],
    bindings: [...rowBindings, { name: "values", access: "read_write", type: "array<u32>" }],
    groups: ceilDiv(refRows, (threads / rowLanes) * rows),
  };
}

function tileParts(params: KnnSearchParams, refRows: number, limits: KernelLimits): PassParts {
  const { metric, queries, columns } = params;
  const { core, weight, norms } = searchWays[metric];
  const tile = knnTiles[chooseKnnTile(queries, refRows, limits)];
  const parts = distanceParts({ core }, { tile, mixed: undefined }, wgsl.knn_whole);
  const groups = distanceGroups(tile, queries, refRows);
  return {
    label: "knn.whole",
    ...parts,
    constants: { ...parts.constants, NORMS: norms },
    uniforms: [
      ["groups", "u32", groups],
      ["refBegin", "u32", 0],
      ["stride", "u32", ceilDiv(columns, 4)],
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
