/**
 * This is the contract of the primitives that read bytes for few queries, which only GPUs have: one quantizes
 * references, which stay, the other searches among them. gpu/few/fewBytes.ts computes them.
 */
import type { ByteBound } from "../../../distance/bound/bytes.ts";
import { knnByteWords, knnQuantizedBytes } from "./bytes.ts";
import type { KnnFewFilterParams } from "./few.ts";
import type { KnnFilterBinding } from "./filter.ts";

/** Rows become bytes in this way. */
export interface KnnQuantizing {
  readonly bytes: ByteBound;
  /** Says whether rows are turned before they become bytes, each 16 of their columns. */
  readonly turned: boolean;
}

/**
 * `knn.quantize` makes bytes of all rows of `refs`, f32 [refRows][stride], and of what quantizing took of
 * them. It subtracts byteCentre, f32 [stride], which is zero past the columns. `quantized` has
 * knnRefBytes(refRows, dims) bytes.
 */
export interface KnnQuantizeParams extends KnnQuantizing, Pick<KnnFewFilterParams, "dims" | "stride"> {
  readonly refRows: number;
}

export type KnnQuantizeBinding = "refs" | "byteCentre" | "quantized";

/**
 * `knn.fewByteFilter` keeps the promise of `knn.fewFilter` for rows whose value is the square of their
 * distance. It reads `refBytes`, which `knn.quantize` made of all rows of `refs`, and only of some groups the
 * float32 rows. The count of a list becomes KNN_GAVE_UP where bytes leave its query too many spans.
 * `queryBytes` has knnQueryBytes(dims) bytes for each query: those of its row, and then its facts.
 */
export interface KnnFewByteFilterParams extends KnnFewFilterParams {
  /** A step of a byte stands for this number: that of KnnQuantizing. */
  readonly scale: number;
  /** `refBytes` holds this many rows. */
  readonly heldRows: number;
}

export type KnnFewByteFilterBinding = KnnFilterBinding | "refBytes" | "queryBytes";

/** A list has this count, where bytes left its query too many spans to look into. */
export const KNN_GAVE_UP = 0xffff_ffff;

export function knnRefBytes(refRows: number, dims: number): number {
  return knnQuantizedBytes({ queryRows: 0, refRows, dims });
}

export function knnQueryBytes(dims: number): number {
  return 4 * knnByteWords(dims) + 16;
}
