/** Exports the room of sorting. */
export type { KeyArray, KeyType, SortBinding, SortParams, SortValues } from "./contract.ts";
export { MAX_SORTED, keyTypes, keyWords, sortValues } from "./contract.ts";
export { offsetRows } from "./arguments.ts";
export { sortPrimitive } from "./primitive.ts";
export { argsort, sort, sortPairs } from "./sort.ts";
export type { SortedPairs, SortOptions, SortPairsOptions, ValueArray } from "./sort.ts";
