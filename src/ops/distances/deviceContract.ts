/**
 * These are the contracts of the primitives that count distances by bins, which only GPUs have. Values of
 * pairs are those of `distance/core.ts`, float32; ranks are float64. plan/steps.ts calls them in their order.
 */
import type { PairParams } from "../../distance/core.ts";

/** A kernel takes the pairs of some queries and some references, whose values lie in a buffer. */
export interface StoredPairs {
  readonly queryRows: number;
  /** Rows [refBegin, refBegin + refRows) of `refs` are compared. */
  readonly refBegin: number;
  readonly refRows: number;
  /**
   * The values of a query lie `pitch` float32 from those of the next one, that of row refBegin at `column`;
   * both are multiples of 4.
   */
  readonly pitch: number;
  readonly column: number;
  /**
   * Query 0 is itself this row of `refs`, perhaps a negative number, and query i the row i after it. The
   * default is none.
   */
  readonly self?: number | undefined;
}

/**
 * `distances.values` writes the values of all pairs and adds to the extremes of each query. Where values
 * are taken as they are (`cut`), they are held between floor and ceiling. Tiles of references take turns in
 * adding to the blocks of extremes; of values that are cut there is one.
 *
 * queries    f32 [queryRows][stride]     queryMeta  f32 [queryRows][4]
 * refs       f32 [..][stride]            refMeta    f32 [..][4]
 * values     f32 [queryRows][pitch]
 * extremes   u32 [queryRows][blocks][2]: the complement of the key of the least value, and the key of
 *            the largest; 0 before
 */
export interface ValuesParams extends PairParams, StoredPairs {
  /**
   * Rows are those of `distances.whole`, and values are so many units of 2^17 squared steps of them;
   * default they are float32.
   */
  readonly whole?: number | undefined;
  readonly blocks: number;
  readonly cut: boolean;
  readonly floor: number;
  readonly ceiling: number;
}

export type ValuesBinding = "queries" | "queryMeta" | "refs" | "refMeta" | "values" | "extremes";

/**
 * `distances.whole` makes rows of whole numbers below 2^24, x * 2^exponent + offset, and metas by which
 * intervals of the values of such rows hold their ranks (plan/whole.ts).
 *
 * rows    f32 [rows][stride]     whole  u32 [rows][stride]     metas  f32 [rows][4]
 */
export interface WholeParams {
  readonly rows: number;
  readonly stride: number;
  readonly exponent: number;
  readonly offset: number;
  /** A row's margin takes in half of what else a value may lack, in squared steps. */
  readonly constant: number;
}

export type WholeBinding = "rows" | "whole" | "metas";

/**
 * `distances.groups` takes the largest product and the largest margin of GROUP_ROWS rows next to each
 * other.
 *
 * metas      f32 [rows][4]
 * refGroups  f32 [rows / GROUP_ROWS, rounded up][2]
 */
export interface GroupsParams {
  readonly rows: number;
}

export type GroupsBinding = "metas" | "refGroups";

/**
 * `distances.least` evaluates in float64 the pairs that may be the nearest or the farthest of their query
 * among these, by extremes of just these, and adds them to `found`. Rows are as they are.
 *
 * refGroups  as distances.groups left them
 * widest     f32 [blocks][2]: the largest product and margin of each block, for whoever likes
 * found      u32 [queryRows][parts][5]: complement of the least rank, largest rank, pairs evaluated; 0 before
 */
export interface LeastParams
  extends StoredPairs, Pick<PairParams, "core" | "slack" | "dims" | "stride">, Pick<ValuesParams, "whole"> {
  readonly parts: number;
  readonly blocks: number;
}

export type LeastBinding = ValuesBinding | "refGroups" | "widest" | "found";

/**
 * `distances.thresholds` makes the range of each query and, where `bins` is not 0, the thresholds of its
 * equal bins. The range comes from `found` where `parts` is not 0, else from `extremes` of values, whose rank
 * is value * 2^rankExponent; the distance is the rank's root, or the rank. With `known` it is in `bounds`
 * already, and stays as it is.
 *
 * found       u32 as distances.least or distances.values left it
 * bounds      u32 [queryRows][8]: least and largest distance and their difference as float64, the low word
 *             first; 1 where there is any distance; pairs evaluated
 * thresholds  u32 [queryRows][thresholdWords]; see thresholds.ts
 */
export interface ThresholdsParams {
  readonly queryRows: number;
  readonly bins: number;
  readonly parts: number;
  readonly rankExponent: number;
  readonly root: boolean;
  /** The default is false. */
  readonly known?: boolean;
}

export type ThresholdsBinding = "found" | "bounds" | "thresholds";

/**
 * `distances.count` adds to the counts of each query those of its pairs. With `exact`, pairs whose interval
 * does not decide wait until all were looked at; then they are compared in whole numbers, and what is open
 * even then is evaluated in float64, for which rows are as they are.
 *
 * waiting     u32 [queryRows], then [queryRows][room]: how many pairs of a query wait, and their references,
 *             counted from refBegin; where there are more than room, they are found once more. 0 before

 * counts      u32 [queryRows][countWords]: by bins, below, above, settled by whole numbers, settled in
 *             float64; of ranges that are
 *             each query's own, without `exact`, only by bins
 */
export interface CountParams extends StoredPairs, Pick<PairParams, "core" | "slack" | "dims" | "stride"> {
  readonly bins: number;
  readonly countWords: number;
  /**
   * With `exact`, entries become whole numbers below 2^24 by 2^fixed, and pairs are compared by these
   * before float64; undefined where 64 bits do not hold the sums.
   */
  readonly fixed?: number | undefined;
  /** All queries have the same thresholds. */
  readonly shared: boolean;
  readonly root: boolean;
  readonly exact: boolean;
  /** This many pairs of a query may wait; 0 without `exact`. */
  readonly room: number;
}

export type CountBinding =
  "queries" | "queryMeta" | "refs" | "refGroups" | "values" | "thresholds" | "waiting" | "counts";

/**
 * A query's counts have this many words beside its bins: below, above, settled by whole numbers and in
 * float64.
 */
export const BESIDE_BINS = 4;

/** A part has this many words in `found`, a query in `bounds`, a block in `extremes`. */
export const FOUND_WORDS = 5;
export const BOUNDS_WORDS = 8;
export const EXTREMES_WORDS = 2;

/** Tells whether ranks are sums of squares. */
export function areSquares(core: PairParams["core"]): boolean {
  return core === "dot" || core === "l2";
}

/** This many rows share a product and a margin in `refGroups`. */
export const GROUP_ROWS = 16;

/** Returns the bytes that this many rows take in `refGroups`. */
export function groupBytes(rows: number): number {
  return 8 * Math.ceil(rows / GROUP_ROWS);
}

/**
 * Returns how many words the thresholds of a query take: base, scale, whether these may guess, the guard; a
 * key for each edge; with `exact` the float64 rank of each, the low word first.
 */
export function thresholdWords(bins: number, exact: boolean): number {
  return 4 + (bins + 1) * (exact ? 3 : 1);
}
