/** This exports the kernels of k-NN on a CPU, which are loaded together. */
export { filterOnCpu } from "./filter.ts";
export { seedOnCpu } from "./seed.ts";
export { sketchOnCpu } from "./sketch.ts";
export { treeFilterOnCpu, treeOnCpu } from "./tree.ts";
