/** These numbers tune the kernels that count distances. They may change speed, never results. */

export const distancesPolicy = {
  /** A workgroup has this many lanes where it works on one query, and where each lane works alone. */
  threads: 256,
  /** At most this many lanes share one set of bins, where there are enough pairs. */
  most: 1024,
  pairsPerLane: 32,
  /** This many lanes keep a large GPU busy. */
  lanes: 264 * 1024,
  /** A workgroup makes this many tiles one after the other, where so many workgroups are left. */
  tilesPerGroup: 16,
  enoughGroups: 264,
  /** Rows of whole numbers are compared in this tile, whose `depth` is in vectors. */
  wholeTile: { queries: 64, refs: 64, depth: 8, perQuery: 4, perRef: 4 },
  /** Workgroups have room for one of these numbers of bins, so that few shaders serve all. */
  sizes: [16, 64, 256, 1024, 2048, 5120, 8192],
  copies: 32,
  copiedBins: 1024,
  /** A workgroup holds the thresholds of up to this many bins: those of more leave little room for lanes. */
  heldBins: 1024,
  /** This many lanes settle pairs: they wait long for rows, so that there should be many. */
  settling: 1056 * 1024,
  /** A lane looks at this many pairs for those that wait, where there was no room for them. */
  settledPerLane: 32,
  /** This many bytes of workgroup memory are left for what is no bin. */
  reserved: 64,
} as const;
