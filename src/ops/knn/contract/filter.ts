/**
 * This is the contract of the primitive `knn.filter`: its parameters, its bindings and what it promises.
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
  /** True makes keep-all lists; default false. */
  readonly keepAll?: boolean | undefined;
  readonly k: number;
  /** A list has room for this many entries in `candidates` and `intervals`, at least k. */
  readonly capacity: number;
  readonly queryRows: number;
  /** Rows [refBegin, refBegin + refRows) of the buffer `refs` are visited. */
  readonly refBegin: number;
  readonly refRows: number;
  /** Row 0 of the buffer `refs` has this row index in the whole reference set. */
  readonly refOffset: number;
  /**
   * A GPU computes the lists in this variant; the lists are the same by all. With 0 or undefined the values
   * of all pairs go to scratch. With 8, 16, 32 or 64 only those of the first knnFirstRows(k) references do,
   * and then pairs that pass the threshold are appended. Where too many pass, the least low and the least
   * high end of that many consecutive references are stored, and the groups that matter are recomputed.
   * Keep-all lists need no groups: all of their pairs are appended.
   */
  readonly group?: number | undefined;
}

/**
 * `knn.mixedFilter` takes these parameters: it is `knn.filter` for rows that hold codes beside numbers, or
 * have gaps.
 */
export interface KnnMixedFilterParams extends KnnFilterParams {
  readonly mixed: PairMixed;
}

/**
 * `knn.powerFilter` takes these parameters: it is `knn.filter` for kernels that are powers of an inner
 * product.
 */
export interface KnnPowerFilterParams extends KnnFilterParams {
  readonly power: PairPower;
}

/**
 * `knn.filter` binds these buffers:
 *
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
 * has room for the largest of three: the values of the first references; five words for each query (count,
 * limit and meta) and pairs appended, u32 [queryRows][knnAppendRoom][3]; or these words and minima, u32
 * [queryRows][1 + groups][2], with u32 [queryRows][knnWaitingRoom][3] behind them.
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

/** A call stores the values of `first` references, and has room to append `room` pairs of a query. */
export interface KnnRooms {
  readonly first: number;
  readonly room: number;
}

/**
 * Returns the rooms of a call. Keep-all lists store no values, and have room to append as many pairs as a
 * list holds.
 */
export function knnRooms({ k, keepAll = false, capacity = k }: KnnRoomParams): KnnRooms {
  return keepAll ? { first: 0, room: capacity } : { first: knnFirstRows(k), room: knnAppendRoom(k) };
}

/**
 * Returns how many entries the minima of a query take: one for each group, and one before them for what was
 * chosen among them.
 */
export function knnGroupPitch(refRows: number, group: number): number {
  return 1 + Math.ceil(refRows / group);
}

/**
 * Returns how many pairs of a query may wait to be merged into its list: enough to select k among, and those
 * of a workgroup.
 */
export function knnWaitingRoom(k: number): number {
  return Math.max(512, 2 * k + 256);
}

/** Returns how many references have all their values stored before others are compared with a threshold. */
export function knnFirstRows(k: number): number {
  return Math.max(4096, 6 * k);
}

/**
 * Returns how many references the first window of keep-all lists has. Each later window is as long as all
 * before it.
 */
export function knnKeepAllRows(k: number): number {
  return Math.max(16, k);
}

/** Returns how many pairs of a query there is room for when they pass its threshold. */
export function knnAppendRoom(k: number): number {
  return Math.max(2048, Math.ceil(3.2 * k));
}
