/** The contract of the primitive `knn.powerFilter`: `knn.filter` for kernels that are powers of an inner product. */
import type { KnnFilterParams } from "../../ops/knn/contract/filter.ts";

/** As `knn.filter` with the core dot, but for the value of a pair: base(q) + base(r) + weight * (sum q*r + shift)^times. */
export interface KnnPower {
  readonly shift: number;
  /** A whole number of factors, at least 1. */
  readonly times: number;
}

export interface KnnPowerFilterParams extends KnnFilterParams {
  readonly power: KnnPower;
}
