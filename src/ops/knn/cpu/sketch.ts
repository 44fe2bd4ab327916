/**
 * This runs `knn.sketch` on the CPU: the main thread cuts the rows into tasks for the workers. Both sides are
 * here; the arithmetic is in wasm/sketch.ts.
 */
import { ceilDiv, clamp, roundUp } from "../../../core/math.ts";
import { sketchStride, type KnnSketchBinding, type KnnSketchParams } from "../contract/sketch.ts";
import { settleAll } from "../../../core/async/settleAll.ts";
import { copiesIn, floatsOf, type HostBuffer, type Slice } from "../../../runtime/cpu/buffers.ts";
import type { SketchKernels } from "./exports.ts";
import type { CpuContext, CpuKernel } from "../../../runtime/cpu/kernel.ts";
import { task, wasmHandler } from "../../../runtime/cpu/task.ts";
import { tuned } from "../../../runtime/cpu/tuning.ts";
import { knnTuning } from "./tuning.ts";
import type { WorkerMemory } from "../../../runtime/cpu/memory.ts";

export interface SketchTask extends SketchTaskResult {
  readonly params: KnnSketchParams;
  readonly rows: Slice;
  readonly axes: Slice;
}

/** A task writes to these arrays. */
export interface SketchTaskResult {
  readonly sketches: Slice;
  readonly floors: Slice;
}

const sketchTask = task<SketchTask, SketchTaskResult>("knn.sketch");

export const sketchOnCpu: CpuKernel<KnnSketchParams, KnnSketchBinding> = { run: sketch };

async function sketch(
  params: KnnSketchParams,
  buffers: Readonly<Record<KnnSketchBinding, HostBuffer>>,
  { pool, threads, tuning, signal, onTask }: CpuContext,
): Promise<void> {
  const { rows, stride, axes } = params;
  const affordable = Math.floor(tuned(knnTuning, tuning).taskCost / (stride * axes * COLUMN_COST));
  const step = clamp(affordable, 1, ceilDiv(rows, 2 * threads));
  const width = sketchStride(axes) * 4;
  const tasks = Array.from({ length: ceilDiv(rows, step) }, (_, i) => async (failed: AbortSignal) => {
    const begin = i * step;
    const count = Math.min(step, rows - begin);
    const lend = (name: KnnSketchBinding, rowBytes: number) =>
      buffers[name].lend(begin * rowBytes, count * rowBytes);
    const prepare = () => {
      const request: SketchTask = {
        params: { ...params, rows: count },
        rows: lend("rows", stride * 4),
        axes: buffers.axes.lend(0, axes * stride * 8),
        sketches: lend("sketches", width),
        floors: lend("floors", 4),
      };
      const { rows, sketches, floors } = request;
      return { request, transfer: copiesIn([rows, request.axes, sketches, floors]) };
    };
    const result = await pool.run(sketchTask, prepare, signal, failed);
    buffers.sketches.takeBack(begin * width, result.sketches);
    buffers.floors.takeBack(begin * 4, result.floors);
    onTask(count / rows, 0);
  });
  await settleAll(tasks, signal);
}

/** One column along one axis costs this many units (tuning.ts): it takes float64, two at a time. */
const COLUMN_COST = 3;

/** The kernel sketches so many rows at a time. */
const SKETCHED_ROWS = 4;
/** This many rows are copied in at a time. */
const BLOCK_ROWS = 64;

/** Runs a task in a worker. */
function runSketchTask(
  { params, rows, axes, sketches, floors }: SketchTask,
  kernels: SketchKernels,
  memory: WorkerMemory,
): SketchTaskResult {
  const { stride, axes: axisCount, productFactor, marginFactor, marginConstant } = params;
  const width = sketchStride(axisCount);
  memory.reset();
  const at = {
    axes: memory.take(axes.bytes),
    rows: memory.take(BLOCK_ROWS * stride * 4),
    work: memory.take(SKETCHED_ROWS * 8 * (stride + roundUp(axisCount, 4))),
    sketches: memory.take(BLOCK_ROWS * width * 4),
    floors: memory.take(BLOCK_ROWS * 4),
  };
  memory.f32(at.axes, axes.bytes / 4).set(floatsOf(axes));
  memory.f32(at.sketches, BLOCK_ROWS * width).fill(0);
  for (let row = 0; row < params.rows; row += BLOCK_ROWS) {
    const count = Math.min(BLOCK_ROWS, params.rows - row);
    memory.f32(at.rows, count * stride).set(floatsOf(rows).subarray(row * stride, (row + count) * stride));
    kernels.sketchRows(
      at.rows,
      count,
      stride,
      at.axes,
      axisCount,
      productFactor,
      marginFactor,
      marginConstant,
      at.work,
      at.sketches,
      width * 4,
      at.floors,
    );
    floatsOf(sketches).set(memory.f32(at.sketches, count * width), row * width);
    floatsOf(floors).set(memory.f32(at.floors, count), row);
  }
  return { sketches, floors };
}

export const sketchHandler = wasmHandler(sketchTask, (request, { kernels, memory }) => {
  const result = runSketchTask(request, kernels as unknown as SketchKernels, memory);
  return { result, transfer: copiesIn([result.sketches, result.floors]) };
});
