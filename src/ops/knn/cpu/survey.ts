/**
 * This has a worker survey a sample, whose WASM adds up products of matrices in a third of the time. What a
 * survey is stands in plan/survey.ts.
 */
import type { Multiply } from "../../../distance/axes.ts";
import type { WorkerMemory } from "../../../runtime/cpu/memory.ts";
import { retried } from "../../../runtime/cpu/retried.ts";
import { task, wasmHandler } from "../../../runtime/cpu/task.ts";
import type { Workers } from "../../../runtime/cpu/workers.ts";
import { survey, type Sample, type Survey } from "../plan/survey.ts";
import type { SketchKernels } from "./exports.ts";

const surveyTask = task<Sample, Survey>("knn.survey");

/** Has a worker survey a sample. @returns undefined where none is free */
export async function surveyByWorker({ pool }: Workers, sample: Sample): Promise<Survey | undefined> {
  const answer = await retried(() => pool.offer(surveyTask, () => ({ request: sample, transfer: [] })));
  return answer?.result;
}

export const surveyHandler = wasmHandler(surveyTask, (sample, { kernels, memory }) => ({
  result: survey(sample, multiplyBy(kernels as unknown as SketchKernels, memory)),
}));

/** So many rows and others are copied in at a time; the kernel takes rows by fours. */
const ROWS = 16;
const OTHERS = 64;

function multiplyBy({ multiplyRows }: SketchKernels, memory: WorkerMemory): Multiply {
  return (rows, others, depth) => {
    const [count, width] = [rows.length / depth, others.length / depth];
    // The kernel takes two numbers at a time.
    const pitch = depth + (depth % 2);
    memory.reset();
    const rowsAt = memory.take(ROWS * pitch * 8);
    const othersAt = memory.take(OTHERS * pitch * 8);
    const foundAt = memory.take(ROWS * OTHERS * 8);
    const { buffer } = memory.memory;
    const block = new Float64Array(buffer, foundAt, ROWS * OTHERS);
    const put = (matrix: Float64Array, first: number, some: number, at: number) => {
      const into = new Float64Array(buffer, at, some * pitch);
      for (let i = 0; i < some; i++) {
        into.set(matrix.subarray((first + i) * depth, (first + i + 1) * depth), i * pitch);
        if (pitch > depth) into[(i + 1) * pitch - 1] = 0;
      }
    };
    const found = new Float64Array(count * width);
    for (let other = 0; other < width; other += OTHERS) {
      const wide = Math.min(OTHERS, width - other);
      put(others, other, wide, othersAt);
      for (let row = 0; row < count; row += ROWS) {
        const some = Math.min(ROWS, count - row);
        put(rows, row, some, rowsAt);
        multiplyRows(rowsAt, some, othersAt, wide, pitch, foundAt);
        for (let i = 0; i < some; i++)
          found.set(block.subarray(i * wide, (i + 1) * wide), (row + i) * width + other);
      }
    }
    return found;
  };
}
