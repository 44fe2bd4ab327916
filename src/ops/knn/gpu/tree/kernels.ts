/** This exports the kernels of trees, which only searches of few columns load. */
export { knnTreeKernel } from "./build/build.ts";
export { knnSpreadKernel } from "./points/spread.ts";
export { knnTreeFilterKernel } from "./search.ts";
export { unpack } from "./wgsl.ts";
