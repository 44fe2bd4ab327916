/**
 * These are the contracts of `knn.within` and `knn.withinOrder`, which only GPUs have: the references within
 * a radius of each query, found along a tree in two passes. The first counts them, and the second lists them
 * where the counts make room, one query after the other.
 */
import { ceilDiv, type Span } from "../../../core/math.ts";
import {
  gpuTreeBytes,
  queryScratchBytes,
  type KnnTreeFilterParams,
  type QueryScratch,
} from "../contract/tree.ts";

/**
 * `knn.within` finds the candidates of every query: all references whose interval reaches down to
 * `threshold`, and maybe some more, which are the same ones whether they are counted or listed.
 */
export interface WithinParams extends Pick<
  KnnTreeFilterParams,
  "core" | "slack" | "stride" | "queryRows" | "tree" | "pairs" | "most"
> {
  readonly threshold: number;
  /** Candidates are listed, as many as this in all; undefined where they are counted. */
  readonly listed: number | undefined;
  /** A search has this many dispatches in all. */
  readonly passes: number;
  /** A step runs these of the dispatches. */
  readonly part: Span;
}

/**
 * `knn.within` binds queries, queryMeta, points, boxes and scratch as `knn.treeFilter` does, and
 *
 * heads    u32 [queryRows][2]: the number of candidates, or UNFINISHED where there were too few dispatches
 * room     u32 [queryRows + 1]: how many candidates are listed of each query, and any word; of no meaning
 *          where candidates are counted
 * offsets  u32 [queryRows + 1]: where the lists begin and the last ends, which the scan of `room` makes
 * entries  u32 [listed][2]: the row of the references, and the query, in no order
 *
 * The second counter of its scratch is the number of candidates of queries that are done.
 */
export type WithinBinding =
  "queries" | "queryMeta" | "points" | "boxes" | "heads" | "room" | "offsets" | "entries" | QueryScratch;

export function withinBytes({
  queryRows,
  stride,
  tree,
  listed = 0,
}: Pick<WithinParams, "queryRows" | "stride" | "tree" | "listed">): Readonly<Record<WithinBinding, number>> {
  return {
    queries: queryRows * stride * 4,
    queryMeta: queryRows * 16,
    ...gpuTreeBytes(tree),
    heads: queryRows * 8,
    room: wordsFor(queryRows + 1),
    offsets: wordsFor(queryRows + 1),
    entries: Math.max(1, listed) * 8,
    ...queryScratchBytes(queryRows),
  };
}

/** Returns the bytes of so many words, which a scan takes by fours. */
function wordsFor(count: number): number {
  return 16 * ceilDiv(count, 4);
}

/**
 * `knn.withinOrder` evaluates candidates in float64, on rows as they are, and puts those of each query in the
 * order of (distance, row).
 */
export interface WithinOrderParams {
  readonly queryRows: number;
  readonly refRows: number;
  /** There are this many candidates, and at most `longest` of a query, at least one. */
  readonly listed: number;
  readonly longest: number;
  /** Says whether a distance is the root of the sum of squares. */
  readonly root: boolean;
  /** A dispatch evaluates this many candidates at most. */
  readonly most: number;
}

/**
 * queries, refs    f32 [..][4]
 * offsets, entries as of `knn.within`; entries are undefined afterwards
 * keys, nextKeys, nextEntries  scratch
 * nearRows         u32 [listed]
 * nearDistances    u32 [listed][2]: the bits of a float64, the low word first
 */
export type WithinOrderBinding =
  | "queries"
  | "refs"
  | "offsets"
  | "entries"
  | "keys"
  | "nextKeys"
  | "nextEntries"
  | "nearRows"
  | "nearDistances";

/** Returns the bytes of the buffers that belong to the order alone. */
export function withinOrderBytes(
  listed: number,
): Readonly<Record<"keys" | "nextKeys" | "nextEntries" | "nearRows" | "nearDistances", number>> {
  const pairs = listed * 8;
  return { keys: pairs, nextKeys: pairs, nextEntries: pairs, nearRows: listed * 4, nearDistances: pairs };
}

/** A candidate takes this many bytes in all. */
export const CANDIDATE_BYTES = 44;
