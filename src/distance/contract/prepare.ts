/**
 * This is the contract of the primitive `distance.prepare`, which only GPUs have: rows of float32 as they
 * were uploaded become rows that `knn.filter` takes, where they are. What preparation means, and the same on
 * the host, is distance/rows/prepare.ts.
 */
import type { DistanceCore } from "../core.ts";

/**
 * Every entry x of a row becomes (x - centre) * 2^exponent, and the row gets its meta: base, product and
 * margin, whose norm is a float32 sum. An entry with |x - centre| above `limit`, or not finite, becomes 0;
 * `seen` ends at or above the bits of the largest |x - centre| of all rows in float32, 0x7f800000 where an
 * entry is not finite. `seen` is not cleared before.
 */
export interface PrepareParams {
  readonly core: Exclude<DistanceCore, "lp">;
  readonly rows: number;
  /**
   * So many columns count, and so many float32 entries lie from one row to the next (a multiple of 4, at
   * least dims); the rest is zero.
   */
  readonly dims: number;
  readonly stride: number;
  /** It lies from -126 to 126. */
  readonly exponent: number;
  readonly limit: number;
  /** A row's base is baseFactor * sum of squares. */
  readonly baseFactor: number;
  /**
   * A row's product is productFactor * norm, its margin marginFactor * norm^power + marginConstant; see
   * bound.ts.
   */
  readonly productFactor: number;
  readonly marginFactor: number;
  readonly marginConstant: number;
}

/**
 * rows   f32 [rows][stride], before and after     centre f32 [stride]
 * metas  f32 [rows][4]                            seen   u32 [1]
 */
export type PrepareBinding = "rows" | "centre" | "metas" | "seen";
