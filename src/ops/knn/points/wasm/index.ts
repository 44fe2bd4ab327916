/** The functions of point trees that CPU workers call. AssemblyScript, for the module of workers alone. */
export { buildPoints, placeSplits, splitPoints, takePoints } from "./build";
export { bucketPoints, evaluatedPairs, placePoints, searchPoints } from "./search";
