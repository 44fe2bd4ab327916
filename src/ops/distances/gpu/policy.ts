/** The tuned numbers of the kernels that count distances. They may change speed, never results. */

export const distancesPolicy = {
  /** Lanes of a workgroup that works on one query, and of one where each lane works alone. */
  threads: 256,
  /** Lanes that share one set of bins where there are enough pairs. */
  most: 1024,
  pairsPerLane: 32,
  /** Lanes that keep a large GPU busy. */
  lanes: 264 * 1024,
  /** Tiles that a workgroup makes one after the other, where so many workgroups are left. */
  tilesPerGroup: 16,
  enoughGroups: 264,
  /** The tile of rows of whole numbers; `depth` in vectors. */
  wholeTile: { queries: 64, refs: 64, depth: 8, perQuery: 4, perRef: 4 },
  /** Bins that workgroups have room for: few shaders serve all numbers of bins. */
  sizes: [64, 256, 1024, 2048, 5120, 8192],
  copies: 8,
  copiedBins: 1024,
  /** Lanes that settle pairs: they wait long for rows, so that there should be many. */
  settling: 1056 * 1024,
  /** Pairs of a lane that looks for those that wait, where there was no room for them. */
  settledPerLane: 32,
  /** Bytes of workgroup memory that are no bins. */
  reserved: 64,
} as const;
