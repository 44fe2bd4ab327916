/**
 * This is `knn.nearest`. The main thread cuts the queries into tasks. A worker keeps a copy of the tree in
 * its memory from task to task, puts its queries in the order of the tree, and writes the k nearest of each.
 * The searches are wasm/nearest.ts, of one neighbour, and wasm/search.ts, of more.
 */
import { ceilDiv, clamp } from "../../../core/math.ts";
import { settleAll } from "../../../core/async/settleAll.ts";
import { bytesIn, copiesIn, type HostBuffer, type Slice } from "../../../runtime/cpu/buffers.ts";
import type { CpuContext, CpuKernel } from "../../../runtime/cpu/kernel.ts";
import type { WorkerMemory } from "../../../runtime/cpu/memory.ts";
import { task, wasmHandler } from "../../../runtime/cpu/task.ts";
import { TREE_COUNTERS } from "../contract/tree.ts";
import {
  pointTreeBytes,
  RECORD_BYTES,
  rowBytesOf,
  type NearestBinding,
  type NearestParams,
} from "./contract.ts";
import { tuned } from "../../../runtime/cpu/tuning.ts";
import type { PointKernels } from "./exports.ts";
import { pointTuning } from "./tuning.ts";

const treeNames = ["points", "boxes", "exact"] as const;
type PointTreeName = (typeof treeNames)[number];

interface PointSearchTask {
  readonly params: NearestParams;
  /** No other tree has this number; 0 is for one that is not to be kept. */
  readonly id: number;
  readonly tree: Readonly<Partial<Record<PointTreeName, Slice>>>;
  readonly queries: Slice;
  readonly rows: Slice;
  readonly distances: Slice;
}

interface NearestTaskResult {
  readonly rows: Slice;
  readonly distances: Slice;
  readonly compared: number;
  readonly evaluated: number;
}

const nearestTask = task<PointSearchTask, NearestTaskResult>("knn.nearest");

export const nearestOnCpu: CpuKernel<NearestParams, NearestBinding> = { run: search };

/** Each worker has this many tasks, so that all end at about the same time. */
const TASKS_PER_WORKER = 2;

/** Workers may keep these trees, by their memory. */
const ids = new WeakMap<ArrayBufferLike, number>();
let lastId = 0;

function idOf({ address: { buffer } }: HostBuffer): number {
  if (buffer instanceof ArrayBuffer) return 0;
  const id = ids.get(buffer) ?? ++lastId;
  ids.set(buffer, id);
  return id;
}

async function search(
  params: NearestParams,
  buffers: Readonly<Record<NearestBinding, HostBuffer>>,
  { pool, threads, tuning, signal, onTask }: CpuContext,
): Promise<void> {
  const { tree, k, queryRows } = params;
  const sizes = Object.entries(pointTreeBytes(tree)) as [PointTreeName, number][];
  const rowBytes = rowBytesOf(tree);
  const { taskQueries, taskBytes } = tuned(pointTuning, tuning);
  const most = Math.ceil(taskBytes / (2 * RECORD_BYTES + rowBytes + 28 + 12 * k));
  const step = clamp(ceilDiv(queryRows, TASKS_PER_WORKER * threads), Math.min(taskQueries, most), most);
  const counters = new Uint32Array(buffers.counters.view(0, buffers.counters.bytes).buffer);
  const tasks = Array.from({ length: ceilDiv(queryRows, step) }, (_, i) => async (failed: AbortSignal) => {
    const begin = i * step;
    const count = Math.min(step, queryRows - begin);
    const prepare = () => {
      const tree = Object.fromEntries(sizes.map(([name, bytes]) => [name, buffers[name].lend(0, bytes)]));
      const request: PointSearchTask = {
        params: { ...params, queryRows: count },
        id: idOf(buffers.points),
        tree,
        queries: buffers.queries.lend(begin * rowBytes, count * rowBytes),
        rows: buffers.nearRows.lend(begin * k * 4, count * k * 4),
        distances: buffers.nearDistances.lend(begin * k * 8, count * k * 8),
      };
      const { queries, rows, distances } = request;
      return { request, transfer: copiesIn([...Object.values(tree), queries, rows, distances]) };
    };
    const done = await pool.runEndable(nearestTask, prepare, signal, failed);
    buffers.nearRows.takeBack(begin * k * 4, done.rows);
    buffers.nearDistances.takeBack(begin * k * 8, done.distances);
    counters[TREE_COUNTERS + 1] += done.evaluated;
    onTask(count / queryRows, done.compared);
  });
  await settleAll(tasks, signal);
}

/** Rounding to float32 moves a point by at most this much, for each unit of its largest coordinate. */
const ROUNDING = Math.sqrt(3) * 2 ** -24 * (1 + 2 ** -10);

/** The search of one neighbour takes this room: squares of a leaf, a batch, and a list of leaves. */
const LIST_BYTES = 4160;

/** The tree that the worker keeps lies at these places. */
let kept: Readonly<Partial<Record<PointTreeName, number>>> = {};

/** Searches in a worker. */
function searchHere(
  request: PointSearchTask,
  kernels: PointKernels,
  memory: WorkerMemory,
): NearestTaskResult {
  const { params, queries, rows, distances } = request;
  const { tree, k, queryRows: count, root } = params;
  const { wide, depth, groups, places } = tree;
  placeTree(request, memory);
  const levels = Math.max(0, depth - 1);
  const at = {
    values: memory.take(queries.bytes),
    records: memory.take(count * RECORD_BYTES),
    sorted: memory.take(count * RECORD_BYTES),
    buckets: memory.take(count * 4),
    starts: memory.take((4 ** levels + 1) * 4),
    wide: wide ? memory.take(count * 24) : 0,
    stack: memory.take(8 * (3 * depth + 1)),
    lows: memory.take(16),
    scratch: memory.take(k === 1 ? LIST_BYTES : 0),
    keys: memory.take(k * 8),
    heap: memory.take(k * 4),
    rows: memory.take(count * k * 4),
    distances: memory.take(count * k * 8),
  };
  memory.u8(at.values, queries.bytes).set(bytesIn(queries));
  memory.u32(at.starts, 4 ** levels + 1).fill(0);
  const [x, y, z] = tree.centre;
  kernels.takePoints(at.values, count, tree.cols, wide, x, y, z, at.records, at.wide);
  const { points = 0, boxes = 0, exact = 0 } = kept;
  const unit = wide ? ROUNDING : 0;
  kernels.placePoints(
    groups,
    places,
    points,
    boxes,
    exact,
    unit,
    root,
    k,
    at.stack,
    at.lows,
    at.keys,
    at.heap,
  );
  kernels.bucketPoints(boxes, at.records, count, levels, at.buckets, at.starts, at.sorted);
  const compared =
    k === 1
      ? kernels.searchNearest(at.sorted, at.starts, levels, at.wide, at.scratch, at.rows, at.distances)
      : kernels.searchPoints(at.sorted, count, at.wide, at.rows, at.distances);
  bytesIn(rows).set(memory.u8(at.rows, rows.bytes));
  bytesIn(distances).set(memory.u8(at.distances, distances.bytes));
  return { rows, distances, compared, evaluated: kernels.evaluatedPairs() };
}

/** Copies the tree in, unless it is there. */
function placeTree({ id, tree }: PointSearchTask, memory: WorkerMemory): void {
  if (memory.resume(id)) return;
  memory.reset();
  const names = treeNames.filter((name) => tree[name]);
  kept = Object.fromEntries(names.map((name) => [name, memory.take(tree[name]!.bytes)]));
  for (const name of names) memory.u8(kept[name]!, tree[name]!.bytes).set(bytesIn(tree[name]!));
  memory.keep(id);
}

export const nearestHandlers = [
  wasmHandler(nearestTask, (request, { kernels, memory }) => {
    const result = searchHere(request, kernels as unknown as PointKernels, memory);
    return { result, transfer: copiesIn([result.rows, result.distances]) };
  }),
];
