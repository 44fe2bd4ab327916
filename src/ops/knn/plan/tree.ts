/**
 * This decides whether a tree is searched instead of all references, and makes the buffers and steps that it
 * then adds to a k-NN plan. This is pure. The tree itself is described in ops/knn/contract/tree.ts. Only
 * searches of few columns load this module, as `trees` of a plan.
 */
import { clamp } from "../../../core/math.ts";
import type { BackendInfo, Step } from "../../../runtime/backend.ts";
import { rowAt, type BufferSpec, type RowSet } from "../../../runtime/source.ts";
import {
  gpuTreeBytes,
  LEAF_POINTS,
  MOST_TREE_K,
  queryScratchBytes,
  treeBytes,
  treeScratchBytes,
  UNFINISHED,
  type KnnTreeParams,
  type TreeCore,
} from "../contract/tree.ts";
import type { Done, Job } from "../../../runtime/program.ts";
import { countersOf, downloadCounters, unlistedCounts } from "./order.ts";
import type { KnnProblem } from "./problem.ts";
import { packedBuffer, packedBytes } from "./treeSources.ts";
import { DIRECT_COLUMNS } from "../../../distance/forms/forms.ts";
import type { Tile, TileCaps } from "./tile.ts";
import { DISPATCH_SECONDS, layoutBytes, type ReferenceLayout } from "../../../distance/layout.ts";
import { knnTree, knnTreeFilter } from "../treePrimitives.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import type { Filter, Technique } from "../../../distance/forms/filter.ts";
import { run } from "../../../runtime/primitive.ts";

/**
 * Fewer pairs than this are compared sooner than a tree is built, on a CPU, and on a GPU for each neighbour.
 * With fewer queries most of a GPU would idle (bench/results/cloud-gpu.md).
 */
const LEAST_PAIRS = 2e7;
const LEAST_GPU_PAIRS = 1e9;
const LEAST_GPU_QUERIES = 2 ** 14;
/** With fewer rows not even a tree that stays is worth it. */
const LEAST_KEPT_ROWS = 2 ** 12;
/** A cell of a grid has this many references, and a column at most this many cells. */
const CELL_ROWS = 8;
const MOST_CELLS = 256;
/** A leaf has at most this many references. */
const LEAF_ROWS = 32;
/** A list has at most this share of the references: longer lists leave a tree little to skip. */
const LONGEST_SHARE = 1 / 64;

const cores: readonly string[] = ["l2", "l1", "linf"] satisfies TreeCore[];

/**
 * A job has at most this many queries on a CPU, each of whose tasks copies the tree, and this many on a GPU.
 */
const MOST_QUERIES = 2 ** 17;
const MOST_GPU_QUERIES = 2 ** 22;
/** A GPU's job with fewer queries takes longer to begin and end. */
const FEWEST_GPU_QUERIES = 2 ** 10;
/** A tree on a GPU has at most this many columns. */
const MOST_GPU_COLUMNS = 3;
/** A GPU could do this many multiply-adds in the time in which it visits a reference of a leaf, roughly. */
const VISIT_COST = 16;
/** A query of a GPU's job may visit this many references in one dispatch, where as many wait as at first. */
const FIRST_VISITS = 512;

/** Returns a tree where the references, and its points, lie in one buffer each, and there is room for all. */
export function treeFor(
  problem: KnnProblem,
  technique: Technique,
  layout: ReferenceLayout | undefined,
  device: BackendInfo,
  budget: number,
  caps: TileCaps,
): KnnTreeParams | undefined {
  if (problem.keepAll || technique.form === "none") return undefined;
  if (!layout?.resident || layout.chunks > 1) return undefined;
  const tree = chooseTree(problem, technique, device, caps);
  if (!tree || (tree.onGpu && Math.max(...Object.values(bytesOf(tree))) > device.bufferBytes))
    return undefined;
  const room = 0.8 * budget - layoutBytes(layout, problem.trainRows, strideOf(technique.dims));
  return treeTotalBytes(tree, device.threads) <= room ? tree : undefined;
}

/**
 * Returns the tree, or undefined where all references are searched. Only the direct form has a tree, and only
 * few columns, since more would leave it little to skip.
 * @param caps a tree that is forced or forbidden overrules the sizes
 */
function chooseTree(
  problem: KnnProblem,
  { core, mixed }: Filter,
  device: BackendInfo,
  { tree, keepsTree = false, cells }: Pick<TileCaps, "tree" | "keepsTree" | "cells"> = {},
): KnnTreeParams | undefined {
  const { trainRows, queryRows, cols, k, precision } = problem;
  const onGpu = device.kind === "gpu";
  const forced = cells === undefined ? tree : true;
  const [least, columns] = onGpu ? [LEAST_GPU_PAIRS * k, MOST_GPU_COLUMNS] : [LEAST_PAIRS, DIRECT_COLUMNS];
  if (precision === "float32" || !cores.includes(core) || mixed) return undefined;
  if (onGpu && (cols > columns || k > MOST_TREE_K)) return undefined;
  const isWide = !onGpu || queryRows >= LEAST_GPU_QUERIES;
  const isMuch = keepsTree ? trainRows >= LEAST_KEPT_ROWS : isWide && trainRows * queryRows >= least;
  const worthwhile = cols <= columns && isMuch && k <= trainRows * LONGEST_SHARE;
  if (!(forced ?? worthwhile)) return undefined;
  const levels = Math.max(0, Math.ceil(Math.log2(trainRows / (onGpu ? LEAF_POINTS : LEAF_ROWS))));
  return {
    rows: trainRows,
    cols,
    stride: strideOf(cols),
    levels,
    ...(onGpu ? { onGpu } : {}),
    ...(cells === undefined ? {} : { cells: cells === "auto" ? cellsFor(trainRows, cols) : cells }),
  };
}

/** Returns how many cells a column has, a power of two, so that each holds some eight of even points. */
function cellsFor(rows: number, cols: number): number {
  return clamp(2 ** Math.round(Math.log2(rows / CELL_ROWS) / cols), 1, MOST_CELLS);
}

function bytesOf(tree: KnnTreeParams): Readonly<Record<string, number>> {
  return tree.onGpu ? gpuTreeBytes(tree) : treeBytes(tree);
}

export { leavesOf } from "../contract/tree.ts";
export { pointSources as sources, uploadPoints } from "./treeSources.ts";
export { orderedPart, targetsOf } from "./order.ts";

/**
 * Counts the bytes of the tree and of the copy that every worker searches, or of what a GPU builds it with.
 */
export function treeTotalBytes(tree: KnnTreeParams, threads: number): number {
  const sumOf = (sizes: Readonly<Record<string, number>>) =>
    Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
  const bytes = sumOf(bytesOf(tree));
  if (!tree.onGpu) return (1 + threads) * bytes;
  return bytes + sumOf(treeScratchBytes(tree)) + packedBytes(tree, tree.rows);
}

function buffersOf(sizes: Readonly<Record<string, number>>): BufferSpec[] {
  return Object.entries(sizes).map(([name, bytes]) => ({ name: `tree.${name}`, bytes }));
}

/** Returns for each name the buffer of the tree that is called so. */
export function bindingsOf(sizes: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(Object.keys(sizes).map((name) => [name, `tree.${name}`]));
}

export function treeBuffers(tree: KnnTreeParams | undefined): BufferSpec[] {
  return tree ? buffersOf(bytesOf(tree)) : [];
}

/** Returns the buffers that a GPU needs besides while it builds the tree. */
export function treeBuildBuffers(tree: KnnTreeParams | undefined): BufferSpec[] {
  if (!tree?.onGpu) return [];
  return [...buffersOf(treeScratchBytes(tree)), ...packedBuffer(tree, tree.rows, "refs.0")];
}

/** Returns the buffers that a GPU needs besides while it searches the tree. */
export function treeSearchBuffers(tree: KnnTreeParams, queryRows: number): BufferSpec[] {
  if (!tree.onGpu) return [];
  return [...buffersOf(queryScratchBytes(queryRows)), ...packedBuffer(tree, queryRows, "queries")];
}

/** Builds the tree from the references, all of which lie in the first buffer. */
export function treeStep(tree: KnnTreeParams | undefined): Step[] {
  if (!tree) return [];
  const scratch = tree.onGpu ? bindingsOf(treeScratchBytes(tree)) : {};
  const bindings = { refs: "refs.0", refMeta: "refMeta.0", ...bindingsOf(bytesOf(tree)), ...scratch };
  return [run(knnTree, { params: tree, bindings, cost: 0 })];
}

/** Makes the steps that search a plan's tree. */
export function treeSteps(
  { problem: { k }, rate, caps }: TreePlan,
  tree: KnnTreeParams,
  { core, slack }: Filter,
  queryRows: number,
  capacity: number,
): Step[] {
  const sizes = { k, capacity, queryRows };
  const dispatch = tree.onGpu ? { pairs: visitsOf(rate), most: caps.references } : {};
  const scratch = tree.onGpu ? { intervals: "intervals", ...bindingsOf(queryScratchBytes(queryRows)) } : {};
  const filter = run(knnTreeFilter, {
    params: { core: core as TreeCore, slack, ...sizes, stride: tree.stride, tree, ...dispatch },
    bindings: {
      queries: "queries",
      queryMeta: "queryMeta",
      heads: "heads",
      candidates: "candidates",
      ...bindingsOf(bytesOf(tree)),
      ...scratch,
    },
    cost: treeWork(tree, queryRows),
  });
  return tree.onGpu ? [filter, downloadCounters] : [filter];
}

/** Returns how many references all queries of a GPU together visit in a dispatch. */
export function visitsOf(rate: number): number {
  const inTime = Math.floor((rate * DISPATCH_SECONDS) / VISIT_COST);
  return Math.max(FEWEST_GPU_QUERIES * FIRST_VISITS, inTime);
}

/** Returns the work of some queries: what a CPU would have to do without a tree, what a GPU does at first. */
export function treeWork({ onGpu, rows, stride }: KnnTreeParams, queryRows: number): number {
  return queryRows * (onGpu ? FIRST_VISITS * VISIT_COST : rows * stride);
}

/** These parts of a job say what came back of it. */
interface Searched extends Job {
  readonly task: { readonly rows: RowSet };
  readonly finish: { readonly kind: string; readonly rows: RowSet };
}

/** A search along a tree depends on these parts of its plan. */
interface TreePlan {
  readonly problem: KnnProblem;
  readonly device: BackendInfo;
  readonly technique: Technique;
  readonly caps: TileCaps;
  readonly rate: number;
}

/**
 * Reads what a GPU saw along its tree: the work of a job and its cost in multiply-adds, the counts of lists,
 * and the tasks of the rows it gave up, whose counts become those of empty lists.
 */
export function seenAlongTree<J extends Searched>(
  { problem, technique }: TreePlan,
  job: J,
  seen: Done,
  listed: Uint32Array,
  firstCapacity: (problem: KnnProblem, technique: Filter) => number,
) {
  const { finish } = job;
  const counts = finish.kind === "ordered" ? unlistedCounts(finish.rows, seen, problem.k) : listed;
  const { unlisted, visited: work } = countersOf(seen.downloads);
  const givenUp: number[] = [];
  for (let i = 0; unlisted > 0 && i < counts.length; i++) {
    if (counts[i] !== UNFINISHED) continue;
    givenUp.push(rowAt(job.task.rows, i));
    counts[i] = 0;
  }
  const todo =
    givenUp.length > 0 && technique.form !== "none"
      ? [
          {
            rows: Uint32Array.from(givenUp),
            capacity: firstCapacity(problem, technique),
            whole: true,
          } as const,
        ]
      : [];
  return { job: { ...job, cost: work * VISIT_COST }, work, counts, todo };
}

/** Returns the plan for queries that a GPU gave up along the tree, which stays on the device. */
export function withoutTree<Plan extends { readonly budget: number }>(plan: Plan, tree: KnnTreeParams) {
  return { ...plan, tree: undefined, budget: plan.budget - treeTotalBytes(tree, 0) };
}

/**
 * Returns how many queries a job has, all of which visit the whole tree; undefined when not even one fits
 * into `free` bytes.
 */
export function chooseTreeTile(
  { problem: { k }, device: { bufferBytes }, caps, rate }: TreePlan,
  tree: KnnTreeParams,
  wanted: number,
  capacity: number,
  free: number,
): Tile | undefined {
  const { onGpu, stride, rows } = tree;
  const inTime = Math.ceil(visitsOf(rate) / FIRST_VISITS);
  const most = onGpu ? clamp(inTime, FEWEST_GPU_QUERIES, MOST_GPU_QUERIES) : MOST_QUERIES;
  const entries = capacity * (onGpu ? 12 : 4);
  const bytes = stride * 4 + 16 + 8 + entries + packedBytes(tree, 1) + (onGpu ? 32 + 12 * k : 0);
  const queries = Math.min(
    wanted,
    caps.queries ?? most,
    most,
    Math.floor(bufferBytes / Math.max(entries, stride * 4)),
    Math.floor(free / bytes),
  );
  return queries < 1 ? undefined : { queries, references: rows, group: 0 };
}
