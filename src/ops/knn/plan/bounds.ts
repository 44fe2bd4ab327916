/**
 * These are the bounds with which lists begin, as a search of other rows found them. A search that has some
 * loads this; the steps are seedSteps.ts.
 */
import { froundUp, scaleByPowerOfTwo } from "../../../core/math.ts";
import { LARGEST_FLOAT, SMALLEST_NORMAL } from "../../../distance/float32.ts";
import { rowAt, rowCount, type HostSource } from "../../../runtime/source.ts";
import { BOUND_BYTES } from "./tile.ts";

/** A search of other rows found this: the key of each query's k-th nearest, or a rank that bounds it. */
export interface Before {
  kth(query: number): number;
}

/**
 * Makes a source of bounds of values, which are ranks / 2^rankExponent, from the ranks that are known by the
 * time they are uploaded.
 */
export function boundsSource(
  before: Before,
  queries: number,
  rankExponent: number,
): { readonly bounds: HostSource } {
  const bounds: HostSource = {
    rows: queries,
    rowBytes: () => BOUND_BYTES,
    fill(_part, rows, target) {
      const out = new Float32Array(target.buffer, target.byteOffset, target.byteLength / BOUND_BYTES);
      for (let i = 0; i < rowCount(rows); i++) {
        const bound = froundUp(scaleByPowerOfTwo(before.kth(rowAt(rows, i)), -rankExponent));
        // For a bound that is NaN or beyond, the bound is the largest float, which no finite value exceeds.
        out[i] =
          bound > 0 && bound < SMALLEST_NORMAL
            ? SMALLEST_NORMAL
            : bound < LARGEST_FLOAT
              ? bound
              : LARGEST_FLOAT;
      }
    },
  };
  return { bounds };
}
