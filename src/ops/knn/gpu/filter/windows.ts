/**
 * This chooses the windows in which `knn.filter` visits references, and the threshold of each. The passes of
 * a window are made in filter.ts.
 */
import { roundUp } from "../../../../core/math.ts";
import { knnAppendRoom, knnKeepAllRows, type KnnFilterParams, type KnnRooms } from "../../contract/filter.ts";
import { knnPolicy } from "../policy.ts";

/** Chances of e^-RARE are neglected; where they come true, the window is recomputed. */
const RARE = 20;
const GROWTH_STEP = 1.25;
/** The last window may be longer by this factor. */
const LAST = 1.1;
const ROWS_STEP = 64;

/**
 * A call counts its references from its first. The values of the first ones are stored; of the others pairs
 * are appended, in windows.
 */
export interface KnnWindows {
  readonly first: number;
  readonly appended: readonly KnnWindow[];
}

export interface KnnWindow {
  readonly begin: number;
  readonly end: number;
  /**
   * The threshold has this rank among the high ends before the window: k, or less where that is enough unless
   * the order of the references misleads.
   */
  readonly rank: number;
}

/**
 * Returns the windows. A threshold that is the r-th of n references in no particular order lets some r (m /
 * n) of the next m pass. Windows are so long that as many pass as there is room for, with a reserve for
 * chance. Where too many pass or, with r below k, too few, the window is recomputed.
 */
export function knnWindows(
  { k, refOffset, refBegin, refRows, keepAll = false }: KnnFilterParams,
  { first: wanted, room }: KnnRooms,
): KnnWindows {
  const seen = refOffset + refBegin;
  const first = Math.min(refRows, Math.max(0, wanted - seen));
  const appended: KnnWindow[] = [];
  const step = keepAll ? knnKeepAllRows(k) : ROWS_STEP;
  const growth = keepAll ? 1 : growthOf(k, room, refRows);
  for (let begin = first; begin < refRows;) {
    const rows = Math.max(step, (seen + begin) * growth);
    const whole = begin + roundUp(Math.floor(rows), step);
    const end = refRows - begin <= rows * LAST ? refRows : Math.min(refRows, whole);
    const recomputes = !keepAll && room < end - begin;
    appended.push({ begin, end, rank: recomputes ? predictedRank(k, (seen + begin) / (seen + end)) : k });
    begin = end;
  }
  return { first, appended };
}

/** Returns how many times as long as the references seen before it a window is. */
function growthOf(k: number, room: number, refRows: number): number {
  // Where all have room, as many are let through as one workgroup merges in little time.
  if (room >= refRows)
    return Math.max(1, Math.max(knnAppendRoom(k), knnPolicy.mostAppended) / (k * spread(k)));
  let growth = Math.max(1, room / (k * spread(k)));
  const appended = (times: number) => {
    const rank = predictedRank(k, 1 / (1 + times));
    return rank * spread(rank) * times;
  };
  while (appended(growth * GROWTH_STEP) <= room) growth *= GROWTH_STEP;
  return growth;
}

/** Returns the rank that the k-th of all has, at most, in a sample of that share of them. */
function predictedRank(k: number, share: number): number {
  const expected = k * share;
  return Math.min(k, Math.ceil(expected * spread(expected)));
}

/**
 * Returns the factor by which the k-th of a sample may rank higher than expected: k times the factor or more,
 * where k are expected, come with a chance of e^-RARE (Chernoff's bound for Poisson: c - 1 - log c = RARE /
 * k, from above).
 */
export function spread(k: number): number {
  const rare = RARE / k;
  return 1 + rare + Math.sqrt(2 * rare);
}
