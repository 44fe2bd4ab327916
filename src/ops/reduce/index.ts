/** Exports the room of sums and extremes of rows. */
export type { ReduceBinding, ReduceOp, ReduceParams } from "./contract.ts";
export { reduceOps } from "./contract.ts";
export { reduceStep } from "./plan.ts";
export { reducePrimitive } from "./primitive.ts";
export { reduce } from "./reduce.ts";
export type { ReduceOptions } from "./reduce.ts";
