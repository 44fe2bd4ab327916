/** Sums of pairs that CPU workers call. AssemblyScript, compiled into the module of workers alone. */
export { packQueries, packRefs, splitMeta } from "./pack";
export { sweep as sumTile } from "./tile";
