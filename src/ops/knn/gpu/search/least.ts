/**
 * This is the last pass of `knn.search` for few queries and small k. The first passes left the least key of
 * every group of references. This one takes the groups that may hold neighbours, makes their values again and
 * sorts. Where all values are kept (few.ts), `select` chooses from them instead.
 */
import { ceilDiv, roundUp } from "../../../../core/math.ts";
import { elementBytes } from "../../../../runtime/element.ts";
import type { DistanceCore } from "../../contract/filter.ts";
import type { KnnSearchParams } from "../../contract/search.ts";
import { metricOf } from "../../../../distance/gpu/tile.ts";
import { partsOf, place, type ScratchRange } from "../../../../runtime/gpu/passes/windows.ts";
import { metricForms } from "./parts.ts";
import {
  DEFAULT_BINDING_BYTES,
  makePass,
  type KernelLimits,
  type Pass,
} from "../../../../runtime/gpu/passes/pass.ts";
import { chooseLeastThreads, knnLeastPolicy } from "../policy.ts";
import * as distanceWgsl from "../../../../distance/gpu/wgsl.generated.ts";
import { wgsl } from "./wgsl.ts";
import { workgroup_sort } from "../../../../runtime/gpu/collectives/sort/wgsl.generated.ts";
import * as keys from "../../../../runtime/gpu/collectives/keys/wgsl.generated.ts";

export interface LeastLayout {
  readonly kind: "least";
  /** The keys of one query begin this far from those of the next; a multiple of four. */
  readonly pitch: number;
  /** These are the parts of `scratch`. */
  readonly parts: Readonly<Record<"least", ScratchRange>>;
  readonly bytes: number;
}

/** The first passes added up a pair's sum in this order, so that the last pass gets the same bits. */
export interface SumOrder {
  readonly core: DistanceCore;
  /**
   * This is true where squares of distances come from products and squared lengths; false where from
   * differences.
   */
  readonly bases: boolean;
  readonly rowLanes: number;
  /** This is true where parts of lanes met by halves; false where one after the other. */
  readonly tree: boolean;
}

/**
 * Returns the layout; undefined for larger k, where groups are few, and where the references cannot be bound
 * at once.
 */
export function leastLayout(
  { queries, references, columns, k }: KnnSearchParams,
  { bindingBytes = DEFAULT_BINDING_BYTES }: KernelLimits,
): LeastLayout | undefined {
  const { group, mostK, groupsForK } = knnLeastPolicy;
  const groups = ceilDiv(references, group);
  if (k > mostK || groups < groupsForK * k) return undefined;
  if (references * roundUp(columns, 4) * 4 > bindingBytes) return undefined;
  const pitch = roundUp(groups, 4);
  return { kind: "least", pitch, ...partsOf({ least: elementBytes(queries * pitch) }) };
}

export function leastPass(
  { metric, queries, references, columns, k }: KnnSearchParams,
  { pitch, parts }: LeastLayout,
  { core, bases, rowLanes, tree }: SumOrder,
  limits: KernelLimits,
): Pass {
  const { group, capacity, chosen, mostK } = knnLeastPolicy;
  const rows = rowLanes > 1 ? knnLeastPolicy.rows : 1;
  const threads = chooseLeastThreads(rows, limits);
  const pass = makePass(
    {
      label: "knn.least",
      body: wgsl("knn_least"),
      snippets: [
        ...metricOf(core),
        distanceWgsl.distance_row,
        distanceWgsl.square,
        keys.ordered_key,
        keys.value_key,
        workgroup_sort,
      ],
      constants: {
        GROUP: group,
        THREADS: threads,
        CAPACITY: capacity,
        CHOSEN: chosen,
        MOST_K: mostK,
        ROW_LANES: rowLanes,
        ROWS: rows,
        TREE: tree,
        NORMS: bases,
        ROOT: metric === "euclidean",
      },
      uniforms: [
        ["queryRows", "u32", queries],
        ["refRows", "u32", references],
        ["depth", "u32", ceilDiv(columns, 4)],
        ["groups", "u32", ceilDiv(references, group)],
        ["pitch", "u32", pitch / 4],
        ["k", "u32", k],
        ["buckets", "u32", bucketsFor(k, threads)],
        ["weight", "f32", metricForms[metric].weight],
      ],
      bindings: [
        { name: "queries", access: "read", type: "array<vec4f>" },
        { name: "refs", access: "read", type: "array<vec4f>" },
        { name: "least", access: "read", type: "array<vec4u>" },
        { name: "distances", access: "read_write", type: "array<f32>" },
        { name: "indices", access: "read_write", type: "array<u32>" },
      ],
      groups: queries,
    },
    limits,
  );
  return place(pass, { refs: { name: "references" }, least: { name: "scratch", part: parts.least } });
}

/** Returns how many buckets there are. More buckets make the limit tighter, and longer to find. */
function bucketsFor(k: number, threads: number): number {
  const { fewestBuckets, bucketsForK } = knnLeastPolicy;
  return Math.min(threads, 2 ** Math.ceil(Math.log2(Math.max(fewestBuckets, bucketsForK * k))));
}
