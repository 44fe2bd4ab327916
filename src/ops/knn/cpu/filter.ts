/**
 * This runs `knn.filter` and `knn.sketchedFilter` on the CPU: the main thread cuts a step into tasks. A block
 * of queries visits all references, one range after the other. Each range is a task that continues the
 * block's lists; different blocks run side by side. filterTask.ts runs a task.
 */
import { assert } from "../../../core/errors.ts";
import { ceilDiv, clamp } from "../../../core/math.ts";
import { settleAll } from "../../../core/async/settleAll.ts";
import {
  sketchStride,
  type KnnSketchedFilterBinding,
  type KnnSketchedFilterParams,
} from "../contract/sketch.ts";
import {
  knnFilterBytes,
  type KnnFilterBinding,
  type KnnFilterParams,
  type KnnMixedFilterParams,
  type KnnPowerFilterParams,
} from "../contract/filter.ts";
import type { HostBuffer, Slice } from "../../../runtime/cpu/buffers.ts";
import { copiesIn } from "../../../runtime/cpu/buffers.ts";
import { filterTask, listRoom, slicesOf, type FilterTask } from "./filterRequest.ts";
import type { Workers } from "../../../runtime/cpu/workers.ts";
import type { CpuKernel } from "../../../runtime/cpu/kernel.ts";
import { tuned } from "../../../runtime/cpu/tuning.ts";
import { columnCost, knnTuning, mixedCost, pairCost, type KnnTuning } from "./tuning.ts";

/** The CPU reads these bindings; it needs no scratch. */
export type KnnBuffers = Readonly<
  Record<Exclude<KnnFilterBinding, "scratch">, HostBuffer> &
    Partial<Record<KnnSketchedFilterBinding, HostBuffer>>
>;

/**
 * A filter takes the parameters of `knn.filter`; with axes those of `knn.sketchedFilter`, with `mixed` those
 * of `knn.mixedFilter`, with `power` those of `knn.powerFilter`.
 */
export type KnnParams = KnnFilterParams &
  Partial<
    Pick<KnnSketchedFilterParams, "axes"> &
      Pick<KnnMixedFilterParams, "mixed"> &
      Pick<KnnPowerFilterParams, "power">
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
  const { queryRows, refBegin, refRows } = params;
  if (queryRows === 0 || refRows === 0) return;
  checkSizes(params, buffers);
  const cuts = cutsOf(params, context);
  const blocks = ranges(0, queryRows, cuts.queryRows).map(
    ([query, queryEnd]) =>
      async (failed: AbortSignal) => {
        for (const [ref, refEnd] of ranges(refBegin, refBegin + refRows, cuts.refRows)) {
          const part = { ...params, queryRows: queryEnd - query, refBegin: ref, refRows: refEnd - ref };
          await runTask(part, query, buffers, context, failed);
        }
      },
  );
  await settleAll(blocks, context.signal);
}

export interface Cuts {
  readonly queryRows: number;
  readonly refRows: number;
}

/**
 * Returns how many queries a block has, and how many references a task. There are enough blocks to keep every
 * worker busy, unless they would be too small.
 */
export function cutsOf(
  params: KnnParams,
  { threads, shared, tuning }: Pick<KnnContext, "threads" | "shared" | "tuning">,
): Cuts {
  const { core, dims, stride, capacity, queryRows, refRows, axes, mixed } = params;
  const most = axes === undefined ? tuning.queryRows : tuning.sketchedQueryRows;
  const wanted = clamp(ceilDiv(queryRows, 4 * threads), Math.min(tuning.fewestQueryRows, most), most);
  const fitting = Math.min(
    Math.floor(tuning.queryBytes / (4 * dims)),
    Math.floor(tuning.listBytes / (12 * listRoom(params, capacity))),
  );
  const block = Math.max(1, Math.min(wanted, fitting, ceilDiv(queryRows, threads)));
  const even = ceilDiv(queryRows, ceilDiv(queryRows, block));
  const columns = axes === undefined ? dims : axes + 2 + dims * LOOKED_AT;
  const cost = even * (columns * columnCost[core] * (mixed ? mixedCost : 1) + pairCost);
  const affordable = Math.floor(tuning.taskCost / cost);
  const copyable = shared ? Infinity : Math.floor(tuning.copyBytes / (4 * stride));
  return { queryRows: even, refRows: clamp(Math.min(affordable, copyable), 1, refRows) };
}

/** Sketches commonly leave at most this share of the rows to be compared whole. */
const LOOKED_AT = 0.1;

/** Cuts [begin, end) into parts of `size`, the last one shorter. */
function ranges(begin: number, end: number, size: number): (readonly [number, number])[] {
  return Array.from({ length: ceilDiv(end - begin, size) }, (_, i) => {
    const at = begin + i * size;
    return [at, Math.min(at + size, end)] as const;
  });
}

/** Runs one task: `params` for the queries from `query` on and a range of the references. */
async function runTask(
  params: KnnParams,
  query: number,
  buffers: KnnBuffers,
  { pool, tuning, signal, onPairs }: KnnContext,
  failed: AbortSignal,
): Promise<void> {
  const { queryRows, refBegin, refRows, stride, capacity } = params;
  const places = {
    heads: [query * 8, queryRows * 8],
    candidates: [query * capacity * 4, queryRows * capacity * 4],
    intervals: [query * capacity * 8, queryRows * capacity * 8],
  } as const;
  const lend = (name: keyof KnnBuffers, rowBytes: number, row: number, rows: number): Slice => {
    const buffer = buffers[name];
    assert(buffer, `the filter needs the buffer "${name}"`);
    return buffer.lend(row * rowBytes, rows * rowBytes);
  };
  const sketchBytes = sketchStride(params.axes ?? 0) * 4;
  const { heads, candidates, intervals } = await pool.run(
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
        heads: buffers.heads.lend(...places.heads),
        candidates: buffers.candidates.lend(...places.candidates),
        intervals: buffers.intervals.lend(...places.intervals),
      };
      return { request, transfer: copiesIn(slicesOf(request)) };
    },
    signal,
    failed,
  );
  buffers.heads.takeBack(places.heads[0], heads);
  buffers.candidates.takeBack(places.candidates[0], candidates);
  buffers.intervals.takeBack(places.intervals[0], intervals);
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
