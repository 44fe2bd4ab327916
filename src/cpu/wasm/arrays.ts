/**
 * What the array primitives call: a part of the exports of index.ts, and all of the build for shared memory, which the main thread
 * takes where it can (../local.ts).
 */
export { countFlags, differences, keepFlagged, keepHeads, keepPlaces } from "./compact";
export { addCounters, countGuided, countSearched } from "./histogram";
export { extreme, extremeRows, find, sumFloats, sumInts, sumRows } from "./reduce";
export { addFloats, scanFloatSums, scanIntSums, scanKeys } from "./scan";

/** First byte that the module's own constants leave free. */
export function heapBase(): usize {
  return __heap_base;
}
