/**
 * What the CPU workers call: the exports of the WASM module, AssemblyScript. Compiled twice, with RELAXED = 0 (plain SIMD) and 1
 * (relaxed SIMD). Memory is imported, its layout is the caller's (../memory.ts): nothing here allocates.
 */
export { differences, keepFlagged, keepHeads, keepPlaces } from "./compact";
export { addCounters, countGuided, countSearched } from "./histogram";
export { packQueries, packRefs, splitMeta } from "./pack";
export { begin, configure, configureMixed, finish, place, placeSketched, visit } from "./knn";
export { placeTree, searchTree } from "./tree";
export { sketchRows } from "./sketch";
export { extreme, extremeRows, find, sumFloats, sumInts, sumRows } from "./reduce";
export { scanFloatSums, scanIntSums, scanKeys } from "./scan";

/** First byte that the module's own constants leave free. */
export function heapBase(): usize {
  return __heap_base;
}
