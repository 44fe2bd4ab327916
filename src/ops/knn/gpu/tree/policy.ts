/** These are the sizes of the tree's kernels. They change how long a search takes, never what it finds. */

export const knnTreePolicy = {
  threads: 256,
  /**
   * The times that crowded cells are divided, an odd number: once for even clouds, twice more for clusters of
   * clusters. What is then still together is searched as it lies.
   */
  rounds: 3,
  /** The points above which a cell is divided again. */
  crowded: 16,
  /** The points of which a workgroup finds the extents. */
  span: 4096,
  /** The lanes of a workgroup that search, and the workgroups that go on with what is left. */
  searchThreads: 64,
  restGroups: 1024,
  /** The dispatches of a search, at most 63. */
  passes: 12,
  /** The points that one query visits in a dispatch: a lane alone takes its time for them. */
  most: 2 ** 16,
} as const;

/** The room for the high ends of a query: those nearest sizes are compiled. */
export function highsFor(k: number): number {
  return 2 ** Math.ceil(Math.log2(k));
}
