/**
 * What the CPU workers call: the exports of the WASM module, AssemblyScript. Compiled twice, with RELAXED = 0 (plain SIMD) and 1
 * (relaxed SIMD). Memory is imported, its layout is the caller's (../memory.ts): nothing here allocates.
 */
export * from "./arrays";
export { packQueries, packRefs, splitMeta } from "./pack";
export { begin, configure, configureMixed, configurePower, finish, place, placeSketched, visit } from "./knn";
export { placeRows } from "./knnPair";
export { placeQuantized, quantizeRows, visitQuantized } from "./knnQuantized";
export { placeTree, searchTree } from "./tree";
export { sketchRows } from "./sketch";
