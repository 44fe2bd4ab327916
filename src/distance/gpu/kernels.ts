/** These are the kernels around a tile of distances, loaded together. */
export { prepareKernel } from "./prepare.ts";
export { refineKernel } from "./refine.ts";
