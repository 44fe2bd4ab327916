/**
 * This is the contract of the primitive `knn.byteFilter`, which only GPUs have: its parameters, its bindings
 * and what it promises. ops/knn/gpu/bytes/bytes.ts computes it.
 */
import { ceilDiv, roundUp } from "../../../core/math.ts";
import type { ByteBound } from "../../../distance/bound/bytes.ts";
import type { KnnFilterBinding, KnnFilterParams } from "./filter.ts";

/**
 * `knn.byteFilter` leaves the lists that `knn.filter` leaves, of rows whose value is the square of their
 * distance: core dot, weight -2, squared lengths as bases. Where pairs are appended, it first compares the
 * rows quantized to bytes, and in float32 only the pairs that those do not rule out.
 */
export interface KnnByteFilterParams extends KnnFilterParams {
  readonly bytes: ByteBound;
  /** Says whether rows are turned before they become bytes, each 16 of their columns; default false. */
  readonly turned?: boolean;
  /**
   * A sample let bytes pass this many pairs for each one that float32 does: where more do, windows are
   * shorter, so that fewer queries have no room. Default 1.
   */
  readonly looseness?: number;
  /** Says whether packed products make the sums even on a device that has matrix units; default false. */
  readonly packed?: boolean;
}

/**
 * Two words of `quantized` count: how many pairs were compared whole, and how many queries had no room for
 * theirs.
 */
export const BYTE_COUNTS = 2;

/**
 * `knn.byteFilter` binds two more buffers than `knn.filter`. byteCentre, f32 [stride], is subtracted before
 * rows are quantized, and is zero past the columns. quantized has knnQuantizedBytes(...) bytes, whose
 * contents do not survive the call, but for BYTE_COUNTS words to which the call adds.
 */
export type KnnByteFilterBinding = KnnFilterBinding | "byteCentre" | "quantized";

type ByteRows = Pick<KnnFilterParams, "queryRows" | "refRows" | "dims">;

/** Returns how many words a row of bytes takes: 32 columns at a time. */
export function knnByteWords(dims: number): number {
  return roundUp(ceilDiv(dims, 4), 8);
}

/**
 * A tile has at most this many queries. Their bytes are followed by what may be read of rows that are not
 * there.
 */
const MOST_TILE_QUERIES = 128;

/** Returns where the parts of `quantized` begin, in vectors of 16 bytes. */
export function knnQuantizedPlaces({ queryRows, refRows, dims }: ByteRows) {
  const vectors = knnByteWords(dims) / 4;
  const queryBytes = refRows * vectors;
  const refFacts = queryBytes + (roundUp(queryRows, MOST_TILE_QUERIES) + 1) * vectors;
  const queryFacts = refFacts + refRows;
  return { refBytes: 0, queryBytes, refFacts, queryFacts, counts: queryFacts + queryRows };
}

export function knnQuantizedBytes(rows: ByteRows): number {
  return 16 * (knnQuantizedPlaces(rows).counts + 1);
}
