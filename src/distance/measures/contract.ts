/**
 * These are the types that all measures share: a metric in its three steps, and what it must know of the
 * data. The definitions themselves are not here: they are the other files of measures/; nor is the choice by
 * options, which is metric.ts.
 */
import type { ColumnKind } from "../../core/matrix.ts";
import type { MetricName } from "./names.ts";
import type { Rank, RankRows } from "./rank.ts";

/** A metric must know these facts of the data, as plain data; `fitMetric` finds them. */
export interface Fitted {
  /** Each column has a kind; undefined means that all are numeric. */
  readonly kinds?: readonly ColumnKind[] | undefined;
  /** Mahalanobis takes this inverse of the covariance of train, row-major [cols][cols]. */
  readonly inverse?: Float64Array | undefined;
  /** It is the map for a filter of Mahalanobis, where there is one. */
  readonly whitening?: Whitening | undefined;
  /**
   * Some cell of train or of the queries is missing; where none is, the metric without gaps gives the same
   * bits sooner.
   */
  readonly gaps?: boolean | undefined;
}

/**
 * A distance in three steps: each row is made ready on its own, `rank` compares two ready rows, `distance`
 * turns a rank into the reported distance. Neighbours are ordered by `distance(rank)`, or by `rank` where
 * `ordersByRank`.
 */
export interface Metric {
  readonly name: MetricName;
  readonly p: number;
  /** Distances may be negative. */
  readonly signed: boolean;
  /**
   * Neighbours are ordered by rank, for Minkowski with an exponent other than 1, 2 and infinity: its root
   * would only blur the order.
   */
  readonly ordersByRank: boolean;
  /** Changes a float64 row in place; undefined when rows are compared as they are. */
  readonly ready: ((row: Float64Array) => void) | undefined;
  /**
   * Compares a training row, the first argument, with a query, the second: some measures are not symmetric.
   */
  readonly rank: Rank;
  /**
   * Does `rank` for many rows, where it has a faster way; only metrics that compare rows as they are have it.
   */
  readonly rankRows?: RankRows | undefined;
  readonly distance: (rank: number) => number;
}

/** This linear map turns Mahalanobis into Euclidean distances: see whitening.ts, which finds it. */
export interface Whitening {
  /** It is row-major [cols][cols], lower triangular. */
  readonly map: Float64Array;
  /**
   * These are the Frobenius norms of the map, of the inverse, and of the inverse minus W'W with the rounding
   * of that.
   */
  readonly norm: number;
  readonly inverseNorm: number;
  readonly drift: number;
}
