/**
 * `knn.search` for few queries as passes: reading the references is what takes time, so they are read once. For small k the least
 * value of every group of references is stored, and knnLeast.ts goes on from there; else all values are, and `select` finds the
 * least of every query. Up to eight queries have a kernel of their own, up to 32 the tile. Not the search for many
 * (knnSearch.ts), whose values would take too much room.
 */
import { ceilDiv, roundUp, spans } from "../../../../core/math.ts";
import { elementBytes, type SelectParams } from "../../../../runtime/primitives.ts";
import type { KnnSearchParams } from "../../contract/search.ts";
import { chooseSelectVariant, selectScratchBytes, type SelectVariant } from "../../../select/variants.ts";
import type { Binding, UniformField } from "../../../../runtime/gpu/passes/compose.ts";
import { tileGroups, distanceParts, metricOf } from "../filter/filter.ts";
import { leastLayout, leastPass, type LeastLayout, type SumOrder } from "./least.ts";
import { partsOf, place, metricForms, windowOf, windowRows, type Part } from "./parts.ts";
import {
  DEFAULT_BINDING_BYTES,
  makePass,
  type KernelLimits,
  type Pass,
  type PassParts,
} from "../../../../runtime/gpu/passes/pass.ts";
import { chooseKnnTile, knnTiles } from "../../../../distance/gpu/policy.ts";
import {
  knnFewPolicy,
  knnFewVariants,
  knnLeastPolicy,
  knnSearchPolicy,
  type KnnFewVariant,
} from "../policy.ts";
import { selectPasses } from "../../../select/gpu.ts";
import * as collectives from "../../../../runtime/gpu/collectives/wgsl.generated.ts";
import * as distanceWgsl from "../../../../distance/gpu/wgsl.generated.ts";
import * as keys from "../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";
import * as selectWgsl from "../../../select/wgsl.generated.ts";
import * as wgsl from "./wgsl.generated.ts";

export interface FewLayout {
  /** Of knn_few; without it the tile makes the values. */
  readonly shape: KnnFewVariant | undefined;
  /** What of the values is stored. */
  readonly kept: LeastLayout | WholeLayout;
}

/** All values are stored. */
interface WholeLayout {
  readonly kind: "values";
  readonly selection: SelectParams;
  readonly way: SelectVariant;
  /** From one query's values to the next one's. */
  readonly pitch: number;
  /** Of `scratch`: the values, [query][reference], and what select needs. */
  readonly parts: Readonly<Record<"values" | "work", Part>>;
  readonly bytes: number;
}

/** Undefined for more queries, and where the values of all pairs must be stored and cannot be bound at once. */
export function fewLayout(params: KnnSearchParams, limits: KernelLimits): FewLayout | undefined {
  if (params.queries > knnFewPolicy.queries) return undefined;
  const kept = leastLayout(params, limits) ?? wholeLayout(params, limits);
  return kept && { shape: fewVariant(params.queries), kept };
}

function wholeLayout(
  { queries, references, k }: KnnSearchParams,
  { bindingBytes = DEFAULT_BINDING_BYTES }: KernelLimits,
): WholeLayout | undefined {
  // What fills up a row of values is NaN, which comes last.
  const pitch = roundUp(references, 4);
  const selection = { rows: queries, cols: pitch, k, type: "f32", largest: false } as const;
  const way = { ...chooseSelectVariant(selection), ...knnFewPolicy.selection };
  const sizes = { values: elementBytes(queries * pitch), work: selectScratchBytes(selection, way) };
  const layout = { kind: "values", selection, way, pitch, ...partsOf(sizes) } as const;
  return layout.bytes <= Math.min(bindingBytes, knnSearchPolicy.scratchBytes) ? layout : undefined;
}

export function fewVariant(queries: number): KnnFewVariant | undefined {
  return knnFewVariants.find((each) => queries <= each.queries);
}

export function fewPasses(
  params: KnnSearchParams,
  { shape, kept }: FewLayout,
  limits: KernelLimits,
): readonly Pass[] {
  return kept.kind === "least"
    ? leastPasses(params, shape, kept, limits)
    : wholePasses(params, shape, kept, limits);
}

function leastPasses(
  params: KnnSearchParams,
  shape: KnnFewVariant | undefined,
  kept: LeastLayout,
  limits: KernelLimits,
): readonly Pass[] {
  const first = valuesPass(params, shape, kept, { begin: 0, end: params.references }, limits);
  return [
    place(first, { refs: { name: "references" }, least: { name: "scratch", part: kept.parts.least } }),
    leastPass(params, kept, orderOf(params, shape, limits), limits),
  ];
}

function wholePasses(
  params: KnnSearchParams,
  shape: KnnFewVariant | undefined,
  kept: WholeLayout,
  limits: KernelLimits,
): readonly Pass[] {
  const rowBytes = roundUp(params.columns, 4) * 4;
  const { selection, way, parts } = kept;
  const values = { name: "scratch", part: parts.values };
  const selecting = selectPasses(selection, limits, {
    way,
    oneBuffer: true,
    result: params.metric === "euclidean" ? distanceWgsl.knn_root : selectWgsl.select_to_result,
  });
  return [
    ...spans(params.references, windowRows(rowBytes, limits)).map((span) =>
      place(valuesPass(params, shape, kept, span, limits), {
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

interface Span {
  readonly begin: number;
  readonly end: number;
}

function valuesPass(
  params: KnnSearchParams,
  shape: KnnFewVariant | undefined,
  { kind, pitch }: FewLayout["kept"],
  { begin, end }: Span,
  limits: KernelLimits,
): Pass {
  const rows = end - begin;
  const uniforms: readonly UniformField[] = [
    ["queryRows", "u32", params.queries],
    ["refRows", "u32", rows],
    // Of `queries` and `refs` in vec4f: columns that count, and also from one row to the next.
    ["depth", "u32", ceilDiv(params.columns, 4)],
    // In a row of what is kept: where that of this window begins, and from one row to the next.
    ["firstColumn", "u32", begin],
    ["pitch", "u32", pitch],
  ];
  const parts = shape ? fewParts(params, shape, rows, limits) : tileParts(params, rows, limits);
  const keeping = keptParts(params, kind, shape === undefined);
  return makePass(
    {
      ...parts,
      snippets: [...(parts.snippets ?? []), ...keeping.snippets],
      constants: { ...parts.constants, ...keeping.constants },
      uniforms: [...uniforms, ...parts.uniforms],
      bindings: [...rowBindings, keeping.binding],
    },
    limits,
  );
}

/** What becomes of values, one or four at a time. */
function keptParts({ metric }: KnnSearchParams, kind: FewLayout["kept"]["kind"], fours: boolean) {
  if (kind === "least") {
    return {
      snippets: [keys.ordered_key, keys.value_key, fours ? wgsl.keep_least_fours : wgsl.keep_least],
      constants: {
        GROUP: knnLeastPolicy.group,
        ...(fours ? { NOT_NEGATIVE: metric !== "inner_product" } : {}),
      },
      binding: { name: "least", access: "read_write", type: "array<u32>" } satisfies Binding,
    };
  }
  return {
    snippets: [fours ? wgsl.keep_vectors : wgsl.keep_values],
    constants: {},
    binding: {
      name: "values",
      access: "read_write",
      type: fours ? "array<vec4u>" : "array<u32>",
    } satisfies Binding,
  };
}

type ValuesParts = Omit<PassParts, "bindings">;

function fewParts(
  params: KnnSearchParams,
  shape: KnnFewVariant,
  refRows: number,
  limits: KernelLimits,
): ValuesParts {
  const { core, rowLanes, tree } = orderOf(params, shape, limits);
  const threads = (tree ? shape.subgroupThreads : undefined) ?? knnFewPolicy.threads;
  return {
    label: "knn.few",
    directives: tree ? ["enable subgroups", "diagnostic(off, subgroup_uniformity)"] : [],
    body: wgsl.knn_few,
    snippets: [
      collectives.linear_group,
      ...metricOf(core),
      distanceWgsl.knn_row,
      tree ? wgsl.parts_subgroup : wgsl.parts_workgroup,
    ],
    constants: { THREADS: threads, QUERIES: shape.queries, ROWS: shape.rows, ROW_LANES: rowLanes },
    uniforms: [["weight", "f32", metricForms[params.metric].weight]],
    groups: ceilDiv(refRows, (threads / rowLanes) * shape.rows),
  };
}

function orderOf(
  { metric }: KnnSearchParams,
  shape: KnnFewVariant | undefined,
  { traits, subgroupSize = 0 }: KernelLimits,
): SumOrder {
  const { core, norms } = metricForms[metric];
  if (!shape) return { core, bases: norms, rowLanes: 1, tree: false };
  const tree = shape.subgroupThreads !== undefined && traits?.subgroups === true && subgroupSize >= 4;
  const rowLanes = Math.min(knnFewPolicy.rowLanes, tree ? subgroupSize : Infinity);
  // Of so few queries differences cost no more than norms.
  return { core: norms ? "l2" : core, bases: false, rowLanes, tree };
}

function tileParts(params: KnnSearchParams, refRows: number, limits: KernelLimits): ValuesParts {
  const { metric, queries, columns } = params;
  const { core, weight, norms } = metricForms[metric];
  const tile = knnTiles[chooseKnnTile(queries, refRows, limits)];
  const parts = distanceParts({ core, dims: columns }, { tile, mixed: undefined }, wgsl.epilogue_whole);
  const groups = tileGroups(tile, queries, refRows);
  return {
    label: "knn.whole",
    ...parts,
    snippets: [distanceWgsl.square, ...parts.snippets],
    constants: { ...parts.constants, NORMS: norms },
    uniforms: [
      ["groups", "u32", groups],
      ["refBegin", "u32", 0],
      ["stride", "u32", ceilDiv(columns, 4)],
      ["weight", "f32", weight],
    ],
    groups,
  };
}

const rowBindings = [
  { name: "queries", access: "read", type: "array<vec4f>" },
  { name: "refs", access: "read", type: "array<vec4f>" },
] as const;
