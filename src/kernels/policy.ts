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
