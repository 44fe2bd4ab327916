/**
 * The contract of the primitive `knn.filter`: its parameters, its bindings and what it promises.
 * ops/knn/gpu/filter/filter.ts and ops/knn/cpu/filter.ts compute it.
 */

import type { PairMixed } from "../../../distance/contract/mixed.ts";
import type { PairPower } from "../../../distance/contract/power.ts";
import { META_BYTES, type PairParams } from "../../../distance/core.ts";

export type { DistanceCore } from "../../../distance/core.ts";

/**
 * `knn.filter` adds the references of one buffer to the running candidate list of every query.
 *
 * The value of a pair and its interval are those of distance/core.ts.
 *
 * The list keeps, in any order, every reference seen so far, and every entry of `knn.seed`, whose low end is
 * at most the k-th smallest high end seen so far (all, while fewer than k were seen). On a GPU entries that
 * stay keep the order that they have, and come before those that a call adds: `knn.carry` relies on it. If it
 * needs more than `capacity` entries its count becomes a number above `capacity`; its entries are then
 * undefined and later calls leave that query alone.
 *
 * With `cut` the interval is the value itself, and of the values equal to the k-th only those of lowest index
 * stay, so that the list has exactly min(k, seen) entries and never overflows.
 *
 * With `keepAll` the lists are keep-all lists, which nothing leaves: each keeps every reference whose low end
 * was at most the k-th smallest high end of those before it (with `cut`, below it), and maybe others. These
 * are the references that may be among the k nearest of those up to themselves, k log2(n / k) of n in random
 * order.
 *
 * A cleared (all-zero) `heads` means empty lists. Several calls over disjoint, ascending references equal one
 * call over all of them, whatever the tiles, for lists that never overflow on the way. With groups one call
 * may visit its references in several windows, as several calls would. The contents of `scratch` do not
 * survive the call.
 */
export interface KnnFilterParams extends PairParams {
  readonly cut: boolean;
  /** True for keep-all lists; default false. */
  readonly keepAll?: boolean | undefined;
  readonly k: number;
  /** Entries per query in `candidates` and `intervals`; at least k. */
  readonly capacity: number;
  readonly queryRows: number;
  /** Rows [refBegin, refBegin + refRows) of the buffer `refs` are visited. */
  readonly refBegin: number;
  readonly refRows: number;
  /** Row index that row 0 of the buffer `refs` has in the whole reference set. */
  readonly refOffset: number;
  /**
   * The variant by which a GPU computes the lists, which are the same by all. 0 or undefined: the values of
   * all pairs go to scratch. 8, 16, 32 or 64: only those of the first knnFirstRows(k) references do. Then
   * pairs that pass the threshold are appended; where too many do, the least low and high end of every so
   * many references are stored, and the groups that matter are recomputed. Keep-all lists need no groups: all
   * of their pairs are appended.
   */
  readonly group?: number | undefined;
}

/**
 * The parameters of `knn.mixedFilter`: `knn.filter` for rows that hold codes beside numbers, or have gaps.
 */
export interface KnnMixedFilterParams extends KnnFilterParams {
  readonly mixed: PairMixed;
}

/** The parameters of `knn.powerFilter`: `knn.filter` for kernels that are powers of an inner product. */
export interface KnnPowerFilterParams extends KnnFilterParams {
  readonly power: PairPower;
}

/**
 * queries    f32 [queryRows][stride]            queryMeta  f32 [queryRows][4]
 * refs       f32 [..][stride]                   refMeta    f32 [..][4]
 * heads      u32 [queryRows][2]: count; float32 bits of the k-th smallest high end (once count >= k)
 * candidates u32 [queryRows][capacity]: row indices in the whole reference set
 * intervals  f32 [queryRows][capacity][2]: low, high
 * scratch    knnFilterScratchBytes(...) bytes; only the GPU needs it
 */
export type KnnFilterBinding =
  "queries" | "queryMeta" | "refs" | "refMeta" | "heads" | "candidates" | "intervals" | "scratch";

/** Returns the bytes of all bindings but scratch, which knnFilterScratchBytes returns. */
export function knnFilterBytes({
  queryRows,
  refBegin,
  refRows,
  stride,
  capacity,
}: Pick<KnnFilterParams, "queryRows" | "refBegin" | "refRows" | "stride" | "capacity">): Record<
  Exclude<KnnFilterBinding, "scratch">,
  number
> {
  const refs = refBegin + refRows;
  return {
    queries: queryRows * stride * 4,
    queryMeta: queryRows * META_BYTES,
    refs: refs * stride * 4,
    refMeta: refs * META_BYTES,
    heads: queryRows * 8,
    candidates: queryRows * capacity * 4,
    intervals: queryRows * capacity * 8,
  };
}

/**
 * Returns the bytes of scratch: f32 [queryRows][refRows rounded up to 4]. With groups or keep-all lists it
 * holds the values of the first references, or the largest of what follows five words for each query, a count
 * and its limit and meta: pairs appended, u32 [queryRows][knnAppendRoom][3]; minima, u32 [queryRows][1 +
 * groups][2] and behind them u32 [queryRows][knnWaitingRoom][3].
 */
export function knnFilterScratchBytes(params: KnnScratchParams): number {
  const { queryRows, refRows, k, group = 0, keepAll = false } = params;
  if (group === 0 && !keepAll) return queryRows * Math.ceil(refRows / 4) * 16;
  const { first, room } = knnRooms(params);
  const values = Math.ceil(Math.min(refRows, first) / 4) * 16;
  const minima = keepAll ? 0 : knnGroupPitch(refRows, group) * 8 + knnWaitingRoom(k) * 12;
  const appended = room * 12;
  return queryRows * Math.max(values, 20 + minima, 20 + appended) + 16;
}

type KnnScratchParams = Pick<KnnFilterParams, "queryRows" | "refRows" | "k" | "group"> & KnnRoomParams;

type KnnRoomParams = Pick<KnnFilterParams, "k" | "keepAll"> & { readonly capacity?: number };

/** The number of references whose values are stored, and of pairs of a query that can be appended. */
export interface KnnRooms {
  readonly first: number;
  readonly room: number;
}

/**
 * Returns the rooms of a call. Keep-all lists store no values, and have as many pairs appended as a list
 * holds.
 */
export function knnRooms({ k, keepAll = false, capacity = k }: KnnRoomParams): KnnRooms {
  return keepAll ? { first: 0, room: capacity } : { first: knnFirstRows(k), room: knnAppendRoom(k) };
}

/**
 * Returns the entries of a query's minima: the minima, and one entry before them for what was chosen among
 * them.
 */
export function knnGroupPitch(refRows: number, group: number): number {
  return 1 + Math.ceil(refRows / group);
}

/**
 * Returns how many pairs of a query may wait to be merged into its list: enough to select k among, and for
 * those of a workgroup.
 */
export function knnWaitingRoom(k: number): number {
  return Math.max(512, 2 * k + 256);
}

/**
 * Returns the number of references whose values are all stored before others are compared with a threshold.
 */
export function knnFirstRows(k: number): number {
  return Math.max(4096, 6 * k);
}

/**
 * Returns the number of references of the first window of keep-all lists; each later window is as long as all
 * before it.
 */
export function knnKeepAllRows(k: number): number {
  return Math.max(16, k);
}

/** Returns for how many pairs of a query there is room when they pass its threshold. */
export function knnAppendRoom(k: number): number {
  return Math.max(2048, Math.ceil(3.2 * k));
}
