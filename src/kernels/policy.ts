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
}

/**
 * Measured on one H200 on 10,240 x 1,048,576 x 128: wide 72.6 ms, standard 86.4 ms, 128x128x16 with 8x8 values 79.6 ms.
 * The standard tile is the default because small GPUs run out of registers first. `few` wastes least on single queries.
 */
export const knnTiles = {
  standard: { queries: 64, refs: 64, depth: 4, perQuery: 4, perRef: 4 },
  wide: { queries: 64, refs: 128, depth: 4, perQuery: 4, perRef: 8 },
  few: { queries: 8, refs: 128, depth: 4, perQuery: 2, perRef: 2 },
} as const satisfies Record<string, KnnTile>;

export const knnPolicy = {
  /** At most this many queries take the tile `few`. */
  fewQueries: 16,
  /** The wide tile needs at least this many workgroups of its own to fill a large GPU. */
  wideGroups: 1024,
  selectThreads: 256,
  /** Columns of a tile that knn_select can append without a second look at the tile. */
  found: 256,
} as const;

/** Lanes of a workgroup with that tile. */
export function knnTileThreads({ queries, refs, perQuery, perRef }: KnnTile): number {
  return (queries / perQuery) * (refs / perRef);
}

export function chooseKnnTile(queryRows: number, refRows: number): KnnTile {
  if (queryRows <= knnPolicy.fewQueries) return knnTiles.few;
  const { wide } = knnTiles;
  const groups = Math.ceil(queryRows / wide.queries) * Math.ceil(refRows / wide.refs);
  return groups >= knnPolicy.wideGroups ? wide : knnTiles.standard;
}

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
