/** This exports the room of distances counted by bins, query by query. */
export { distanceHistogram } from "./distances.ts";
export { distanceHistogramStream } from "./stream/stream.ts";
export type { DistanceHistogramChunk, DistanceHistogramStreamOptions } from "./stream/options.ts";
export type {
  DistanceBuffer,
  DistanceCounts,
  DistanceHistogramExplanation,
  DistanceHistogramOptions,
  DistanceHistogramResult,
} from "./options.ts";
export { distanceExplanationText } from "./explain.ts";
export { hubness, localIntrinsicDimension, relativeContrast } from "./measures.ts";
export type { Hubness } from "./measures.ts";
export { distanceQuantile } from "./quantile.ts";
export type { DistanceQuantile } from "./quantile.ts";
export { distanceHistogramPrimitive } from "./primitives.ts";
export { distanceHistogramMetrics, distanceHistogramParamNames } from "./histogramContract.ts";
export type { DistanceHistogramBinding, DistanceHistogramParams } from "./histogramContract.ts";
