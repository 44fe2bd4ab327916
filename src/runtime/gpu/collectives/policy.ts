/**
 * These are the tuned numbers of the kernels that several rooms share. They may change speed, never results.
 */

export const scanPolicy = {
  /**
   * Workgroups of a chained scan, which take tile after tile: more than a device runs at a time. An H200 runs
   * 660.
   */
  chainedGroups: 1024,
  /** Workgroups that redo a scan which gave up; few, since they nearly always find nothing to do. */
  recomputeGroups: 512,
  /** Looks at another tile's state, about a microsecond each, before giving up. */
  patience: 65_536,
} as const;

export const sortPolicy = {
  threads: 256,
  /** Entries that a workgroup sorts; a power of two. */
  block: 1024,
} as const;
