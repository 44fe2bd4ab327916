/**
 * These numbers tune the k-NN kernels, in tables with a default row. Tuning may change speed, never results.
 * Nothing else is in here, so that planners may read it. Those of the distance tile are in
 * distance/gpu/policy.ts.
 */
import type { WorkgroupLimits } from "../../../runtime/gpu/passes/pass.ts";

export const knnPolicy = {
  /**
   * A workgroup makes this many tiles one after the other, where at least `enoughGroups` workgroups are left:
   * on one H200 72.6 ms instead of 74.1 with one.
   */
  tilesPerGroup: 4,
  enoughGroups: 4096,
  /** This many workgroups check for queries to recompute, of which there are few or none. */
  recomputeGroups: 1024,
  /** This many pairs of a query should be appended between two merges where there is room for any number. */
  mostAppended: 16_384,
  selectThreads: 256,
  /** knn_select can append this many columns of a tile without reading the tile a second time. */
  found: 256,
} as const;

/**
 * A group has one of these numbers of references, where minima are taken because more pairs pass than there
 * is room for. Smaller groups mean more minima to write and read, 8 bytes each, and so fewer queries at a
 * time: 100 of 1,000,000 on one H200 took 83 ms with 64 and 89 with 16. Larger ones mean more pairs to
 * compute twice, about k groups of a query.
 */
export const knnGroups = [64, 32, 16, 8] as const;

/**
 * Values are stored where there are fewer references than `knnGroupShare` per k and member of a group, since
 * too much would be computed twice; and where there are fewer than `knnGroupLeast` at all, since three
 * dispatches for little are slower than two.
 */
export const knnGroupShare = 4;
export const knnGroupLeast = 4096;

/**
 * Returns how many references a group has for a call over `refRows` references; 0 where all values are better
 * stored.
 */
export function chooseKnnGroup(k: number, refRows: number): number {
  if (refRows < knnGroupLeast) return 0;
  return knnGroups.find((group) => refRows >= knnGroupShare * k * group) ?? 0;
}

/** knn_few takes at most `queries` queries with these sizes. */
export interface KnnFewVariant {
  readonly queries: number;
  /** A lane takes this many references. */
  readonly rows: number;
  /** A workgroup has this many lanes where parts meet within subgroups; undefined where they do not. */
  readonly subgroupThreads?: number;
}

/**
 * A workgroup has `threads` lanes, of which `rowLanes` share a reference. Where all values are stored, select
 * takes them in the pieces of `selection`: on one H200 8 queries took 0.222 ms with k = 10, and 0.244 in
 * pieces of 8192; 32 queries 0.407, and 0.423 with 512 workgroups.
 */
export const knnFewPolicy = {
  threads: 256,
  rowLanes: 8,
  /** At most this many queries are searched so. */
  queries: 32,
  selection: { groups: 384, fewestCols: 16_384 },
} as const;

/**
 * knn_few has these variants, with at most 32 pairs of a lane. On one H200, for 1,000,000 references of 128
 * columns, which take 0.119 ms to read, with all values stored: one query took 0.132 ms, 0.135 within
 * subgroups; four 0.151 and 0.142; eight 0.188, within subgroups 0.173 with 256 lanes and 0.159 with 64.
 */
export const knnFewVariants: readonly KnnFewVariant[] = [
  { queries: 1, rows: 8 },
  { queries: 2, rows: 8 },
  { queries: 4, rows: 4, subgroupThreads: 64 },
  { queries: 8, rows: 4, subgroupThreads: 64 },
];

/**
 * A search of a few queries by the least key of every group of references has these sizes. On one H200 with
 * 1,000,000 references of 128 columns, milliseconds this way and with all values stored: one query k = 10
 * 0.136 and 0.155, k = 50 0.156 and 0.163, k = 64 0.173 and 0.165; 32 queries 0.355 and 0.412, 0.399 and
 * 0.415, 0.431 and 0.400. Neither 2 nor 8 references of a lane at a time, nor 1, 2 or 4 vectors of each, made
 * more than 3 us of difference. Groups of another size, and fewer lanes, were not tried.
 */
export const knnLeastPolicy = {
  /** A group has as many references as the smallest workgroup that makes values. */
  group: 32,
  /** There are at most this many neighbours, and at least this many groups for each of them. */
  mostK: 32,
  groupsForK: 8,
  /** A workgroup has one of these numbers of lanes, powers of two, the best first. */
  threads: [512, 256],
  /**
   * There are at least this many buckets of keys, whose least ones lead to a limit, and this many for each
   * neighbour.
   */
  fewestBuckets: 64,
  bucketsForK: 4,
  /** There is room for this many entries, and for this many groups. */
  capacity: 640,
  chosen: 512,
  /** A lane takes this many references at a time, where several lanes share them. */
  rows: 4,
} as const;

/**
 * Chooses as many lanes as the device allows, and has workgroup memory for.
 * @param rows references of a lane
 */
export function chooseLeastThreads(
  rows: number,
  { workgroupBytes = 16_384, workgroupThreads = 256 }: WorkgroupLimits,
): number {
  const { threads, capacity, chosen } = knnLeastPolicy;
  const bytes = (lanes: number) => 4 * ((2 + rows) * lanes + chosen + 2 * capacity) + 64;
  return threads.find((lanes) => lanes <= workgroupThreads && bytes(lanes) <= workgroupBytes) ?? 256;
}

export const knnSearchPolicy = {
  /** A batch has at most this many queries. */
  queries: 8192,
  /** Scratch has this many bytes for the minima or values of a batch of queries. */
  scratchBytes: 2 ** 30,
  /** One dispatch takes this many multiply-adds where the caller does not say: 0.25 s at 4e10 per second. */
  workPerDispatch: 1e10,
} as const;

export const knnSeedPolicy = { threads: 256 } as const;

/** The lanes of knn.carry have long walks and little to share, so that workgroups are small. */
export const knnCarryPolicy = { threads: 64 } as const;

export const knnReplayPolicy = {
  /** A workgroup has this many lanes: all read and sort; one of them replays. */
  threads: 64,
  /**
   * A heap has at most this many entries. Workgroups have room for lists of one of these sizes, at 12 bytes
   * of workgroup memory an entry.
   */
  mostK: 64,
  sizes: [256, 512, 1024],
  /** An entry of a list takes as long as this many multiply-adds of float32, roughly. */
  cost: 256,
} as const;

/** Returns how many entries a workgroup has room for, or undefined where lists are too long. */
export function chooseReplayCapacity(capacity: number): number | undefined {
  return knnReplayPolicy.sizes.find((size) => size >= capacity);
}
