/** This says how the leaves of a GPU's tree share its points. It builds none, as gpu/tree/build/ does. */

/**
 * So many points are put in the order of a k-d tree together, a power of two, and so many queries: what that
 * needs fits the least workgroup memory. With 256, searches of 2^21 points on an H200 took 8 % longer, and
 * without any order 30 %. A run of leaves has this many places.
 */
export const RUN_PLACES = 512;

/** A run has at least and at most this share of the points that runs have on average. */
const LEAST_SHARE = 0.5;
const MOST_SHARE = 1.5;

/** Leaves that follow each other are a run, and divide its points evenly. */
export interface TreeRuns {
  readonly runs: number;
  /** A run has 2^runLevels leaves. */
  readonly runLevels: number;
  /** A run has at least `least` points and at most `most`, a leaf at most `leafPlaces`, a power of two. */
  readonly least: number;
  readonly most: number;
  readonly leafPlaces: number;
}

/**
 * Returns the runs of a tree whose leaves have 10 to LEAF_POINTS points on average, or which is one leaf. No
 * leaf is then empty.
 */
export function treeRuns({ rows, levels }: { readonly rows: number; readonly levels: number }): TreeRuns {
  const leafPlaces = (MOST_SHARE * rows) / 2 ** levels <= 16 ? 16 : 32;
  const runLevels = Math.min(levels, Math.log2(RUN_PLACES / leafPlaces));
  const runs = 2 ** (levels - runLevels);
  const least = Math.floor((LEAST_SHARE * rows) / runs);
  const most = Math.ceil((MOST_SHARE * rows) / runs);
  return { runs, runLevels, least, most, leafPlaces };
}
