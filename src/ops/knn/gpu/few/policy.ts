/** The tuned numbers of `knn.fewFilter`. Tuning may change speed, never results. */

/**
 * The lanes of a workgroup that reads references, those that share a reference, and the queries and
 * references of a lane, as `knn.search` has them (gpu/policy.ts). There are only two shaders of them, so that
 * hardly a number of queries is the first of its kind.
 */
export const fewPolicy = {
  threads: 256,
  rowLanes: 8,
  one: { queries: 1, rows: 8 },
  more: { queries: 8, rows: 4 },
  /** The groups that are chosen in no order, and the lanes that a limit takes for each k. */
  chosen: 512,
  lanesForK: 4,
} as const;
