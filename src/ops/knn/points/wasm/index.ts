/** CPU workers call these functions of point trees. AssemblyScript, for the module of workers alone. */
export { buildPoints, placeSplits, splitPoints, takePoints } from "./build";
export { searchNearest } from "./nearest";
export { bucketPoints } from "./order";
export { evaluatedPairs, placePoints, searchPoints } from "./search";
