/** The problem of one nearest row, as a search of these matrices states it. */
import { resolveMetric } from "../../../src/distance/anyMetric.ts";
import type { Matrix } from "../../../src/core/matrix.ts";
import type { Fitted, MetricOptions } from "../../../src/distance/metric.ts";
import { rangeOf } from "../../../src/distance/rows/range.ts";
import { chooseCentre } from "../../../src/distance/fit.ts";
import { fitPlan } from "../../../src/distance/fitPlan.ts";

export function problemOf(options: MetricOptions, fitted: Fitted, train: Matrix, queries: Matrix) {
  const metric = resolveMetric(options, fitted);
  const centre = chooseCentre(
    fitPlan("cpu", { ...train, float32: train.data instanceof Float32Array }, options),
    train,
    fitted,
  );
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
