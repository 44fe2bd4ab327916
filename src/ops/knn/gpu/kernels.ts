/** This exports the kernels that most searches need, which are loaded together. */
export { knnCarryKernel } from "./carry.ts";
export { knnFilterKernel } from "./filter/filter.ts";
export { knnSeedKernel } from "./seed.ts";
