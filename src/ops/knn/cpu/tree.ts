/**
 * This runs `knn.tree` and `knn.treeFilter` on the CPU. One side cuts a step into tasks, the other runs them
 * in a worker. treeBuild.ts builds the tree, wasm/tree.ts searches it.
 */
import { ceilDiv, clamp } from "../../../core/math.ts";
import {
  leafRows,
  treeBytes,
  type KnnTreeBinding,
  type KnnTreeFilterBinding,
  type KnnTreeFilterParams,
  type KnnTreeParams,
} from "../contract/tree.ts";
import { settleAll } from "../../../core/async/settleAll.ts";
import { copiesIn, floatsOf, wordsIn, type HostBuffer, type Slice } from "../../../runtime/cpu/buffers.ts";
import { CORES } from "../../../distance/tileKernels.ts";
import type { KnnKernels, TreeKernels } from "./exports.ts";
import type { CpuContext, CpuKernel } from "../../../runtime/cpu/kernel.ts";
import { handler, task, wasmHandler } from "../../../runtime/cpu/task.ts";
import type { WorkerMemory } from "../../../runtime/cpu/memory.ts";
import { buildTree } from "./treeBuild.ts";

const treeNames = ["points", "order", "margins", "boxes", "nodeMargins"] as const;
type TreeName = (typeof treeNames)[number];
type TreeSlices = Readonly<Record<TreeName, Slice>>;

export interface TreeTask extends TreeSlices {
  readonly params: KnnTreeParams;
  readonly refs: Slice;
  readonly refMeta: Slice;
}

export type TreeTaskResult = TreeSlices;

export interface TreeFilterTask extends TreeSlices, TreeFilterTaskResult {
  readonly params: KnnTreeFilterParams;
  readonly queries: Slice;
  readonly queryMeta: Slice;
}

/** A task writes the lists in place, and tells how many pairs it compared. */
export interface TreeFilterTaskResult {
  readonly heads: Slice;
  readonly candidates: Slice;
  readonly pairs: number;
}

const treeTask = task<TreeTask, TreeTaskResult>("knn.tree");
const treeFilterTask = task<TreeFilterTask, TreeFilterTaskResult>("knn.treeFilter");

export const treeOnCpu: CpuKernel<KnnTreeParams, KnnTreeBinding> = { run: buildOnWorker };
export const treeFilterOnCpu: CpuKernel<KnnTreeFilterParams, KnnTreeFilterBinding> = { run: filterOnWorkers };

async function buildOnWorker(
  params: KnnTreeParams,
  buffers: Readonly<Record<KnnTreeBinding, HostBuffer>>,
  { pool, signal, onTask }: CpuContext,
): Promise<void> {
  const { rows, stride } = params;
  const bytes = treeBytes(params);
  const prepare = () => {
    const request: TreeTask = {
      params,
      refs: buffers.refs.lend(0, rows * stride * 4),
      refMeta: buffers.refMeta.lend(0, rows * 16),
      ...treeSlicesOf((name) => buffers[name].lend(0, bytes[name])),
    };
    const slices = [request.refs, request.refMeta, ...treeNames.map((name) => request[name])];
    return { request, transfer: copiesIn(slices) };
  };
  const result = await pool.runEndable(treeTask, prepare, signal);
  for (const name of treeNames) buffers[name].takeBack(0, result[name]);
  onTask(1, 0);
}

function treeSlicesOf<T>(make: (name: TreeName) => T): Record<TreeName, T> {
  return {
    points: make("points"),
    order: make("order"),
    margins: make("margins"),
    boxes: make("boxes"),
    nodeMargins: make("nodeMargins"),
  };
}

/** A task has at least this many queries, since every task copies the tree. */
const FEWEST_QUERIES = 4096;

async function filterOnWorkers(
  params: KnnTreeFilterParams,
  buffers: Readonly<Record<KnnTreeFilterBinding, HostBuffer>>,
  { pool, threads, signal, onTask }: CpuContext,
): Promise<void> {
  const { queryRows, stride, capacity, tree } = params;
  const bytes = treeBytes(tree);
  const step = Math.max(ceilDiv(queryRows, threads), Math.min(FEWEST_QUERIES, queryRows));
  const tasks = Array.from({ length: ceilDiv(queryRows, step) }, (_, i) => async (failed: AbortSignal) => {
    const begin = i * step;
    const count = Math.min(step, queryRows - begin);
    const lend = (name: KnnTreeFilterBinding, rowBytes: number) =>
      buffers[name].lend(begin * rowBytes, count * rowBytes);
    const prepare = () => {
      const request: TreeFilterTask = {
        params: { ...params, queryRows: count },
        queries: lend("queries", stride * 4),
        queryMeta: lend("queryMeta", 16),
        heads: lend("heads", 8),
        candidates: lend("candidates", capacity * 4),
        ...treeSlicesOf((name) => buffers[name].lend(0, bytes[name])),
        pairs: 0,
      };
      const { queries, queryMeta, heads, candidates } = request;
      const slices = [queries, queryMeta, heads, candidates, ...treeNames.map((name) => request[name])];
      return { request, transfer: copiesIn(slices) };
    };
    const result = await pool.runEndable(treeFilterTask, prepare, signal, failed);
    buffers.heads.takeBack(begin * 8, result.heads);
    buffers.candidates.takeBack(begin * capacity * 4, result.candidates);
    onTask(count / queryRows, result.pairs);
  });
  await settleAll(tasks, signal);
}

/** Builds the tree in a worker. */
function runTreeTask({ params, refs, refMeta, ...tree }: TreeTask): TreeTaskResult {
  buildTree(params, floatsOf(refs), floatsOf(refMeta), {
    points: floatsOf(tree.points),
    order: wordsIn(tree.order),
    margins: floatsOf(tree.margins),
    boxes: floatsOf(tree.boxes),
    nodeMargins: floatsOf(tree.nodeMargins),
  });
  return tree;
}

/**
 * One call searches at most this many queries, whose lists, in the worker's memory, take at most this many
 * bytes.
 */
const BLOCK_QUERIES = 512;
const BLOCK_BYTES = 64 * 2 ** 20;
const ENTRY_BYTES = 12;

/** Returns how many queries one call takes: fewer where lists are long. */
function blockQueries({ capacity }: { readonly capacity: number }): number {
  return clamp(Math.floor(BLOCK_BYTES / ((capacity + 1) * ENTRY_BYTES)), 1, BLOCK_QUERIES);
}

/** Searches the tree in a worker. */
function runTreeFilterTask(
  task: TreeFilterTask,
  kernels: KnnKernels & TreeKernels,
  memory: WorkerMemory,
): TreeFilterTaskResult {
  const { params, heads, candidates } = task;
  const { capacity, stride, queryRows } = params;
  const at = placeAll(task, kernels, memory);
  const room = capacity + 1;
  const block = blockQueries(params);
  const [rows, metas] = [floatsOf(task.queries), floatsOf(task.queryMeta)];
  const [outerHeads, outerCandidates] = [wordsIn(heads), wordsIn(candidates)];
  const inner = {
    rows: memory.f32(at.rows, block * stride),
    margins: memory.f32(at.queryMargins, block),
    heads: memory.u32(at.heads, block * 2),
    candidates: memory.u32(at.candidates, block * room),
  };
  const order = alongTree(task);
  let pairs = 0;
  for (let first = 0; first < queryRows; first += block) {
    const count = Math.min(block, queryRows - first);
    for (let i = 0; i < count; i++) {
      const query = order[first + i];
      for (let j = 0; j < stride; j++) inner.rows[i * stride + j] = rows[query * stride + j];
      inner.margins[i] = metas[query * 4 + 2];
    }
    inner.heads.fill(0);
    kernels.begin(count);
    pairs += kernels.searchTree(count, at.rows, stride * 4, at.queryMargins);
    kernels.finish(count);
    for (let i = 0; i < count; i++) {
      const query = order[first + i];
      const size = inner.heads[2 * i];
      outerHeads[2 * query] = size;
      if (size > capacity) continue;
      sortAscending(inner.candidates, i * room, size);
      for (let c = 0; c < size; c++) outerCandidates[query * capacity + c] = inner.candidates[i * room + c];
    }
  }
  return { heads, candidates, pairs };
}

/**
 * Copies the tree in and passes all addresses to the module.
 * @returns the addresses that change from block to block
 */
function placeAll(task: TreeFilterTask, kernels: KnnKernels & TreeKernels, memory: WorkerMemory) {
  const { core, slack, k, capacity, stride, tree } = task.params;
  memory.reset();
  const room = capacity + 1;
  const block = blockQueries(task.params);
  const places = treeSlicesOf((name) => memory.take(task[name].bytes));
  const at = {
    lanes: memory.take(32),
    stack: memory.take(8 * (tree.levels + 2)),
    rows: memory.take(block * stride * 4),
    queryMargins: memory.take(block * 4),
    heads: memory.take(block * 8),
    marks: memory.take(block * 4),
    candidates: memory.take(block * room * 4),
    intervals: memory.take(block * room * 8),
    scratch: memory.take(room * 4),
  };
  for (const name of treeNames) memory.u32(places[name], task[name].bytes / 4).set(wordsIn(task[name]));
  kernels.configure(CORES.indexOf(core), 0, 1, slack, false, false, k, capacity, room);
  kernels.place(0, 0, 0, 0, at.lanes, at.heads, at.marks, at.candidates, at.intervals, at.scratch);
  const { points, order, margins, boxes, nodeMargins } = places;
  kernels.placeTree(
    CORES.indexOf(core),
    slack,
    tree.cols,
    leafRows(tree),
    2 ** tree.levels,
    points,
    order,
    margins,
    boxes,
    nodeMargins,
    at.stack,
    at.lanes,
  );
  return at;
}

/**
 * Sorts `size` entries from `begin` on by insertion: most lists are too short for a general sort to be good
 * at.
 */
function sortAscending(list: Uint32Array, begin: number, size: number): void {
  if (size > 48) {
    list.subarray(begin, begin + size).sort();
    return;
  }
  for (let i = begin + 1; i < begin + size; i++) {
    const index = list[i];
    let at = i;
    for (; at > begin && list[at - 1] > index; at--) list[at] = list[at - 1];
    list[at] = index;
  }
}

/**
 * Returns the queries in the order of the leaves they would lie in, so that one finds in the cache what the
 * last one read.
 */
function alongTree({ params, boxes, queries }: TreeFilterTask): Uint32Array {
  const { stride, queryRows, tree } = params;
  const [edges, rows] = [floatsOf(boxes), floatsOf(queries)];
  const leaves = 2 ** tree.levels;
  const leafOf = new Uint32Array(queryRows);
  const starts = new Uint32Array(leaves + 1);
  for (let query = 0; query < queryRows; query++) {
    let node = 1;
    while (node < leaves) node = 2 * node + nearerChild(edges, tree.cols, node, rows, query * stride);
    leafOf[query] = node - leaves;
    starts[node - leaves + 1]++;
  }
  for (let leaf = 0; leaf < leaves; leaf++) starts[leaf + 1] += starts[leaf];
  const sorted = new Uint32Array(queryRows);
  for (let query = 0; query < queryRows; query++) sorted[starts[leafOf[query]]++] = query;
  return sorted;
}

/** Returns 1 for the right child where the point is nearer to its box's centre. */
function nearerChild(
  boxes: Float32Array,
  cols: number,
  node: number,
  rows: Float32Array,
  at: number,
): number {
  const [left, right] = [2 * node * 2 * cols, (2 * node + 1) * 2 * cols];
  let difference = 0;
  for (let j = 0; j < cols; j++) {
    const twice = 2 * rows[at + j];
    difference +=
      Math.abs(twice - boxes[left + j] - boxes[left + cols + j]) -
      Math.abs(twice - boxes[right + j] - boxes[right + cols + j]);
  }
  return difference > 0 ? 1 : 0;
}

export const treeHandlers = [
  handler(treeTask, (request) => {
    const result = runTreeTask(request);
    return { result, transfer: copiesIn(Object.values(result)) };
  }),
  wasmHandler(treeFilterTask, (request, { kernels, memory }) => {
    const result = runTreeFilterTask(request, kernels as unknown as KnnKernels & TreeKernels, memory);
    return { result, transfer: copiesIn([result.heads, result.candidates]) };
  }),
];
