/** These are the tuned numbers of reduce's kernels. They may change speed, never results. */

export const reducePolicy = {
  threads: 256,
  /** Columns that a lane should have before a row gets more lanes. */
  columnsPerLane: 16,
} as const;
