/** How rows were compared, for the summary: from the options of an estimator and the columns it was given. */
import { metricNameOf } from "../core/metric.ts";
import type { NeighborsOptions } from "../node.ts";
import type { Trained } from "./inputs.ts";

export interface MeasureFacts {
  readonly k: number;
  readonly metric: string;
  /** Only for minkowski. */
  readonly p?: number;
  readonly precision: "float64" | "float32";
  /** Whose rules were followed to the letter. */
  readonly compat?: string;
}

export function measureFacts(options: NeighborsOptions, { train, features }: Trained): MeasureFacts {
  const { nNeighbors = 5, p = 2, precision = "float64", compat } = options;
  const metric = metricNameOf(
    options,
    features.map((name) => train.column(name).kind),
  );
  return {
    k: nNeighbors,
    metric,
    ...(metric === "minkowski" ? { p } : {}),
    precision,
    ...(compat === undefined ? {} : { compat }),
  };
}
