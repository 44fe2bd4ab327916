/**
 * This has a sample surveyed: by a worker, whose WASM adds up products of matrices, so that it takes a fifth
 * to a quarter of the time, or by the caller where no worker can. What a survey is stands in plan/survey.ts.
 */
import { isNearfieldError } from "../../../core/errors.ts";
import { clamp } from "../../../core/math.ts";
import type { Multiply } from "../../../distance/axes.ts";
import type { WorkerMemory } from "../../../runtime/cpu/memory.ts";
import type { Device } from "../../../runtime/device.ts";
import { task, wasmHandler } from "../../../runtime/cpu/task.ts";
import type { Workers } from "../../../runtime/cpu/workers.ts";
import { survey, type Sample, type Survey } from "../plan/survey.ts";
import type { SketchKernels } from "./exports.ts";

const surveyTask = task<Sample, Survey>("knn.survey");

/** Has a sample surveyed by a worker of the device, or else by the caller's thread. */
export async function surveyOn(device: Pick<Device, "withWorkers">, sample: Sample): Promise<Survey> {
  const byWorker = await device.withWorkers(
    () => true,
    (workers) => surveyByWorker(workers, sample),
  );
  return byWorker ?? survey(sample);
}

/** Has a worker survey a sample. @returns undefined where none is free, or comes to the end of it */
export async function surveyByWorker({ pool }: Workers, sample: Sample): Promise<Survey | undefined> {
  try {
    const answer = await pool.offer(surveyTask, () => ({ request: sample, transfer: [] }));
    return answer?.result;
  } catch (error) {
    if (!isNearfieldError(error, "DeviceLost", "OutOfMemory", "Unavailable")) throw error;
    return undefined;
  }
}

export const surveyHandler = wasmHandler(surveyTask, (sample, { kernels, memory }) => ({
  result: survey(sample, multiplyBy(kernels as unknown as SketchKernels, memory)),
}));

/** The kernel takes so many rows at a time. */
const ROWS = 4;
/** So many rows and others, or so many bytes of each, are copied in at a time. */
const MOST_ROWS = 64;
const MOST_BYTES = 2 ** 21;

function multiplyBy({ multiplyRows }: SketchKernels, memory: WorkerMemory): Multiply {
  return (rows, others, depth) => {
    const [count, width] = [rows.length / depth, others.length / depth];
    // The kernel takes two numbers at a time.
    const pitch = depth + (depth % 2);
    const step = clamp(ROWS * Math.floor(MOST_BYTES / (ROWS * pitch * 8)), ROWS, MOST_ROWS);
    memory.reset();
    const rowsAt = memory.take(step * pitch * 8);
    const othersAt = memory.take(step * pitch * 8);
    const foundAt = memory.take(step * step * 8);
    const { buffer } = memory.memory;
    const block = new Float64Array(buffer, foundAt, step * step);
    const put = (matrix: Float64Array, first: number, some: number, at: number) => {
      const into = new Float64Array(buffer, at, some * pitch);
      for (let i = 0; i < some; i++) {
        into.set(matrix.subarray((first + i) * depth, (first + i + 1) * depth), i * pitch);
        if (pitch > depth) into[(i + 1) * pitch - 1] = 0;
      }
    };
    const found = new Float64Array(count * width);
    for (let other = 0; other < width; other += step) {
      const wide = Math.min(step, width - other);
      put(others, other, wide, othersAt);
      for (let row = 0; row < count; row += step) {
        const some = Math.min(step, count - row);
        put(rows, row, some, rowsAt);
        multiplyRows(rowsAt, some, othersAt, wide, pitch, foundAt);
        for (let i = 0; i < some; i++)
          found.set(block.subarray(i * wide, (i + 1) * wide), (row + i) * width + other);
      }
    }
    return found;
  };
}
