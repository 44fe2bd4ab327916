/** These are the sizes of the tree's kernels. They change how long a search takes, never what it finds. */

export const knnTreePolicy = {
  threads: 256,
  /**
   * Crowded cells are divided this many times, an odd number: once for even clouds, twice more for clusters
   * of clusters. What is then still together is searched as it lies.
   */
  rounds: 3,
  /** A cell with more points than this is divided again. */
  crowded: 16,
  /** A workgroup joins the boxes of so many levels. */
  joined: 8,
  /** A workgroup finds the extents of this many points. */
  span: 4096,
  /** A workgroup that searches has this many lanes, and this many workgroups go on with what is left. */
  searchThreads: 64,
  restGroups: 1024,
  /** A search has this many dispatches, at most 59. */
  passes: 12,
  /** A search on buffers of other programs has this many, of which the last one ends it. */
  pointPasses: 58,
  /** One query visits this many points in a dispatch: a lane alone takes its time for them. */
  most: 2 ** 16,
  /**
   * With at most this many points for each query, queries that follow each other visit much the same leaves.
   */
  packets: 32,
  /**
   * A workgroup of packets that are subgroups has this many lanes, and one that is a packet itself this many.
   */
  packetThreads: 128,
  packetLanes: 32,
  /** Subgroups of fewer lanes, or of unknown size, are no packets: workgroups are. */
  leastLanes: 4,
  /** A packet goes down this many levels at a time, at most 3, or fewer where it has no lane for each box. */
  width: 3,
  /**
   * A packet may visit this many points for one that a lane alone may. With 16, so many of 2^21 queries are
   * left on an H100 that k = 30 takes 50 ms where it takes 22.
   */
  packetVisits: 64,
  /** All packets of a dispatch together may visit this many for one of a lane: then no more begin. */
  packetShare: 16,
  /**
   * The packets of up to this many queries may all run at once. None of them sees then what the others have
   * visited, so that each may visit only its share.
   */
  atOnce: 2 ** 18,
  /**
   * Packets keep lists of at least so many neighbours as keys. Of 2^21 queries k = 16 and 30 then take 5.6
   * and 8.4 ms on an H200 where they take 6.3 and 10.4, and k = 8 takes no less.
   */
  longLists: 9,
} as const;

/** Returns how many high ends of a query there is room for: shaders are compiled for powers of two. */
export function highsFor(k: number): number {
  return 2 ** Math.ceil(Math.log2(k));
}
