/** Exports the room of prefix sums, minima and maxima. */
export type { ScanBinding, ScanOp, ScanParams } from "./contract.ts";
export { scanOps } from "./contract.ts";
export { scanPrimitive } from "./primitive.ts";
export { scan } from "./scan.ts";
export type { ScanOptions } from "./scan.ts";
