/** These numbers tune point trees on the CPU. They change the speed, never a result. */
export const pointTuning = {
  /** A part with this many points is worth a task of its own. */
  taskPoints: 2 ** 14,
  /** A task has at least this many queries, where so many are left, and takes at most this many bytes. */
  taskQueries: 4096,
  taskBytes: 2 ** 26,
};
