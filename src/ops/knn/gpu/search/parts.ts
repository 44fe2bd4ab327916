/** The variants of `knn.search` share this arithmetic of its metrics. */
import type { DistanceCore } from "../../contract/filter.ts";
import type { KnnSearchMetric } from "../../contract/search.ts";

export interface MetricForm {
  readonly core: DistanceCore;
  readonly weight: number;
  /** This is true where the bases are squared lengths; false where they are 0. */
  readonly norms: boolean;
}

export const metricForms: Record<KnnSearchMetric, MetricForm> = {
  euclidean: { core: "dot", weight: -2, norms: true },
  sqeuclidean: { core: "dot", weight: -2, norms: true },
  inner_product: { core: "dot", weight: -1, norms: false },
  manhattan: { core: "l1", weight: 0, norms: false },
  chebyshev: { core: "linf", weight: 0, norms: false },
};
