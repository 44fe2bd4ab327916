/** This exports the kernels of distance histograms, which are loaded together. */
export { countKernel } from "./count.ts";
export { groupsKernel } from "./groups.ts";
export { histogramKernel } from "./histogram.ts";
export { leastKernel } from "./least.ts";
export { thresholdsKernel } from "./thresholds.ts";
export { valuesKernel } from "./values.ts";
export { wholeKernel } from "./whole/whole.ts";
export { unpack } from "./shaders/wgsl.ts";
