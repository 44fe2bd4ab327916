/** The measures that few searches ask for, as ../fit.ts loads them. */
export { checkRareQueries, fitRare } from "./fit.ts";
export { rareMetric } from "./metric.ts";
