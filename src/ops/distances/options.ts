/** `distanceHistogram` takes and returns these types; those of its stream are in stream/options.ts. */
import type { OptionNames } from "../../core/options.ts";
import { metricOptionNames, type MetricOptions } from "../../distance/measures/metricOptions.ts";
import type { Precision } from "../../distance/problem.ts";
import { deviceNames, type Device, type DeviceOptions } from "../../runtime/device.ts";
import { executeNames, type ExecuteOptions } from "../../runtime/execute.ts";
import type { Explanation } from "../../runtime/explain.ts";
import type { BinOptions } from "./bins.ts";

/**
 * `distanceHistogram` takes these options.
 * @example
 * const options: DistanceHistogramOptions = { edges: [0, 2, 4], metric: "manhattan", excludeSelf: true };
 * const points = [[0], [1], [4]];
 * const { counts } = await distanceHistogram(points, points, options);
 * counts; // => [1, 1, 1, 1, 0, 2]
 */
export interface DistanceHistogramOptions extends MetricOptions, BinOptions, ExecuteOptions, DeviceOptions {
  /** There are this many bins of equal width, 1 to 65,536; give either this or `edges`. */
  readonly bins?: number | undefined;
  /** All queries have these edges, one more than there are bins, ascending and all different. */
  readonly edges?: ArrayLike<number> | undefined;
  /**
   * Equal bins lie between these two edges: the least and the largest finite distance of each query ("query",
   * the default) or of all of them ("all"), or two numbers.
   */
  readonly range?: "query" | "all" | readonly [min: number, max: number] | undefined;
  /**
   * True says that the queries are the training rows in their order, and no row's distance to itself counts;
   * default false.
   */
  readonly excludeSelf?: boolean | undefined;
  /**
   * "float64" (default) gives the counts of the metric's float64 definition; "float32" takes the distances as
   * a GPU computes them in float32, where it counts at all. The CPU always evaluates in float64.
   */
  readonly precision?: Precision | undefined;
  /** The counts are written to this array, at least queries x bins long; default a new one. */
  readonly out?: Uint32Array | undefined;
  /**
   * This device is used and stays open. By default, calls without any device options share one; a call with
   * such options opens a device of its own and closes it again.
   */
  readonly device?: Device | undefined;
  /**
   * These sizes are for tests and experiments; the result does not depend on them.
   * @internal
   */
  readonly tuning?: DistancesTuning | undefined;
}

/**
 * A call holds this array while it counts.
 * @example
 * const { explanation } = await distanceHistogram([[0], [1]], [[0]], { bins: 2, backend: "cpu" });
 * const buffers: readonly DistanceBuffer[] = explanation.buffers;
 * buffers.every(({ name, bytes }) => name !== "" && bytes >= 0); // => true
 */
export interface DistanceBuffer {
  readonly name: string;
  readonly bytes: number;
}

/** These are upper limits on what is worked on at a time, and choices. */
export interface DistancesTuning {
  /** A slab has at most this many queries, and a task this many queries and rows. */
  readonly slab?: number | undefined;
  readonly queries?: number | undefined;
  readonly rows?: number | undefined;
  /** The distances that are kept from their ranges to their counts take at most this many bytes. */
  readonly kept?: number | undefined;
  /** A buffer on a GPU has at most this many rows, and all buffers this many bytes. */
  readonly chunk?: number | undefined;
  readonly budget?: number | undefined;
  /** At most this many pairs of a query wait for whole numbers at a time, on a GPU. */
  readonly room?: number | undefined;
  /** A GPU makes exact counts of rows of whole numbers, or of float32; default what is faster. */
  readonly whole?: boolean | undefined;
  /** The main thread does all where there are fewer steps of columns; no upper limit. */
  readonly fewest?: number | undefined;
}

export const distanceHistogramNames: OptionNames<DistanceHistogramOptions> = {
  bins: 1,
  edges: 1,
  range: 1,
  ...metricOptionNames,
  excludeSelf: 1,
  precision: 1,
  out: 1,
  ...executeNames,
  ...deviceNames,
  device: 1,
  tuning: 0,
};

/**
 * The distances of some queries are counted by bins. Each query counts every row of train once: in a bin,
 * `below`, `above` or `nan`.
 * @example
 * const result: DistanceCounts = await distanceHistogram([[0], [1], [4]], [[0]], { bins: 2 });
 * const { counts, min, max } = result;
 * counts; // => [2, 1]
 * [min[0], max[0]]; // => [0, 4]
 * result.edges(0); // => [0, 2, 4]
 */
export interface DistanceCounts {
  /** They are the counts, row-major [queries][bins]. */
  readonly counts: Uint32Array;
  readonly queries: number;
  readonly bins: number;
  /** Each query has its least and its largest finite distance; NaN where there is none. */
  readonly min: Float64Array;
  readonly max: Float64Array;
  /**
   * Each query has this many distances below the first edge, above the last one, and NaN. Infinite ones are
   * in no bin.
   */
  readonly below: Uint32Array;
  readonly above: Uint32Array;
  readonly nan: Uint32Array;
  /**
   * It is 1 for a query whose first and last edges are equal, so that all distances in range are in bin 0;
   * else 0.
   */
  readonly constant: Uint8Array;
  /**
   * Returns the edges of a query's bins, [bins + 1]; NaN where distances decide the range and none is finite.
   */
  edges(query: number): Float64Array;
}

/**
 * `distanceHistogram` returns this: counts, and how they came about.
 * @example
 * const result: DistanceHistogramResult = await distanceHistogram([[0], [1]], [[0]], { bins: 2 });
 * result.explanation.operator; // => "distances"
 */
export interface DistanceHistogramResult extends DistanceCounts {
  readonly explanation: DistanceHistogramExplanation;
}

/**
 * It tells how distances were counted.
 * @example
 * const { explanation } = await distanceHistogram([[0], [1]], [[0]], { bins: 2, backend: "cpu" });
 * const { settled }: DistanceHistogramExplanation = explanation;
 * settled.float32 + settled.fixed + settled.float64; // => 2
 */
export interface DistanceHistogramExplanation extends Explanation {
  readonly operator: "distances";
  /** Each step took its time, on a CPU that of all threads together; on a GPU each kernel did. */
  readonly stages: Explanation["stages"];
  /**
   * This many pairs had their bin decided by a float32 interval, by whole numbers of 24 bits, and by float64.
   */
  readonly settled: { readonly float32: number; readonly fixed: number; readonly float64: number };
  /** This many float64 distances were evaluated, some perhaps twice. */
  readonly evaluated: number;
  /**
   * Distances were counted in one pass, or in a second one after their range was found, for which they were
   * kept or computed twice.
   */
  readonly passes: "once" | "kept" | "twice";
  /**
   * At most these arrays were held at a time, with the bytes of each. On a GPU they are those that stay and
   * those of the largest job; two jobs may have theirs at a time.
   */
  readonly buffers: readonly DistanceBuffer[];
}
