/** The parameters that say how rows are compared, which every search among rows has. */
import { columnsTaken, metricNames } from "../../distance/metric.ts";
import type { MetricName } from "../../distance/metric.ts";
import { choice, number, wholeNumber } from "../catalogue/parameters.ts";
import { quote } from "../document/json.ts";
import { featuresOf } from "../facts.ts";
import type { Report, TableFacts } from "../facts.ts";

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

/** Reports what is wrong with the parameters by themselves, and for the rows that are searched. */
export function checkMeasure({ metric, p }: Measure, report: Report, rows: TableFacts | undefined): void {
  if (p !== measureParameters.p.default && metric !== "minkowski")
    report(
      `is the exponent of minkowski, but the metric is ${metric}; set metric to minkowski, or leave p out`,
      { parameter: "p" },
    );
  const features = rows && featuresOf(rows);
  if (features === undefined || metric === "auto") return;
  const [numeric, nominal] = (["numeric", "nominal"] as const).map((kind) =>
    features.find((column) => column.kind === kind),
  );
  const takes = columnsTaken(metric);
  const unfit = takes === "numeric" ? nominal : takes === "nominal" ? numeric : undefined;
  if (unfit !== undefined)
    report(
      `is ${metric}, which compares ${takes} columns, but ${quote(unfit.name)} is ${unfit.kind}; ` +
        "choose another, such as mixed_euclidean, or leave the column out",
      { parameter: "metric" },
    );
  if (takes === "either" && numeric !== undefined && nominal !== undefined)
    report(
      `is ${metric}, which compares columns of one kind, but ${quote(numeric.name)} is numeric and ` +
        `${quote(nominal.name)} nominal; choose mixed_euclidean, or leave columns out`,
      { parameter: "metric" },
    );
}

/** Reports a k for which there are too few rows. */
export function checkRows(k: number, most: number | undefined, whose: string, report: Report): void {
  if (most === undefined || k <= most) return;
  report(`is ${k}, but there are at most ${most} ${whose}; give more rows or a smaller k`, {
    parameter: "k",
  });
}
