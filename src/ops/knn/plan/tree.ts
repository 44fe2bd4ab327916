/**
 * Decides whether the CPU searches a k-d tree instead of all references, and makes the buffers and steps that
 * it then adds to a k-NN plan. Pure. The tree itself is described in ops/knn/contract/tree.ts.
 */
import type { BackendInfo, Step } from "../../../runtime/backend.ts";
import type { BufferSpec } from "../../../runtime/source.ts";
import { treeBytes, type KnnTreeParams, type TreeCore } from "../contract/tree.ts";
import type { KnnProblem } from "./problem.ts";
import { DIRECT_COLUMNS } from "../../../distance/forms/forms.ts";
import type { Tile, TileCaps } from "./tile.ts";
import { knnTree, knnTreeFilter } from "../primitives.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import type { Filter } from "../../../distance/forms/filter.ts";
import { run } from "../../../runtime/primitive.ts";

/** The pairs below which all are compared sooner than a tree is built. */
const LEAST_PAIRS = 2e7;
/** The most references of a leaf. */
const LEAF_ROWS = 32;
/** The largest share of the references in a list: longer lists leave a tree little to skip. */
const LONGEST_SHARE = 1 / 64;

const cores: readonly string[] = ["l2", "l1", "linf"] satisfies TreeCore[];

/** The most queries of a job; each of its tasks copies the tree. */
const MOST_QUERIES = 2 ** 17;

/**
 * Returns the tree, or undefined where all references are searched. Only the direct form has a tree, and only
 * few columns, since more would leave it little to skip.
 * @param forced true or false to overrule the sizes
 */
export function chooseTree(
  problem: KnnProblem,
  { core, mixed }: Filter,
  device: BackendInfo,
  forced?: boolean,
): KnnTreeParams | undefined {
  const { trainRows, queryRows, cols, k, precision } = problem;
  if (device.kind !== "cpu" || precision === "float32" || !cores.includes(core) || mixed) return undefined;
  const worthwhile =
    cols <= DIRECT_COLUMNS && trainRows * queryRows >= LEAST_PAIRS && k <= trainRows * LONGEST_SHARE;
  if (!(forced ?? worthwhile)) return undefined;
  const levels = Math.max(0, Math.ceil(Math.log2(trainRows / LEAF_ROWS)));
  return { rows: trainRows, cols, stride: strideOf(cols), levels };
}

/** Counts the bytes of the tree and of the copy that every worker searches. */
export function treeTotalBytes(tree: KnnTreeParams, threads: number): number {
  return (1 + threads) * Object.values(treeBytes(tree)).reduce((sum, bytes) => sum + bytes, 0);
}

export function treeBuffers(tree: KnnTreeParams | undefined): BufferSpec[] {
  if (!tree) return [];
  return Object.entries(treeBytes(tree)).map(([name, bytes]) => ({ name: `tree.${name}`, bytes }));
}

const treeBindings = {
  points: "tree.points",
  order: "tree.order",
  margins: "tree.margins",
  boxes: "tree.boxes",
  nodeMargins: "tree.nodeMargins",
} as const;

/** Builds the tree from the references, all of which lie in the first buffer. */
export function treeStep(tree: KnnTreeParams | undefined): Step[] {
  if (!tree) return [];
  return [
    run(knnTree, {
      params: tree,
      bindings: { refs: "refs.0", refMeta: "refMeta.0", ...treeBindings },
      cost: 0,
    }),
  ];
}

export function treeFilterStep(
  tree: KnnTreeParams,
  { core, slack }: Filter,
  k: number,
  capacity: number,
  queryRows: number,
  work: number,
): Step {
  return run(knnTreeFilter, {
    params: { core: core as TreeCore, slack, k, capacity, stride: tree.stride, queryRows, tree },
    bindings: {
      queries: "queries",
      queryMeta: "queryMeta",
      heads: "heads",
      candidates: "candidates",
      ...treeBindings,
    },
    cost: work,
  });
}

/**
 * Returns the queries of a job, which visit the whole tree; undefined when not even one fits into `free`
 * bytes.
 */
export function chooseTreeTile(
  task: { readonly queries: number; readonly capacity: number },
  tree: KnnTreeParams,
  free: number,
  { bufferBytes }: BackendInfo,
  caps: TileCaps,
): Tile | undefined {
  const bytes = tree.stride * 4 + 16 + 8 + task.capacity * 4;
  const queries = Math.min(
    task.queries,
    caps.queries ?? MOST_QUERIES,
    MOST_QUERIES,
    Math.floor(bufferBytes / Math.max(task.capacity * 4, tree.stride * 4)),
    Math.floor(free / bytes),
  );
  return queries < 1 ? undefined : { queries, references: tree.rows, group: 0 };
}
