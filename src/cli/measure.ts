/** How rows were compared, for the summary: from the options of an estimator and the columns it was given. */
import { metricNameOf } from "../distance/metric.ts";
import type { KernelOptions, NeighborsOptions } from "../node.ts";
import type { Trained } from "./inputs/tables.ts";
import type { Column } from "../table/index.ts";

export interface MeasureFacts {
  readonly k: number;
  readonly metric: string;
  /** Only for minkowski. */
  readonly p?: number;
  /** rapidminer:KernelEuclideanDistance has one, here as given. */
  readonly kernel?: KernelOptions;
  readonly precision: "float64" | "float32";
  /** Whose rules were followed to the letter. */
  readonly compat?: string;
}

/** Each column compared has a kind, listed in the order of the columns. */
export function kindsOf({ train, features }: Trained): Column["kind"][] {
  return features.map((name) => train.column(name).kind);
}

export function measureFacts(options: NeighborsOptions, kinds: readonly Column["kind"][]): MeasureFacts {
  const { nNeighbors = 5, p = 2, kernel, precision = "float64", compat } = options;
  const metric = metricNameOf(options, kinds);
  return {
    k: nNeighbors,
    metric,
    ...(metric === "minkowski" ? { p } : {}),
    ...(kernel === undefined ? {} : { kernel }),
    precision,
    ...(compat === undefined ? {} : { compat }),
  };
}
