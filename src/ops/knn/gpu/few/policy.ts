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
  /** This many groups are chosen in no order, and a limit takes this many lanes for each k. */
  chosen: 512,
  lanesForK: 4,
} as const;
