/** The tuned numbers of point trees on the CPU. They change the speed, never a result. */
export const pointTuning = {
  /** The points of a part that is worth a task of its own. */
  taskPoints: 2 ** 14,
  /** The queries of a task at least, where so many are left, and its bytes at most. */
  taskQueries: 4096,
  taskBytes: 2 ** 26,
};
