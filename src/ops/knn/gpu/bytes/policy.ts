/** These are the tuned sizes of kernels that compare bytes. */

/**
 * Bytes rule out pairs with these sizes. On one H100, 10,000 x 1,000,000 x 128 took matrix units 9.0 ms with
 * 128 tiles of a workgroup of four subgroups, 15.0 with eight that shared a tile in two halves; packed
 * products took 28.7, 28.5 and 28.4 with 8, 16 and 32 tiles.
 */
export const knnBytePolicy = {
  tiles: {
    /** A lane has 8 x 8 pairs. */
    packed: { queries: 64, refs: 64, threads: 64, tilesPerGroup: 8 },
    /** `bytes` counts those of workgroup memory. */
    matrix: { queries: 128, refs: 64, threads: 128, tilesPerGroup: 128, bytes: 24_000 },
  },
  enoughGroups: 4096,
  /**
   * For each pair that float32 lets pass, bytes let pass this many, for the length of windows: `looseness`,
   * or `sampled` times what a sample showed beyond 1, if that is more. Rows of a sample lie less densely than
   * all.
   */
  looseness: 2.5,
  sampled: 6,
  roomsForK: 8,
  /** This many rows that are bytes are all compared whole before there is a limit. */
  first: 512,
  /** A window of such rows has one of these numbers of references for each that was seen before. */
  growths: [1, 2, 4, 8, 16, 32, 64],
  /** On one H100 the passes of a window take so many nanoseconds at least. */
  windowNs: 25_000,
  /** They take so many more for each query. */
  queryNs: 30,
  /** They take so many more for each entry of a query's list. */
  entryNs: 0.13,
  /** They take so many more for each pair that passes. */
  pairNs: 0.42,
  compareThreads: 128,
  /** A workgroup that quantizes rows has this many lanes, and this many share a row. */
  threads: 256,
  rowLanes: 8,
} as const;
