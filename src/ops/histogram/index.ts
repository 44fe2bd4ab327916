/** Exports the room of elements counted by bins. */
export { binKeys, evenEdges } from "./bins.ts";
export type { BinKeys } from "./bins.ts";
export { MAX_BINS } from "./contract.ts";
export type { HistogramBinding, HistogramParams } from "./contract.ts";
export { histogram } from "./histogram.ts";
export type { HistogramOptions, HistogramResult } from "./histogram.ts";
export { histogramPrimitive } from "./primitive.ts";
