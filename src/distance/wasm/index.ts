/**
 * CPU workers call these sums of pairs. They are AssemblyScript, compiled into the module of workers alone.
 */
export { packQueries, packRefs, splitMeta } from "./pack";
export { lookAt, prepareRows } from "./rows";
export { sweep as sumTile } from "./tile";
