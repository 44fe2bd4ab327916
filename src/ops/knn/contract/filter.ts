/**
 * The contract of the primitive `knn.filter`: its parameters, its bindings and what it promises. Not how:
 * ops/knn/gpu/filter/filter.ts and ops/knn/cpu/filter.ts.
 */

import type { KnnMixed } from "../../../distance/contract/mixed.ts";
import type { KnnPower } from "../../../distance/contract/power.ts";
import type { PairParams } from "../../../distance/core.ts";

export type { DistanceCore } from "../../../distance/core.ts";

/**
 * `knn.filter`: adds the references of one buffer to the running candidate list of every query.
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
 * With `history` nothing leaves a list: it keeps every reference whose low end was at most the k-th smallest
 * high end of those before it (with `cut`, below it), and maybe others. Those are what may ever be among the
 * k nearest of the references up to itself, k log2(n / k) of n in random order.
 *
 * A cleared (all-zero) `heads` means empty lists. Several calls over disjoint, ascending references equal one
 * call over all of them, whatever the tiles, for lists that never overflow on the way. With groups one call
 * may look at its references in several turns, like calls. The contents of `scratch` do not survive the call.
 */
export interface KnnFilterParams extends PairParams {
  readonly cut: boolean;
  /** Default false. */
  readonly history?: boolean | undefined;
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
   * How the GPU goes about it; the lists are the same. 0 or nothing: the values of all pairs go to scratch.
   * 8, 16, 32 or 64: of the first knnFirstRows(k) references only; then pairs that pass the threshold are
   * appended, and where too many do, the least low and high end of every so many references, and the groups
   * that matter are computed again. A history needs no groups: all of its pairs are appended.
   */
  readonly group?: number | undefined;
}

/** The parameters of `knn.mixedFilter`: `knn.filter` for rows that hold codes beside numbers, or have gaps. */
export interface KnnMixedFilterParams extends KnnFilterParams {
  readonly mixed: KnnMixed;
}

/** The parameters of `knn.powerFilter`: `knn.filter` for kernels that are powers of an inner product. */
export interface KnnPowerFilterParams extends KnnFilterParams {
  readonly power: KnnPower;
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

/**
 * Bytes of scratch: f32 [queryRows][refRows rounded up to 4]. With groups or a history values of the first
 * references, or the largest of what follows five words for each query, a count and its limit and meta: pairs
 * appended, u32 [queryRows][knnAppendRoom][3]; minima, u32 [queryRows][1 + groups][2] and behind them u32
 * [queryRows][knnWaitingRoom][3].
 */
export function knnFilterScratchBytes(params: KnnScratchParams): number {
  const { queryRows, refRows, k, group = 0, history = false } = params;
  if (group === 0 && !history) return queryRows * Math.ceil(refRows / 4) * 16;
  const { first, room } = knnRooms(params);
  const values = Math.ceil(Math.min(refRows, first) / 4) * 16;
  const minima = history ? 0 : knnGroupPitch(refRows, group) * 8 + knnWaitingRoom(k) * 12;
  const appended = room * 12;
  return queryRows * Math.max(values, 20 + minima, 20 + appended) + 16;
}

type KnnScratchParams = Pick<KnnFilterParams, "queryRows" | "refRows" | "k" | "group"> & KnnRoomParams;

type KnnRoomParams = Pick<KnnFilterParams, "k" | "history"> & { readonly capacity?: number };

/** References whose values are stored, and pairs of a query that can be appended. */
export interface KnnRooms {
  readonly first: number;
  readonly room: number;
}

/** A history stores no values, and appends as many pairs as a list holds. */
export function knnRooms({ k, history = false, capacity = k }: KnnRoomParams): KnnRooms {
  return history ? { first: 0, room: capacity } : { first: knnFirstRows(k), room: knnAppendRoom(k) };
}

/** The minima of a query, and one entry before them for what was chosen among them. */
export function knnGroupPitch(refRows: number, group: number): number {
  return 1 + Math.ceil(refRows / group);
}

/**
 * Pairs of a query that may wait to be merged into its list: enough to select k among, and for those of a
 * workgroup.
 */
export function knnWaitingRoom(k: number): number {
  return Math.max(512, 2 * k + 256);
}

/** References whose values are all stored before others are compared with a threshold. */
export function knnFirstRows(k: number): number {
  return Math.max(4096, 6 * k);
}

/** References that a history begins with; from then on it is taken further by as many as it has seen. */
export function knnHistoryRows(k: number): number {
  return Math.max(16, k);
}

/** Pairs of a query for which there is room when they pass its threshold. */
export function knnAppendRoom(k: number): number {
  return Math.max(2048, Math.ceil(3.2 * k));
}
