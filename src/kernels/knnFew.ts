/**
 * `knn.search` for few queries as passes: reading the references is what takes time, so the values of all pairs are stored, and
 * `select` finds the least of every query. Not the search for many queries (knnSearch.ts), whose values would take too much room.
 */
import { ceilDiv, roundDown, roundUp } from "../core/math.ts";
import { elementBytes, type DistanceCore, type SelectParams } from "../core/primitives.ts";
import type { KnnSearchMetric, KnnSearchParams } from "../core/primitives/knnSearch.ts";
import { chooseSelectWay, selectScratchBytes, type SelectWay } from "../core/selectWays.ts";
import { metricSnippets } from "./knn.ts";
import { partsOf, place, spans, windowOf, type Part } from "./knnParts.ts";
import { makePass, type KernelLimits, type Pass } from "./pass.ts";
import { knnFewPolicy, knnFewShapes, knnSearchPolicy, type KnnFewShape } from "./policy.ts";
import { selectPasses } from "./select.ts";
import * as wgsl from "./wgsl.generated.ts";

interface Way {
  readonly core: DistanceCore;
  readonly weight: number;
  readonly root: boolean;
}

/** Without norms, which would take longer to read than the distances themselves. */
const ways: Record<KnnSearchMetric, Way> = {
  euclidean: { core: "l2", weight: 0, root: true },
  sqeuclidean: { core: "l2", weight: 0, root: false },
  inner_product: { core: "dot", weight: -1, root: false },
  manhattan: { core: "l1", weight: 0, root: false },
  chebyshev: { core: "linf", weight: 0, root: false },
};

export interface FewLayout {
  readonly shape: KnnFewShape;
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
  const shape = knnFewShapes.find((each) => queries <= each.queries);
  const selection = { rows: queries, cols: references, k, type: "f32", largest: false } as const;
  const way = { ...chooseSelectWay(selection), ...knnFewPolicy.selection };
  const sizes = { values: elementBytes(queries * references), work: selectScratchBytes(selection, way) };
  const most = Math.min(bindingBytes, knnSearchPolicy.scratchBytes);
  if (!shape || Math.max(sizes.values, sizes.work) > most) return undefined;
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
  const { root } = ways[params.metric];
  const selecting = selectPasses(selection, limits, {
    way,
    oneBuffer: true,
    result: root ? wgsl.knn_root : wgsl.select_to_result,
  });
  return [
    ...spans(params.references, window).map(({ begin, end }) =>
      place(valuesPass(params, shape, begin, end, limits), {
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

function valuesPass(
  { metric, queries, references, columns }: KnnSearchParams,
  shape: KnnFewShape,
  begin: number,
  end: number,
  limits: KernelLimits,
): Pass {
  const { threads, rowLanes } = knnFewPolicy;
  const { core, weight } = ways[metric];
  return makePass(
    {
      label: "knn.few",
      body: wgsl.knn_few,
      snippets: [wgsl.linear_group, metricSnippets[core], wgsl.knn_row],
      constants: { THREADS: threads, QUERIES: shape.queries, ROWS: shape.rows, ROW_LANES: rowLanes },
      uniforms: [
        ["queryRows", "u32", queries],
        ["refRows", "u32", end - begin],
        // Of `queries` and `refs` in vec4f: columns that count, which is also from one row to the next.
        ["depth", "u32", ceilDiv(columns, 4)],
        ["weight", "f32", weight],
        // In a row of values: where those of this window begin, and from one row to the next.
        ["firstColumn", "u32", begin],
        ["pitch", "u32", references],
      ],
      bindings: [
        { name: "queries", access: "read", type: "array<vec4f>" },
        { name: "refs", access: "read", type: "array<vec4f>" },
        { name: "values", access: "read_write", type: "array<f32>" },
      ],
      groups: ceilDiv(end - begin, (threads / rowLanes) * shape.rows),
    },
    limits,
  );
}
