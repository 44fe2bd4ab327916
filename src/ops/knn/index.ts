/** This exports the room of nearest neighbours among rows. */
export { checkRadius, NO_NEIGHBOR, neighborsInto } from "./arguments.ts";
export { NumberedRows } from "./changes/numberedRows.ts";
export { knnSearchMetrics } from "./contract/search.ts";
export type { KnnSearchBinding, KnnSearchMetric, KnnSearchParams } from "./contract/search.ts";
export { MOST_NEAREST } from "./contract/nearestPoints.ts";
export type {
  NearestPointsBinding,
  NearestPointsParams,
  PointTreeBinding,
  PointTreeParams,
} from "./contract/nearestPoints.ts";
export type { KnnVariant } from "./contract/variant.ts";
export { kneighborsGraph } from "./graph.ts";
export { searchHeapCandidates } from "./heapSearch.ts";
export { kneighbors } from "./kneighbors.ts";
export type { KneighborsOptions } from "./kneighbors.ts";
export { KnnIndex } from "./knnIndex.ts";
export { knnNames, searchNames } from "./options.ts";
export type { KnnOptions, KnnResult, SearchOptions } from "./options.ts";
export { explainAll, knnExplanationText } from "./plan/explain.ts";
export type { KnnExplanation } from "./plan/explain.ts";
export { nearestPoints, pointTree } from "./pointsPrimitives.ts";
export { radiusNeighbors, searchRadius } from "./radiusNeighbors.ts";
export type { RadiusOptions, RadiusResult } from "./radiusNeighbors.ts";
export { knnSearch } from "./searchPrimitive.ts";
export { LaterSearches } from "./ahead/laterSearches.ts";
export { kneighborsStream } from "./stream.ts";
export type { KnnChunk, StreamOptions } from "./stream.ts";
