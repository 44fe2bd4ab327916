/**
 * This is `knn.search` for few queries as passes. Reading the references is what takes time, so that they are
 * read once. For small k the least value of every group of references is stored, and least.ts goes on from
 * there; else all values are, and `select` finds the least of every query. Up to eight queries have a kernel
 * of their own, up to 32 the tile. search.ts makes the passes for more queries, whose values would take too
 * much room.
 */
import { ceilDiv, roundUp, spans, type Span } from "../../../../core/math.ts";
import { elementBytes } from "../../../../runtime/element.ts";
import { type SelectParams } from "../../../select/gpu.ts";
import type { KnnSearchParams } from "../../contract/search.ts";
import { chooseSelectVariant, selectScratchBytes, type SelectVariant } from "../../../select/gpu.ts";
import type { Binding, ShaderParts } from "../../../../runtime/gpu/passes/compose.ts";
import { metricOf, rowBindings, tileGroups, tileParts } from "../../../../distance/gpu/tile.ts";
import type { Epilogue } from "../../../../distance/gpu/epilogue.ts";
import { leastLayout, leastPass, type LeastLayout, type SumOrder } from "./least.ts";
import {
  partsOf,
  place,
  windowOf,
  windowRows,
  type ScratchRange,
} from "../../../../runtime/gpu/passes/windows.ts";
import { metricForms } from "./parts.ts";
import {
  DEFAULT_BINDING_BYTES,
  makePass,
  type KernelLimits,
  type Pass,
  type PassParts,
} from "../../../../runtime/gpu/passes/pass.ts";
import { choosePairTile, pairTiles } from "../../../../distance/gpu/policy.ts";
import {
  knnFewPolicy,
  knnFewVariants,
  knnLeastPolicy,
  knnSearchPolicy,
  type KnnFewVariant,
} from "../policy.ts";
import { selectPasses, toResult } from "../../../select/gpu.ts";
import * as distanceWgsl from "../../../../distance/gpu/wgsl.generated.ts";
import { wgsl as ofFew } from "../few/wgsl.ts";
import { wgsl } from "./wgsl.ts";
import * as keys from "../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";

export interface FewLayout {
  /** knn_few makes the values in this variant; without one the tile makes them. */
  readonly variant: KnnFewVariant | undefined;
  /** This part of the values is stored. */
  readonly kept: LeastLayout | WholeLayout;
}

/** All values are stored in this layout. */
interface WholeLayout {
  readonly kind: "values";
  readonly selection: SelectParams;
  readonly selectVariant: SelectVariant;
  /** The values of one query begin this far from those of the next. */
  readonly pitch: number;
  /** These parts of `scratch` hold the values, [query][reference], and what select needs. */
  readonly parts: Readonly<Record<"values" | "work", ScratchRange>>;
  readonly bytes: number;
}

/**
 * Returns the layout; undefined for more queries, and where the values of all pairs must be stored and cannot
 * be bound at once.
 */
export function fewLayout(params: KnnSearchParams, limits: KernelLimits): FewLayout | undefined {
  if (params.queries > knnFewPolicy.queries) return undefined;
  const kept = leastLayout(params, limits) ?? wholeLayout(params, limits);
  return kept && { variant: fewVariant(params.queries), kept };
}

function wholeLayout(
  { queries, references, k }: KnnSearchParams,
  { bindingBytes = DEFAULT_BINDING_BYTES }: KernelLimits,
): WholeLayout | undefined {
  // A row of values is filled up with NaN, which comes last.
  const pitch = roundUp(references, 4);
  const selection = { rows: queries, cols: pitch, k, type: "f32", largest: false } as const;
  const selectVariant = { ...chooseSelectVariant(selection), ...knnFewPolicy.selection };
  const sizes = { values: elementBytes(queries * pitch), work: selectScratchBytes(selection, selectVariant) };
  const layout = { kind: "values", selection, selectVariant, pitch, ...partsOf(sizes) } as const;
  return layout.bytes <= Math.min(bindingBytes, knnSearchPolicy.scratchBytes) ? layout : undefined;
}

export function fewVariant(queries: number): KnnFewVariant | undefined {
  return knnFewVariants.find((each) => queries <= each.queries);
}

export function fewPasses(
  params: KnnSearchParams,
  { variant, kept }: FewLayout,
  limits: KernelLimits,
): readonly Pass[] {
  return kept.kind === "least"
    ? leastPasses(params, variant, kept, limits)
    : wholePasses(params, variant, kept, limits);
}

function leastPasses(
  params: KnnSearchParams,
  variant: KnnFewVariant | undefined,
  kept: LeastLayout,
  limits: KernelLimits,
): readonly Pass[] {
  const first = valuesPass(params, variant, kept, { begin: 0, end: params.references }, limits);
  return [
    place(first, { refs: { name: "references" }, least: { name: "scratch", part: kept.parts.least } }),
    leastPass(params, kept, orderOf(params, variant, limits), limits),
  ];
}

function wholePasses(
  params: KnnSearchParams,
  variant: KnnFewVariant | undefined,
  kept: WholeLayout,
  limits: KernelLimits,
): readonly Pass[] {
  const rowBytes = roundUp(params.columns, 4) * 4;
  const { selection, selectVariant, parts } = kept;
  const values = { name: "scratch", part: parts.values };
  const selecting = selectPasses(selection, limits, {
    variant: selectVariant,
    oneBuffer: true,
    result: params.metric === "euclidean" ? distanceWgsl.distance_root : toResult(),
  });
  return [
    ...spans(params.references, windowRows(rowBytes, limits)).map((span) =>
      place(valuesPass(params, variant, kept, span, limits), {
        refs: windowOf("references", span.begin, span.end, rowBytes),
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

function valuesPass(
  params: KnnSearchParams,
  variant: KnnFewVariant | undefined,
  { kind, pitch }: FewLayout["kept"],
  { begin, end }: Span,
  limits: KernelLimits,
): Pass {
  const kept: KeepingParts = {
    ...keptParts(params, kind, variant === undefined),
    uniforms: [
      // In a row of what is kept, the column where that of this window begins, and the distance from one row
      // to the next.
      ["firstColumn", "u32", begin],
      ["pitch", "u32", pitch],
    ],
  };
  const rows = end - begin;
  const parts = variant
    ? fewParts(params, variant, rows, kept, limits)
    : wholeParts(params, rows, kept, limits);
  return makePass(parts, limits);
}

/** These parts of a shader keep values, one or four at a time. */
type KeepingParts = Required<Pick<ShaderParts, "snippets" | "constants" | "uniforms" | "bindings">>;

function keptParts({ metric }: KnnSearchParams, kind: FewLayout["kept"]["kind"], fours: boolean) {
  const binding = (name: string, type: string): Binding[] => [{ name, access: "read_write", type }];
  if (kind === "values") {
    return {
      snippets: [fours ? wgsl("keep_vectors") : wgsl("keep_values")],
      constants: {},
      bindings: binding("values", fours ? "array<vec4u>" : "array<u32>"),
    };
  }
  return {
    snippets: [keys.ordered_key, keys.value_key, fours ? wgsl("keep_least_fours") : wgsl("keep_least")],
    constants: {
      GROUP: knnLeastPolicy.group,
      ...(fours ? { NOT_NEGATIVE: metric !== "inner_product" } : {}),
    },
    bindings: binding("least", "array<u32>"),
  };
}

function fewParts(
  params: KnnSearchParams,
  variant: KnnFewVariant,
  refRows: number,
  kept: KeepingParts,
  limits: KernelLimits,
): PassParts {
  const { core, rowLanes, tree } = orderOf(params, variant, limits);
  const threads = (tree ? variant.subgroupThreads : undefined) ?? knnFewPolicy.threads;
  return {
    label: "knn.few",
    directives: tree ? ["enable subgroups", "diagnostic(off, subgroup_uniformity)"] : [],
    body: ofFew("knn_few"),
    snippets: [
      ...metricOf(core),
      distanceWgsl.distance_row,
      ofFew("few_rows"),
      ofFew(tree ? "parts_subgroup" : "parts_workgroup"),
      ofFew("few_values"),
      ...kept.snippets,
    ],
    constants: {
      ...{ THREADS: threads, QUERIES: variant.queries, ROWS: variant.rows, ROW_LANES: rowLanes },
      ...kept.constants,
    },
    uniforms: [
      ["queryRows", "u32", params.queries],
      ["refBegin", "u32", 0],
      ["refRows", "u32", refRows],
      // The columns of `queries` and `refs` in vec4f, which are also the distance from one row to the next.
      ["depth", "u32", ceilDiv(params.columns, 4)],
      ["weight", "f32", metricForms[params.metric].weight],
      ...kept.uniforms,
    ],
    bindings: [...rowBindings.filter(({ name }) => name === "queries" || name === "refs"), ...kept.bindings],
    groups: ceilDiv(refRows, (threads / rowLanes) * variant.rows),
  };
}

function orderOf(
  { metric }: KnnSearchParams,
  variant: KnnFewVariant | undefined,
  { traits, subgroupSize = 0 }: KernelLimits,
): SumOrder {
  const { core, norms } = metricForms[metric];
  if (!variant) return { core, bases: norms, rowLanes: 1, tree: false };
  const tree = variant.subgroupThreads !== undefined && traits?.subgroups === true && subgroupSize >= 4;
  const rowLanes = Math.min(knnFewPolicy.rowLanes, tree ? subgroupSize : Infinity);
  // With so few queries differences cost no more than norms.
  return { core: norms ? "l2" : core, bases: false, rowLanes, tree };
}

/**
 * Makes the tile where it is all that few queries have. Their rows are not prepared, so that the tile sums
 * their squares as well.
 */
function wholeParts(
  params: KnnSearchParams,
  refRows: number,
  kept: KeepingParts,
  limits: KernelLimits,
): PassParts {
  const { metric, queries, columns } = params;
  const { core, weight, norms } = metricForms[metric];
  const tile = pairTiles[choosePairTile(queries, refRows, limits)];
  const rows = { queryRows: queries, refBegin: 0, refRows };
  const problem = { core, weight, p: 1, dims: columns, stride: roundUp(columns, 4), ...rows };
  const epilogue: Epilogue = {
    ...kept,
    snippets: [distanceWgsl.square, wgsl("epilogue_whole"), ...kept.snippets],
    constants: { NORMS: norms, ...kept.constants },
    reads: [],
  };
  return tileParts("knn.whole", problem, { tile }, epilogue, tileGroups(tile, problem));
}
