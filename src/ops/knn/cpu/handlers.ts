/** Workers run the tasks of k-NN by these handlers. */
import { wasmHandler, type Handler } from "../../../runtime/cpu/task.ts";
import type { KnnKernels } from "./exports.ts";
import { filterTask, returned } from "./filterRequest.ts";
import { runKnnTask } from "./filterTask.ts";
import { sketchHandler } from "./sketch.ts";
import { surveyHandler } from "./survey.ts";
import { treeHandlers } from "./tree.ts";
import { buildHandlers } from "../points/build.ts";
import { nearestHandlers } from "../points/nearest.ts";

export const handlers: readonly Handler[] = [
  wasmHandler(filterTask, (request, { kernels, memory }) => {
    const result = runKnnTask(request, kernels as unknown as KnnKernels, memory);
    return { result, transfer: returned(result) };
  }),
  sketchHandler,
  surveyHandler,
  ...treeHandlers,
  ...buildHandlers,
  ...nearestHandlers,
];
