/**
 * This is `knn.points`. The main thread has workers split the points, first those of the root, then those of
 * its children, until there is a part for each worker, which it builds whole. Both sides are here; the splits
 * are in wasm/build.ts.
 */
import { ceilDiv } from "../../../core/math.ts";
import { settleAll } from "../../../core/async/settleAll.ts";
import { bytesIn, copiesIn, type HostBuffer, type Slice } from "../../../runtime/cpu/buffers.ts";
import type { CpuContext, CpuKernel } from "../../../runtime/cpu/kernel.ts";
import type { WorkerMemory } from "../../../runtime/cpu/memory.ts";
import { task, wasmHandler } from "../../../runtime/cpu/task.ts";
import {
  childrenOf,
  firstOf,
  GROUP_BYTES,
  pointTreeBytes,
  RECORD_BYTES,
  rowBytesOf,
  type PointNode,
  type PointsBinding,
  type PointTree,
} from "./contract.ts";
import { tuned } from "../../../runtime/cpu/tuning.ts";
import type { PointKernels } from "./exports.ts";
import { pointTuning } from "./tuning.ts";

/** Groups lie one behind the other. */
interface Groups {
  readonly first: number;
  readonly slice: Slice;
}

interface SplitTask extends SplitTaskResult {
  readonly tree: PointTree;
  readonly node: PointNode;
  /** The root makes the records from all values, and leaves take what float64 holds. */
  readonly values: Slice | undefined;
}

/** A task writes to these arrays: those of the leaves where it builds all below a node. */
interface SplitTaskResult {
  readonly records: Slice;
  readonly boxes: readonly Groups[];
  readonly points: Slice | undefined;
  readonly exact: Slice | undefined;
}

const splitTask = task<SplitTask, SplitTaskResult>("knn.points");

export const pointsOnCpu: CpuKernel<PointTree, PointsBinding> = { run: build };

type TreeBuffers = Readonly<Record<PointsBinding, HostBuffer>>;

async function build(tree: PointTree, buffers: TreeBuffers, context: CpuContext): Promise<void> {
  const { threads, tuning, signal, onTask } = context;
  const parts = Math.min(threads, ceilDiv(tree.rows, tuned(pointTuning, tuning).taskPoints));
  let nodes: PointNode[] = [{ group: 0, first: 0, count: tree.leaves }];
  while (nodes.length < parts && nodes.length < tree.leaves) {
    await settleAll(
      nodes.map((node) => split(tree, node, false, buffers, context)),
      signal,
    );
    nodes = nodes.flatMap((node) => childrenOf(tree, node));
  }
  await settleAll(
    nodes.map((node) => split(tree, node, true, buffers, context)),
    signal,
  );
  onTask(1, 0);
}

/** Splits a node, or builds the whole of what is below it. */
function split(
  tree: PointTree,
  node: PointNode,
  whole: boolean,
  buffers: TreeBuffers,
  { pool, signal }: CpuContext,
) {
  const [begin, end] = [firstOf(tree, node.first), firstOf(tree, node.first + node.count)];
  const leaf = pointTreeBytes(tree);
  const of = (name: "points" | "exact") => {
    const each = (leaf[name] ?? 0) / tree.leaves;
    return { at: node.first * each, lend: () => buffers[name].lend(node.first * each, node.count * each) };
  };
  const levels = whole ? levelsBelow(tree, node) : [{ first: node.group, count: 1 }];
  return async (failed: AbortSignal) => {
    const prepare = () => {
      const request: SplitTask = {
        tree,
        node,
        values:
          node.group === 0 || (whole && tree.wide)
            ? buffers.values.lend(0, tree.rows * rowBytesOf(tree))
            : undefined,
        records: buffers.records.lend(begin * RECORD_BYTES, (end - begin) * RECORD_BYTES),
        boxes: levels.map(({ first, count }) => ({
          first,
          slice: buffers.boxes.lend(first * GROUP_BYTES, count * GROUP_BYTES),
        })),
        points: whole ? of("points").lend() : undefined,
        exact: whole && tree.wide ? of("exact").lend() : undefined,
      };
      return { request, transfer: copiesOf(request) };
    };
    const done = await pool.runEndable(splitTask, prepare, signal, failed);
    if (!whole) buffers.records.takeBack(begin * RECORD_BYTES, done.records);
    for (const { first, slice } of done.boxes) buffers.boxes.takeBack(first * GROUP_BYTES, slice);
    if (done.points) buffers.points.takeBack(of("points").at, done.points);
    if (done.exact) buffers.exact.takeBack(of("exact").at, done.exact);
  };
}

/** Returns the groups below a node, level by level, itself the first. */
function levelsBelow({ groups }: PointTree, { group }: PointNode): { first: number; count: number }[] {
  const levels: { first: number; count: number }[] = [];
  for (let [first, count] = [group, 1]; first < groups; [first, count] = [4 * first + 1, 4 * count]) {
    levels.push({ first, count });
  }
  return levels;
}

function copiesOf({ values, ...result }: SplitTaskResult & Partial<Pick<SplitTask, "values">>) {
  const { records, boxes, points, exact } = result;
  const slices = [records, ...boxes.map(({ slice }) => slice), points, exact, values];
  return copiesIn(slices.filter((slice) => slice !== undefined));
}

/** Splits in a worker. */
function splitHere(request: SplitTask, kernels: PointKernels, memory: WorkerMemory): SplitTaskResult {
  const { tree, node, values, records, boxes, points, exact } = request;
  const { rows, leaves, groups, places } = tree;
  memory.reset();
  const at = {
    records: memory.take(records.bytes),
    points: memory.take(points?.bytes ?? 0),
    boxes: memory.take(groups * GROUP_BYTES),
  };
  if (node.group === 0 && values) {
    const from = memory.take(values.bytes);
    memory.u8(from, values.bytes).set(bytesIn(values));
    const [x, y, z] = tree.centre;
    kernels.takePoints(from, rows, tree.cols, tree.wide, x, y, z, at.records, 0);
  } else memory.u8(at.records, records.bytes).set(bytesIn(records));
  const leafBytes = places * RECORD_BYTES;
  kernels.placeSplits(
    rows,
    leaves,
    groups,
    places,
    at.records - firstOf(tree, node.first) * RECORD_BYTES,
    at.points - node.first * leafBytes,
    at.boxes,
    tree.wide,
  );
  if (points) kernels.buildPoints(node.group, node.first, node.count);
  else kernels.splitPoints(node.group, node.first, node.count);
  for (const { first, slice } of boxes) {
    bytesIn(slice).set(memory.u8(at.boxes + first * GROUP_BYTES, slice.bytes));
  }
  if (points) bytesIn(points).set(memory.u8(at.points, points.bytes));
  else bytesIn(records).set(memory.u8(at.records, records.bytes));
  if (points && values && exact) gather(tree, memory.u32(at.points, points.bytes / 4), values, exact);
  return { records, boxes, points, exact };
}

/** Writes the largest coordinate of each leaf and the float64 values of its places. */
function gather({ cols, places, rows }: PointTree, leaves: Uint32Array, values: Slice, exact: Slice): void {
  const from = new Float64Array(values.buffer, values.offset, values.bytes / 8);
  const to = new Float64Array(exact.buffer, exact.offset, exact.bytes / 8);
  const moved = new Float32Array(leaves.buffer, leaves.byteOffset, leaves.length);
  for (let at = 0, leaf = 0; leaf < leaves.length; leaf += 4 * places) {
    const first = at++;
    let largest = 0;
    for (let place = leaf; place < leaf + places; place++, at += 3) {
      const row = leaves[place + 3 * places];
      for (let j = 0; j < cols && row < rows; j++) {
        largest = Math.max(largest, Math.abs(moved[place + j * places]));
        to[at + j] = from[row * cols + j];
      }
    }
    to[first] = largest;
  }
}

export const buildHandlers = [
  wasmHandler(splitTask, (request, { kernels, memory }) => {
    const result = splitHere(request, kernels as unknown as PointKernels, memory);
    return { result, transfer: copiesOf(result) };
  }),
];
