/** The parameters that say how rows are compared, which every search among rows has. */
import { metricNames } from "../../distance/metric.ts";
import type { MetricName } from "../../distance/metric.ts";
import { choice, number, wholeNumber } from "../catalogue/parameters.ts";
import type { Report } from "../facts.ts";

export const measureParameters = {
  k: wholeNumber({ min: 1, default: 5, says: "neighbours per row" }),
  metric: choice(["auto", ...metricNames], {
    default: "auto",
    says: "distance; auto is euclidean, or mixed_euclidean with nominal columns",
  }),
  p: number({ above: 0, default: 2, says: "exponent of the metric minkowski" }),
};

interface Measure {
  readonly k: number;
  readonly metric: MetricName | "auto";
  readonly p: number;
}

/** The library's options for the same. */
export function measureOptions({ k, metric, p }: Measure) {
  return {
    nNeighbors: k,
    ...(metric === "auto" ? {} : { metric }),
    ...(metric === "minkowski" ? { p } : {}),
  };
}

export function checkMeasure({ metric, p }: Measure, report: Report): void {
  if (p === measureParameters.p.default || metric === "minkowski") return;
  report(
    `is the exponent of minkowski, but the metric is ${metric}; set metric to minkowski, or leave p out`,
    {
      parameter: "p",
    },
  );
}
