/** These are the kernels around a tile of distances, loaded together. */
export { knnPrepareKernel } from "./prepare.ts";
export { knnRefineKernel } from "./refine.ts";
