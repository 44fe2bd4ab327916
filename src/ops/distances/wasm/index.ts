/** CPU workers call these functions of distance histograms. AssemblyScript, compiled for workers alone. */
export { evaluateDistances, packDistanceRows } from "./evaluate";
export { cosineDistances, negateDistances, rangeOfDistances, rootDistances } from "./finish";
export { countDistances, sumCounters } from "./count";
export { countValues, listOutside, rangeOfValues } from "./values";
