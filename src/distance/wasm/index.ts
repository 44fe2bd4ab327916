/**
 * CPU workers prepare rows and sum pairs by these functions, and the main thread looks at rows. They are
 * AssemblyScript, compiled into the module of workers, which the main thread also has to read by.
 */
export { packQueries, packRefs, splitMeta } from "./pack";
export { lookAt, prepareRows } from "./rows";
export { sweep as sumTile } from "./tile";
