/** The kernels that most searches need, loaded together. */
export { knnCarryKernel } from "./carry.ts";
export { knnFilterKernel } from "./filter/filter.ts";
export { knnSeedKernel } from "./seed.ts";
