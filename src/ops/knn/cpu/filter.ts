/**
 * This runs `knn.filter` and `knn.sketchedFilter` on the CPU: the main thread cuts a step into tasks. A block
 * of queries visits all references, one range after the other. Each range is a task that continues the
 * block's lists; different blocks run side by side. Where the queries are too few for that, parts of the
 * references do, each with lists of its own, which parts.ts merges. filterTask.ts runs a task.
 */
import { assert } from "../../../core/errors.ts";
import { ceilDiv, clamp, spans } from "../../../core/math.ts";
import { settleAll } from "../../../core/async/settleAll.ts";
import { sketchStride, type KnnSketchedFilterBinding } from "../contract/sketch.ts";
import { knnFilterBytes, type KnnFilterBinding } from "../contract/filter.ts";
import { copiesIn, type HostBuffer, type Slice } from "../../../runtime/cpu/buffers.ts";
import { LISTS, listsAt, mergeParts, partsOf, rangesOf, type Block } from "./parts.ts";
import { filterTask, listRoom, slicesOf, type FilterTask, type KnnParams } from "./filterRequest.ts";
import type { Workers } from "../../../runtime/cpu/workers.ts";
import type { CpuKernel } from "../../../runtime/cpu/kernel.ts";
import { tuned } from "../../../runtime/cpu/tuning.ts";
import { columnCost, knnTuning, mixedCost, pairCost, type KnnTuning } from "./tuning.ts";

/** The CPU reads these bindings; it needs no scratch. */
export type KnnBuffers = Readonly<
  Record<Exclude<KnnFilterBinding, "scratch">, HostBuffer> &
    Partial<Record<KnnSketchedFilterBinding, HostBuffer>>
>;

export interface KnnContext {
  readonly pool: Workers["pool"];
  readonly threads: number;
  readonly shared: boolean;
  readonly tuning: KnnTuning;
  readonly signal: AbortSignal;
  /** Hears, whenever a task has finished, how many (query, reference) pairs it compared. */
  readonly onPairs: (pairs: number) => void;
}

export const filterOnCpu: CpuKernel<KnnParams, KnnFilterBinding & KnnSketchedFilterBinding> = {
  run: (params, buffers, { tuning, onTask, ...context }) => {
    const all = params.queryRows * params.refRows;
    return runKnnFilter(params, buffers, {
      ...context,
      tuning: tuned(knnTuning, tuning),
      onPairs: (pairs) => onTask(pairs / all, pairs),
    });
  },
};

/** Runs a filter. It rejects with the first task's error, once all tasks that have started have ended. */
export async function runKnnFilter(
  params: KnnParams,
  buffers: KnnBuffers,
  context: KnnContext,
): Promise<void> {
  const { queryRows, refRows, capacity } = params;
  if (queryRows === 0 || refRows === 0) return;
  checkSizes(params, buffers);
  const cuts = cutsOf(params, context);
  const blocks = spans(queryRows, cuts.queryRows).map(({ begin: query, end }): Block => {
    const block = { ...params, queryRows: end - query };
    return { params: block, query, lists: listsAt(buffers, query, block.queryRows, capacity) };
  });
  const visitAll = async (some: readonly Block[]): Promise<void> => {
    const tasks = some.map((block) => (failed: AbortSignal) => visit(block, cuts, buffers, context, failed));
    await settleAll(tasks, context.signal);
  };
  if (cuts.parts === 1) return visitAll(blocks);
  const cut = blocks.map((block) => ({ block, parts: partsOf(block, cuts.parts, context.shared) }));
  await visitAll(cut.flatMap(({ parts }) => parts));
  await visitAll(cut.filter(({ block, parts }) => !mergeParts(block, parts)).map(({ block }) => block));
}

/** Visits the references of a block, one range after the other. */
async function visit(
  { params, query, lists }: Block,
  cuts: Cuts,
  buffers: KnnBuffers,
  context: KnnContext,
  failed: AbortSignal,
): Promise<void> {
  for (const range of rangesOf(params, cuts.refRows))
    await runTask({ params: range, query, lists }, buffers, context, failed);
}

export interface Cuts {
  readonly queryRows: number;
  readonly refRows: number;
  /** A block visits this many parts of the references side by side. */
  readonly parts: number;
}

/**
 * Returns how many queries a block has, how many references a task, and how many parts all references. There
 * are enough blocks, or parts of them, to keep every worker busy, unless they would be too small.
 */
export function cutsOf(
  params: KnnParams,
  { threads, shared, tuning }: Pick<KnnContext, "threads" | "shared" | "tuning">,
): Cuts {
  const { core, dims, stride, capacity, queryRows, refRows, axes, mixed, keepAll = false } = params;
  const columns = axes === undefined ? dims : axes + 2 + dims * LOOKED_AT;
  const cost = columns * columnCost[core] * (mixed ? mixedCost : 1) + pairCost;
  const mostParts = Math.min(
    keepAll ? 1 : threads,
    Math.floor((queryRows * refRows * cost) / tuning.partCost),
    Math.floor(tuning.listBytes / (12 * capacity * queryRows)),
  );
  const side = blocksAndParts(queryRows, threads, Math.max(1, mostParts), tuning.fewestQuantized);
  const most = axes === undefined ? tuning.queryRows : tuning.sketchedQueryRows;
  const wanted = clamp(ceilDiv(queryRows, 2 * threads), Math.min(tuning.fewestQueryRows, most), most);
  const fitting = Math.min(
    Math.floor(tuning.queryBytes / (4 * dims)),
    Math.floor(tuning.listBytes / (12 * listRoom(params, capacity))),
  );
  const block = Math.max(1, Math.min(wanted, fitting, ceilDiv(queryRows, side.blocks)));
  const even = ceilDiv(queryRows, ceilDiv(queryRows, block));
  const affordable = Math.floor(tuning.taskCost / (even * cost));
  const copyable = shared ? Infinity : Math.floor(tuning.copyBytes / (4 * stride));
  const rows = clamp(Math.min(affordable, copyable), 1, refRows);
  return { queryRows: even, refRows: rows, parts: side.parts };
}

/**
 * Returns into how many blocks queries are cut, and into how many parts the references of each, as many
 * together as there are threads: blocks of so many queries, if there are enough.
 */
function blocksAndParts(queries: number, threads: number, mostParts: number, enough: number) {
  const wanted = ceilDiv(threads * enough, queries);
  if (wanted === 1 || mostParts === 1) return { blocks: threads, parts: 1 };
  const blocks = Math.max(1, Math.floor(threads / Math.min(wanted, mostParts)));
  return { blocks, parts: Math.min(mostParts, Math.floor(threads / blocks)) };
}

/** Sketches commonly leave at most this share of the rows to be compared whole. */
const LOOKED_AT = 0.1;

/** Runs one task: a block of queries and a range of the references. */
async function runTask(
  { params, query, lists }: Block,
  buffers: KnnBuffers,
  { pool, tuning, signal, onPairs }: KnnContext,
  failed: AbortSignal,
): Promise<void> {
  const { queryRows, refBegin, refRows, stride } = params;
  const lend = (name: keyof KnnBuffers, rowBytes: number, row: number, rows: number): Slice => {
    const buffer = buffers[name];
    assert(buffer, `the filter needs the buffer "${name}"`);
    return buffer.lend(row * rowBytes, rows * rowBytes);
  };
  const sketchBytes = sketchStride(params.axes ?? 0) * 4;
  const result = await pool.run(
    filterTask,
    () => {
      const request: FilterTask = {
        params,
        tuning,
        queries: lend("queries", stride * 4, query, queryRows),
        queryMeta: lend("queryMeta", 16, query, queryRows),
        refs: lend("refs", stride * 4, refBegin, refRows),
        refMeta: lend("refMeta", 16, refBegin, refRows),
        sketch:
          params.axes === undefined
            ? undefined
            : {
                axes: params.axes,
                queries: lend("querySketches", sketchBytes, query, queryRows),
                queryFloors: lend("queryFloors", 4, query, queryRows),
                refs: lend("refSketches", sketchBytes, refBegin, refRows),
                refFloors: lend("refFloors", 4, refBegin, refRows),
              },
        heads: lists.heads.lend(0, lists.heads.bytes),
        candidates: lists.candidates.lend(0, lists.candidates.bytes),
        intervals: lists.intervals.lend(0, lists.intervals.bytes),
      };
      return { request, transfer: copiesIn(slicesOf(request)) };
    },
    signal,
    failed,
  );
  for (const name of LISTS) lists[name].takeBack(0, result[name]);
  onPairs(queryRows * refRows);
}

function checkSizes(params: KnnParams, buffers: KnnBuffers): void {
  const { k, capacity, dims, stride, queryRows, refBegin, refRows, axes, core, mixed } = params;
  assert(k >= 1 && capacity >= k, `knn.filter with k ${k} and capacity ${capacity}`);
  assert(
    stride % 4 === 0 && stride >= dims && dims >= 1,
    `knn.filter with dims ${dims} and stride ${stride}`,
  );
  const numbersWithGaps = mixed?.gaps && mixed.codes === 0 && (core === "l1" || core === "linf");
  assert(!mixed || core === "l2" || numbersWithGaps, `knn.mixedFilter with the core ${core}`);
  const needed = {
    ...knnFilterBytes(params),
    ...(axes === undefined
      ? {}
      : {
          querySketches: queryRows * sketchStride(axes) * 4,
          queryFloors: queryRows * 4,
          refSketches: (refBegin + refRows) * sketchStride(axes) * 4,
          refFloors: (refBegin + refRows) * 4,
        }),
  };
  for (const [name, bytes] of Object.entries(needed)) {
    const had = buffers[name as keyof KnnBuffers]?.bytes ?? 0;
    assert(had >= bytes, `the filter needs ${bytes} bytes of ${name}, which has ${had}`);
  }
}
