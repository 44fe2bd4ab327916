/**
 * This is the contract of the primitives of rows that are bytes, which only GPUs have: `knn.takeBytes`,
 * `knn.byteRows` and `knn.byteOrder`. ops/knn/gpu/bytes/rows.ts computes them.
 */
import { knnAppendRoom, type KnnFilterBinding, type KnnFilterParams } from "./filter.ts";

/** Up to this many columns, squared distances of bytes have 31 bits, and a key is a finite float32. */
export const MOST_BYTE_COLUMNS = 32_767;

/** Returns the bytes of `scratch`: counts, limits and the pairs that there is room for. */
export function knnByteRoomBytes(queryRows: number, k: number): number {
  return queryRows * (20 + 12 * knnAppendRoom(k)) + 16;
}

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
 * `knn.byteRows` leaves the lists that `knn.filter` leaves with `cut`, of rows that were taken. In the place
 * of values they have keys: squared distances as so many float32 after the smallest normal one. Where more
 * pairs pass than there is room for, as in sorted data, the list has overflowed.
 *
 * quantized: the rows of the call; queryMeta: anything
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

export type KnnByteRowsBinding = Exclude<KnnFilterBinding, "queries" | "refs" | "refMeta"> | "quantized";

/**
 * `knn.byteOrder` makes neighbours of the lists that `knn.byteRows` left, with as many places as neighbours,
 * in the order of (distance, row). Of a list that overflowed it leaves anything.
 *
 * scratch: for sorting, u32 [queryRows][k][2];
 * nearRows: u32 [..][k]; nearSums: u32 [..][k], squared distances
 */
export interface KnnByteOrderParams {
  readonly queryRows: number;
  readonly k: number;
}

export type KnnByteOrderBinding = "candidates" | "intervals" | "scratch" | "nearRows" | "nearSums";
