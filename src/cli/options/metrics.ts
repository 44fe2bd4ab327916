/** These are names that other tools have for metrics. */
import type { MetricName } from "../../node.ts";

export const metricAliases: ReadonlyMap<string, MetricName> = new Map([
  ["l1", "manhattan"],
  ["cityblock", "manhattan"],
  ["l2", "euclidean"],
  ["linf", "chebyshev"],
]);
