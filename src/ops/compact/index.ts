/** Exports the room of elements that are kept, distinct values and runs. */
export { compact, flatnonzero } from "./compact.ts";
export type { CompactOptions } from "./compact.ts";
export { flagTypes } from "./contract/compact.ts";
export type { CompactBinding, CompactParams, FlagType } from "./contract/compact.ts";
export type { RunLengthBinding, RunLengthParams } from "./contract/runLength.ts";
export type { UniqueBinding, UniqueParams } from "./contract/unique.ts";
export type { FlagArray } from "./flags.ts";
export { compactPrimitive, runLengthPrimitive, uniquePrimitive } from "./primitive.ts";
export { runLength } from "./runLength.ts";
export type { RunLengthOptions, RunLengthResult } from "./runLength.ts";
export { unique } from "./unique.ts";
