/**
 * Says for the summary how rows were compared, from the options of an estimator and the columns it was given.
 */
import { metricNameOf } from "../distance/metric.ts";
import type { KernelOptions, NeighborsOptions } from "../node.ts";
import type { Trained } from "./inputs/tables.ts";
import type { Column } from "../table/index.ts";

export interface MeasureFacts {
  readonly k: number;
  readonly metric: string;
  /** The exponent; only minkowski has one. */
  readonly p?: number;
  /** The kernel stands here as given; only rapidminer:KernelEuclideanDistance has one. */
  readonly kernel?: KernelOptions;
  readonly precision: "float64" | "float32";
  /** The rules of this program were followed exactly. */
  readonly compat?: string;
}

/** Returns the kind of each column that is compared, in the order of the columns. */
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
