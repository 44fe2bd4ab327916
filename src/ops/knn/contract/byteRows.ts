/**
 * This is the contract of the primitives of rows that are bytes, which only GPUs have: `knn.takeBytes`,
 * `knn.widenBytes` and `knn.byteRows`. ops/knn/gpu/bytes/rows.ts computes them.
 */
import type { KnnFilterParams } from "./filter.ts";

/** Up to this many columns, squared distances of bytes are whole numbers that float32 holds. */
export const MOST_BYTE_COLUMNS = 256;

/** Rows lie in this part of `quantized` (contract/bytes.ts): their bytes and their facts, in words. */
export interface BytePlaces {
  readonly bytes: number;
  readonly facts: number;
}

/**
 * `knn.takeBytes` brings rows of bytes, as they were uploaded, to where bytes are compared.
 *
 * rows: u32 [..][columns / 4, rounded up], what is past the columns 0, or 128 of bytes without a sign
 */
export interface KnnTakeBytesParams extends BytePlaces {
  readonly dims: number;
  /** Rows [first, first + count) are taken. */
  readonly first: number;
  readonly count: number;
  /** This is false where bytes go from 0 to 255, from which 128 is subtracted. */
  readonly signed: boolean;
}

/**
 * `knn.widenBytes` makes the float32 rows of `knn.filter` of rows that were taken, 128 subtracted.
 *
 * values: f32 [count][columns rounded up to 4]; metas: f32 [count][4], whose intervals are points
 */
export interface KnnWidenBytesParams extends BytePlaces {
  readonly dims: number;
  readonly count: number;
}

/**
 * `knn.byteRows` leaves the lists that `knn.filter` leaves with `cut`, of squared distances of rows that were
 * taken. Where more pairs pass than there is room for, as in sorted data, the list has overflowed.
 *
 * queries, queryMeta and refs, refMeta: the queries, and the first knnFirstRows(k) references of all, as
 * `knn.widenBytes` leaves them. quantized: the rows of the call.
 */
export type KnnByteRowsParams = Pick<
  KnnFilterParams,
  "k" | "capacity" | "dims" | "queryRows" | "refRows" | "refOffset"
> & {
  /** Says whether packed products make the sums even on a device that has matrix units. */
  readonly packed: boolean;
  /** `quantized` is laid out for this many references, at least those of the call. */
  readonly held: number;
};
