/**
 * These are the tuned numbers of the kernels that several rooms share. They may change speed, never results.
 */

export const scanPolicy = {
  /**
   * A chained scan has so many workgroups, which take tile after tile. They are more than a device runs at a
   * time: an H200 runs 660.
   */
  chainedGroups: 1024,
  /** This many workgroups redo a scan that gave up; few, since they nearly always find nothing to do. */
  recomputeGroups: 512,
  /** A workgroup looks this often at another tile's state, a microsecond each, before it gives up. */
  patience: 65_536,
} as const;

export const sortPolicy = {
  threads: 256,
  /** A workgroup sorts so many entries, a power of two. */
  block: 1024,
} as const;
