/** The problem of one nearest row, as a search of these matrices states it. */
import { resolveMetric } from "../../../src/distance/metric.ts";
import type { Matrix } from "../../../src/core/matrix.ts";
import type { Fitted, MetricOptions } from "../../../src/distance/metric.ts";
import { centreOf, rangeOf } from "../../../src/distance/rows/prepare.ts";
import { wantsCentre } from "../../../src/distance/forms/technique.ts";

export function problemOf(options: MetricOptions, fitted: Fitted, train: Matrix, queries: Matrix) {
  const metric = resolveMetric(options, fitted);
  const centre = wantsCentre(options, fitted, train) ? centreOf(train) : undefined;
  return {
    trainRows: train.rows,
    queryRows: queries.rows,
    cols: train.cols,
    k: 1,
    metric: metric.name,
    p: metric.p,
    options,
    fitted,
    precision: "float64",
    centre,
    train: rangeOf(train, centre),
    queries: rangeOf(queries, centre),
  } as const;
}
