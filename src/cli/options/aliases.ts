/** These are names that other tools have for values of options. */
import type { MetricName, TuneScaling } from "../../node.ts";

export const metricAliases: ReadonlyMap<string, MetricName> = new Map([
  ["l1", "manhattan"],
  ["cityblock", "manhattan"],
  ["l2", "euclidean"],
  ["linf", "chebyshev"],
]);

export const imputeAliases: ReadonlyMap<string, string> = new Map([
  ["mean", "average"],
  ["min", "minimum"],
  ["max", "maximum"],
]);

export const scalingAliases: ReadonlyMap<string, TuneScaling> = new Map([
  ["zscore", "z"],
  ["z-score", "z"],
  ["standard", "z"],
  ["minmax", "range"],
  ["iqr", "interquartile"],
]);
