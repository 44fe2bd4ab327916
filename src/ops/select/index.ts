/** Exports the room of the k first elements of rows. */
export type { SelectBinding, SelectParams } from "./contract.ts";
export { selectPrimitive } from "./primitive.ts";
export { select } from "./select.ts";
export type { SelectOptions, SelectResult } from "./select.ts";
