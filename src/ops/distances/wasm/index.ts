/** The functions of distance histograms that CPU workers call. AssemblyScript, compiled for workers alone. */
export { evaluateDistances, packDistanceRows } from "./evaluate";
export { cosineDistances, negateDistances, rangeOfDistances, rootDistances } from "./finish";
export { countDistances, sumCounters } from "./count";
export { countValues, listOutside, rangeOfValues } from "./values";
