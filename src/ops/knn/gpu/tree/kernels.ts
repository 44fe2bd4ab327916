/** The kernels of trees, which only searches of few columns load. */
export { knnTreeKernel } from "./build.ts";
export { knnTreeFilterKernel } from "./search.ts";
