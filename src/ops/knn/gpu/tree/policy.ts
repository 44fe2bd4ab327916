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
  /** The dispatches of a search, at most 59. */
  passes: 12,
  /** The points that one query visits in a dispatch: a lane alone takes its time for them. */
  most: 2 ** 16,
  /** The points for each query up to which queries that follow each other visit much the same leaves. */
  packets: 32,
  /** The lanes of a workgroup of packets that are subgroups, and of one that is a packet itself. */
  packetThreads: 128,
  packetLanes: 32,
  /** The levels that a packet goes down at a time, at most 3. */
  width: 3,
  /** The points that a packet visits in the time of one that a lane visits alone. */
  packetVisits: 4,
  /**
   * The points that are put in the order of a k-d tree together, a power of two: what that needs fits the
   * least workgroup memory. With 256 searches of 2^21 points on an H200 take 8 % longer, without 30 %.
   */
  run: 512,
} as const;

/** The room for the high ends of a query: those nearest sizes are compiled. */
export function highsFor(k: number): number {
  return 2 ** Math.ceil(Math.log2(k));
}
