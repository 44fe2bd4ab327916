/**
 * Every tuned number of the kernels, in tables with a default row. Tuning may change speed, never results. Nothing
 * else is in here, so that plan/ may read it.
 */

/** How a workgroup of knn_distance divides the matrix of distances among its lanes. */
export interface KnnTile {
  /** Rows of the tile; columns held at a time, in vec4f. */
  readonly queries: number;
  readonly refs: number;
  readonly depth: number;
  /** Values per lane, along either side. */
  readonly perQuery: number;
  readonly perRef: number;
  /** Whether a lane loads its part of the next slab before it computes with this one. */
  readonly ahead: boolean;
}

/**
 * The shapes that a bench tries, each for the sizes its name says; `queriesN` hold all queries of a small batch at once, so
 * that every reference is read once. Measured on one H200 with an earlier kernel that stored all values, 10,240 x 1,048,576 x 128:
 * wide 72.6 ms, standard 86.4 ms, 128x128 with 8x8 values 79.6 ms; the others have only run on software.
 */
export const knnTiles = {
  standard: { queries: 64, refs: 64, depth: 4, perQuery: 4, perRef: 4, ahead: false },
  wide: { queries: 64, refs: 128, depth: 4, perQuery: 4, perRef: 8, ahead: false },
  wideAhead: { queries: 64, refs: 128, depth: 4, perQuery: 4, perRef: 8, ahead: true },
  tall: { queries: 128, refs: 64, depth: 4, perQuery: 8, perRef: 4, ahead: false },
  square: { queries: 128, refs: 128, depth: 2, perQuery: 8, perRef: 8, ahead: false },
  squareAhead: { queries: 128, refs: 128, depth: 2, perQuery: 8, perRef: 8, ahead: true },
  deep: { queries: 128, refs: 128, depth: 4, perQuery: 8, perRef: 8, ahead: false },
  queries1: { queries: 1, refs: 128, depth: 4, perQuery: 1, perRef: 1, ahead: false },
  queries2: { queries: 2, refs: 128, depth: 4, perQuery: 2, perRef: 1, ahead: false },
  queries4: { queries: 4, refs: 128, depth: 4, perQuery: 4, perRef: 1, ahead: false },
  queries8: { queries: 8, refs: 128, depth: 4, perQuery: 8, perRef: 1, ahead: false },
  queries16: { queries: 16, refs: 128, depth: 4, perQuery: 16, perRef: 1, ahead: false },
  queries32: { queries: 32, refs: 128, depth: 4, perQuery: 32, perRef: 1, ahead: false },
} as const satisfies Record<string, KnnTile>;

export type KnnTileName = keyof typeof knnTiles;

export const knnPolicy = {
  /** The wide tile needs at least this many workgroups of its own to fill a large GPU. */
  wideGroups: 1024,
  selectThreads: 256,
  /** Columns of a tile that knn_select can append without a second look at the tile. */
  found: 256,
  /** vec4f of each reference that knn_recheck reads at a time, where it reads them together. */
  rowDepth: 2,
} as const;

/** Lanes of a workgroup with that tile. */
export function knnTileThreads({ queries, refs, perQuery, perRef }: KnnTile): number {
  return (queries / perQuery) * (refs / perRef);
}

/** Bytes of workgroup memory of knn_distance with that tile, whatever becomes of the values. */
export function knnTileBytes(tile: KnnTile): number {
  const { queries, refs, depth, perQuery, perRef } = tile;
  const slab = depth * (queries + 2 + refs + perRef + 2);
  return 16 * Math.max(slab, Math.min(2, Math.ceil(perQuery / 2)) * knnTileThreads(tile));
}

/** A small batch takes the tile that holds it; larger ones the wide tile where there is enough work for it. */
export function chooseKnnTile(queryRows: number, refRows: number): KnnTileName {
  const holds = smallBatches.find((name) => queryRows <= knnTiles[name].queries);
  if (holds) return holds;
  const { wide } = knnTiles;
  const groups = Math.ceil(queryRows / wide.queries) * Math.ceil(refRows / wide.refs);
  return groups >= knnPolicy.wideGroups ? "wide" : "standard";
}

const smallBatches = ["queries1", "queries2", "queries4", "queries8", "queries16", "queries32"] as const;

/**
 * References per group for k up to `most`. Smaller groups mean more minima to write and read, 8 bytes each; larger ones more
 * pairs to compute twice, about k groups of a query. Derived, not measured: 6 n / (columns k) is the square of the best size where
 * both are bytes, at n = 1M and 128 columns 68, 21 and 7 for k = 10, 100, 1000.
 */
export const knnGroups = [
  { most: 32, group: 64 },
  { most: 64, group: 32 },
  { most: 256, group: 16 },
  { most: Infinity, group: 8 },
] as const;

/**
 * Values are stored where references are fewer than this: per k and member of a group, since too much would be computed twice;
 * and at all, since three dispatches for little are slower than two.
 */
export const knnGroupShare = 4;
export const knnGroupLeast = 4096;

/** References per group for a call over `refRows` references; 0 where all values are better stored. */
export function chooseKnnGroup(k: number, refRows: number): number {
  if (refRows < knnGroupLeast) return 0;
  const row = knnGroups.find(({ most, group }) => k <= most && refRows >= knnGroupShare * k * group);
  return row?.group ?? 0;
}

export const knnSearchPolicy = {
  threads: 256,
  /** Lanes that share a row when its length is summed; a power of two. */
  rowLanes: 16,
  /** Bytes of scratch for the minima or values of a batch of queries. */
  scratchBytes: 2 ** 30,
  /** Multiply-adds of one dispatch where the caller does not say: 0.25 s at 4e10 per second. */
  workPerDispatch: 1e10,
} as const;

export const reducePolicy = {
  threads: 256,
  /** Columns that a lane should have before a row gets more lanes. */
  columnsPerLane: 16,
} as const;

export const scanPolicy = {
  /** Workgroups that redo a scan which gave up; few, since they nearly always find nothing to do. */
  mendGroups: 512,
  /** Looks at another tile's state, about a microsecond each, before giving up. */
  patience: 65_536,
} as const;

/** Workgroups that keep a large GPU busy when it goes over a number of runs that the host does not know. */
export const runLengthPolicy = { threads: 256, groups: 2048 } as const;

export const histogramPolicy = {
  threads: 256,
  /** Bins that workgroups have room for, or as many as fit: few shaders serve all numbers of bins. */
  sizes: [256, 1024, 2048, 4096, 6144, 8192],
  /** Bytes of workgroup memory that are not bins. */
  reserved: 64,
  /** Copies of the bins at most, as long as all of them are at most `copiedBins`. */
  copies: 8,
  copiedBins: 1024,
  /** Workgroups that keep a large GPU busy, and columns below which another workgroup is not worth its bins. */
  groups: 2048,
  fewestCols: 4096,
} as const;

/** How a workgroup of select_filter goes through a piece of a row. */
export interface SelectFilter {
  readonly threads: number;
  /** Entries it can collect, more than k; 8 bytes of workgroup memory each. */
  readonly capacity: number;
  /** vec4u per lane and turn, at most 8. */
  readonly vectors: number;
}

export const selectPolicy = {
  threads: 256,
  /** Columns of a workgroup that counts or gathers for large k. */
  partCols: 16_384,
  /** Entries that a workgroup sorts; a power of two. */
  sortBlock: 1024,
} as const;

/** Room for what a tile adds before the next sort, or sorts become many; short rows leave most lanes idle. */
export function chooseSelectFilter(cols: number, k: number): SelectFilter {
  if (k <= 128 && cols <= 512) return { threads: 64, capacity: 512, vectors: 2 };
  if (k <= 64) return { threads: 256, capacity: 512, vectors: 4 };
  if (k <= 256) return { threads: 256, capacity: 1024, vectors: 4 };
  return { threads: 256, capacity: 1920, vectors: 4 };
}
