/** These numbers tune `knn.fewFilter`. Tuning may change speed, never results. */

/**
 * A workgroup that reads references has this many lanes, of which `rowLanes` share a reference; a lane takes
 * this many queries and references, as in `knn.search` (gpu/policy.ts). There are only two such shaders, so
 * that hardly a number of queries is the first of its kind.
 */
export const fewPolicy = {
  threads: 256,
  rowLanes: 8,
  one: { queries: 1, rows: 8 },
  more: { queries: 8, rows: 4 },
  /**
   * The lists of queries are made from so many spans, and so many of their groups, at a time. A lane computes
   * pairs of so many references at a time, more where lists are long; a short list has so much room in a
   * workgroup. A limit takes this many lanes, or spans, for each k.
   */
  chosenSpans: 256,
  chosenGroups: 1024,
  listRows: { short: 4, long: 8 },
  room: 512,
  lanesForK: 4,
  spansForK: 2,
} as const;
