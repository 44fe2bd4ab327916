/**
 * Every tuned number of the kernels, in tables with a default row. Tuning may change speed, never results. Nothing
 * else is in here, so that plan/ may read it.
 */

/** How a workgroup of knn_distance divides the matrix of distances among its lanes. */
export interface KnnTile {
  /** Rows of the tile; columns held at a time, 16. */
  readonly queries: number;
  readonly refs: number;
  readonly depth: number;
  /** Values per lane, along either side, multiples of 4. */
  readonly perQuery: number;
  readonly perRef: number;
}

/**
 * Measured on one H200 with 128 columns. 10,240 x 1,048,576: `wide` 68 ms without what follows, of which the like with columns in a
 * loop took 96; 8 columns at a time 73, rows of 4 x 8 values 83. Its lanes take more than 128 registers where pairs are noted, which leaves
 * one workgroup to an SM; 512 lanes cannot: 10,000 x 1,000,000 with k = 10 took 72.6 ms with `widest` and 80.7 with `wide`. 32
 * queries x 1,000,000: 0.35 ms; 0.38 with 8 x 8 values of a lane, 0.36 with half the references (0.32 since loads do not look
 * for the end of slabs). 16 queries: 0.25; 0.28 with 256 references (0.22).
 */
export const knnTiles = {
  widest: { queries: 128, refs: 256, depth: 16, perQuery: 8, perRef: 8 },
  wide: { queries: 128, refs: 128, depth: 16, perQuery: 8, perRef: 8 },
  medium: { queries: 64, refs: 128, depth: 16, perQuery: 8, perRef: 8 },
  standard: { queries: 64, refs: 64, depth: 16, perQuery: 4, perRef: 4 },
  queries32: { queries: 32, refs: 128, depth: 16, perQuery: 8, perRef: 4 },
  queries16: { queries: 16, refs: 128, depth: 16, perQuery: 4, perRef: 4 },
} as const satisfies Record<string, KnnTile>;

export type KnnTileName = keyof typeof knnTiles;

export const knnPolicy = {
  /** A wide tile needs at least this many workgroups of its own to fill a large GPU. */
  wideGroups: 264,
  /** Tiles that a workgroup makes one after the other, where that leaves so many workgroups: on one H200 72.6 ms instead of 74.1 with one. */
  tilesPerGroup: 4,
  enoughGroups: 4096,
  /** Workgroups that look for queries to mend, of which there are few or none. */
  recomputeGroups: 1024,
  /** Pairs of a query that should be noted between two merges where there is room for any number. */
  mostAppended: 16_384,
  selectThreads: 256,
  /** Columns of a tile that knn_select can append without a second look at the tile. */
  found: 256,
} as const;

/** Lanes of a workgroup with that tile. */
export function knnTileThreads(tile: KnnTile): number {
  return (tile.queries / tile.perQuery) * (tile.refs / tile.perRef);
}

/** Bytes of workgroup memory with that tile at most, but for the small tiles of knn_whole, which assert that they fit any device. */
export function knnTileBytes(tile: KnnTile): number {
  const { queries, refs, depth, perQuery, perRef } = tile;
  const slab = depth * (queries / 4 + refs / 4 + 1);
  const waiting = knnTileThreads(tile) * (perRef / 4);
  return (
    16 * Math.max(slab, (refs / 4) * ((2 * queries) / perQuery + 1), waiting) +
    4 * waiting +
    16 * (queries + refs) +
    16
  );
}

/**
 * A small batch takes the tile that holds it; larger ones the largest tile for which there is memory and enough work. All of them sum
 * in one order, so that values do not depend on the choice.
 */
export function chooseKnnTile(queryRows: number, refRows: number, limits: WorkgroupLimits = {}): KnnTileName {
  const small = smallTiles.find((name) => queryRows <= knnTiles[name].queries);
  const names = small ? [small] : largeTiles.filter((name) => fills(knnTiles[name], queryRows, refRows));
  return names.find((name) => fitsWorkgroup(knnTiles[name], limits)) ?? "standard";
}

/** Whether a device has the lanes and the memory; it always has for `standard`. */
export function fitsWorkgroup(
  tile: KnnTile,
  { workgroupBytes = 16_384, workgroupThreads = 256 }: WorkgroupLimits,
): boolean {
  return knnTileBytes(tile) <= workgroupBytes && knnTileThreads(tile) <= workgroupThreads;
}

/** Whether a large tile is worth its size. */
function fills(tile: KnnTile, queryRows: number, refRows: number): boolean {
  const groups = Math.ceil(queryRows / tile.queries) * Math.ceil(refRows / tile.refs);
  return groups >= knnPolicy.wideGroups && queryRows > tile.queries / 2;
}

const smallTiles = ["queries16", "queries32"] as const;
const largeTiles = ["widest", "wide", "medium"] as const;

/**
 * References per group, where minima are taken because more pairs pass than there is room for. Smaller groups mean more minima to write
 * and read, 8 bytes each, and so fewer queries at a time: 100 of 1,000,000 on one H200, 83 ms with 64 and 89 with 16. Larger
 * ones mean more pairs to compute twice, about k groups of a query.
 */
export const knnGroups = [64, 32, 16, 8] as const;

/**
 * Values are stored where references are fewer than this: per k and member of a group, since too much would be computed twice;
 * and at all, since three dispatches for little are slower than two.
 */
export const knnGroupShare = 4;
export const knnGroupLeast = 4096;

/** References per group for a call over `refRows` references; 0 where all values are better stored. */
export function chooseKnnGroup(k: number, refRows: number): number {
  if (refRows < knnGroupLeast) return 0;
  return knnGroups.find((group) => refRows >= knnGroupShare * k * group) ?? 0;
}

/** How knn_few goes about as many queries at most. */
export interface KnnFewVariant {
  readonly queries: number;
  /** References of a lane. */
  readonly rows: number;
  /** Lanes of a workgroup where parts meet within subgroups; without, they do not. */
  readonly subgroupThreads?: number;
}

/**
 * Lanes of a workgroup, and those that share a reference; and how select divides values where all are stored: on one H200 8 queries
 * took 0.222 ms with k = 10, and 0.244 in pieces of 8192; 32 queries 0.407, and 0.423 with 512 workgroups.
 */
export const knnFewPolicy = {
  threads: 256,
  rowLanes: 8,
  /** At most so many queries are looked for in this way. */
  queries: 32,
  selection: { groups: 384, fewestCols: 16_384 },
} as const;

/**
 * At most 32 pairs of a lane. On one H200, 1,000,000 references of 128 columns, which take 0.119 ms to read, all values stored: one query
 * 0.132 ms, 0.135 within subgroups; four 0.151 and 0.142; eight 0.188, within subgroups 0.173 with 256 lanes and 0.159 with 64.
 */
export const knnFewVariants: readonly KnnFewVariant[] = [
  { queries: 1, rows: 8 },
  { queries: 2, rows: 8 },
  { queries: 4, rows: 4, subgroupThreads: 64 },
  { queries: 8, rows: 4, subgroupThreads: 64 },
];

/**
 * How the least key of every group of references leads to the neighbours of a few queries. On one H200 with 1,000,000 references of
 * 128 columns, milliseconds this way and with all values stored: one query k = 10 0.136 and 0.155, k = 50 0.156 and 0.163, k = 64
 * 0.173 and 0.165; 32 queries 0.355 and 0.412, 0.399 and 0.415, 0.431 and 0.400. Neither 2 nor 8 references of a lane at a time, nor 1, 2
 * or 4 vectors of each, made more than 3 us of difference. Groups of another size, and fewer lanes, were not tried.
 */
export const knnLeastPolicy = {
  /** References of a group: those of the smallest workgroup that makes values. */
  group: 32,
  /** At most so many neighbours; for each, at least so many groups. */
  mostK: 32,
  groupsForK: 8,
  /** Powers of two, the best first. */
  threads: [512, 256],
  /** Lots of keys whose least ones lead to a limit, and how many for each neighbour. */
  fewestLots: 64,
  lotsForK: 4,
  /** Entries that it has room for, and groups. */
  capacity: 640,
  chosen: 512,
  /** References of a lane at a time, where several lanes share them. */
  rows: 4,
} as const;

/** As many lanes as the device has, and workgroup memory for. @param rows references of a lane */
export function chooseLeastThreads(
  rows: number,
  { workgroupBytes = 16_384, workgroupThreads = 256 }: WorkgroupLimits,
): number {
  const { threads, capacity, chosen } = knnLeastPolicy;
  const bytes = (lanes: number) => 4 * ((2 + rows) * lanes + chosen + 2 * capacity) + 64;
  return threads.find((lanes) => lanes <= workgroupThreads && bytes(lanes) <= workgroupBytes) ?? 256;
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

export const knnPreparePolicy = {
  threads: 256,
  /** Lanes that share a row; a power of two. Each sums a part of it, which keeps the sum accurate (core/bound.ts). */
  rowLanes: 16,
} as const;

export const knnSeedPolicy = { threads: 256 } as const;

/** Lanes have long walks and little to share. */
export const knnCarryPolicy = { threads: 64 } as const;

export const knnRefinePolicy = {
  threads: 128,
  /** Multiply-adds of float32 that one of float64 in u32 is worth, roughly. */
  cost: 64,
} as const;

export const knnReplayPolicy = {
  /** They read and sort; one of them replays. */
  threads: 64,
  /** Entries of a heap at most, and those of lists that workgroups have room for; 12 bytes of workgroup memory each. */
  mostK: 64,
  sizes: [256, 512, 1024],
  /** Multiply-adds of float32 that an entry of a list is worth, roughly. */
  cost: 256,
} as const;

/** Entries for which a workgroup has room, or undefined where lists are too long. */
export function chooseReplayCapacity(capacity: number): number | undefined {
  return knnReplayPolicy.sizes.find((size) => size >= capacity);
}

export const reducePolicy = {
  threads: 256,
  /** Columns that a lane should have before a row gets more lanes. */
  columnsPerLane: 16,
} as const;

export const scanPolicy = {
  /** Workgroups of a chained scan, which take tile after tile: more than a device runs at a time. An H200 runs 660. */
  chainedGroups: 1024,
  /** Workgroups that redo a scan which gave up; few, since they nearly always find nothing to do. */
  recomputeGroups: 512,
  /** Looks at another tile's state, about a microsecond each, before giving up. */
  patience: 65_536,
} as const;

/**
 * Elements of a tile, SCAN_TILE or twice as many. On an H200, 2^28 elements: compact of half, with an earlier kernel, 0.74 ms with
 * 8192, 0.80 with 4096; unique, whose elements take registers, 0.73 and 0.70. Scans have SCAN_TILE, by which their sums
 * associate: 0.58 ms, and 0.66 with twice as many.
 */
export const compactPolicy = { tile: 8192 } as const;
export const uniquePolicy = { tile: 4096 } as const;
export const runLengthPolicy = { tile: 4096, threads: 256 } as const;

export const histogramPolicy = {
  /** Bins that workgroups have room for, or as many as fit: few shaders serve all numbers of bins. */
  sizes: [256, 1024, 2048, 4096, 6144, 8192],
  /** Bytes of workgroup memory that are not bins. */
  reserved: 64,
  /** Copies of the bins at most, as long as all of them are at most `copiedBins`. */
  copies: 8,
  copiedBins: 1024,
  /**
   * Lanes that keep a large GPU busy, those of one H200: twice as many were 2 % slower. And elements below which one more is not
   * worth it.
   */
  lanes: 264 * 1024,
  elementsPerLane: 16,
} as const;

/** As many lanes as the device allows share one set of bins, where the row has enough for them. */
export function chooseHistogramThreads(cols: number, mostThreads = 256): number {
  const { elementsPerLane } = histogramPolicy;
  return [1024, 512].find((each) => each <= mostThreads && cols >= each * elementsPerLane) ?? 256;
}

/** How a workgroup of select_filter goes through a piece of a row. */
export interface SelectFilter {
  /** A power of two. */
  readonly threads: number;
  /** Entries it can collect, at least k and a multiple of 4; 8 bytes of workgroup memory each. */
  readonly capacity: number;
}

export const selectPolicy = {
  threads: 256,
  /** Columns of a workgroup that counts or gathers for large k. */
  partCols: 16_384,
  /** Entries that a workgroup sorts; a power of two. */
  sortBlock: 1024,
} as const;

/**
 * Room for k and for as many more as keep a limit from a sample of twice that many from missing often. On one H200 the milliseconds
 * for 10,000 x 100,000 were, by lanes and capacity: k = 10: 1.27 (512, 1280), 1.38 (512, 2048), 1.44 (256, 1536); k = 1000: 2.56 (512,
 * 2304), 2.98 (512, 2048), 3.73 (512, 2560: two workgroups instead of three share an SM), 4.02 (256, 2048).
 */
export const selectFilters = [
  { mostK: 128, threads: 512, capacity: 1280 },
  { mostK: 512, threads: 512, capacity: 2048 },
  { mostK: Infinity, threads: 512, capacity: 2304 },
] as const;

/** Short rows leave many lanes idle. */
export function chooseSelectFilter(
  cols: number,
  k: number,
  { workgroupBytes = 16_384, workgroupThreads = 256 }: WorkgroupLimits = {},
): SelectFilter {
  if (k <= 128 && cols <= 512) return { threads: 64, capacity: 512 };
  const row = selectFilters.find(({ mostK }) => k <= mostK) ?? selectFilters[0];
  const threads = cols <= 8192 ? 256 : Math.min(row.threads, workgroupThreads);
  // Bins and sums of a word for each lane.
  const room = Math.floor((workgroupBytes - 9 * threads - 128) / 32) * 4;
  return { threads, capacity: Math.min(row.capacity, room) };
}

/** Of KernelLimits (pass.ts). */
interface WorkgroupLimits {
  readonly workgroupBytes?: number | undefined;
  readonly workgroupThreads?: number | undefined;
}
