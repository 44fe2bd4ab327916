/**
 * `distances.histogram` counts the float32 distances of rows in device memory by bins between each query's
 * own least and largest distance. It is for other WebGPU programs; plans, whose counts are exact, have no
 * step of it.
 */
import type { OptionNames } from "../../core/options.ts";

export const distanceHistogramMetrics = ["euclidean", "sqeuclidean", "manhattan", "chebyshev"] as const;

/**
 * `distances.histogram` counts the distances of every query to all references in equal bins from the least to
 * the largest of them: a distance is in the last bin whose edge min + i * (max - min) / bins, computed as
 * float64 does, is not above it. Distances are computed in float32, for euclidean and sqeuclidean as |q|^2 +
 * |r|^2 - 2 q.r, at least 0; a euclidean distance is the float64 root of its square.
 *
 * A row has `columns` entries, padded with zeros to a multiple of 4, the `stride`. All values must be finite,
 * and so must squared lengths.
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const params: DistanceHistogramParams = { metric: "manhattan", queries: 2, references: 9, columns: 5, bins: 4 };
 * (await primitives.distanceHistogram(params)).bytes.counts; // => 32
 */
export interface DistanceHistogramParams {
  /** It is euclidean by default. */
  readonly metric?: (typeof distanceHistogramMetrics)[number] | undefined;
  readonly queries: number;
  readonly references: number;
  readonly columns: number;
  /** There are this many bins, 1 to 65,536. */
  readonly bins: number;
  /**
   * A dispatch makes at most this many multiply-adds, unless 64 queries by 64 references need more. The
   * default of 1e10 takes a slow GPU a quarter of a second.
   */
  readonly workPerDispatch?: number | undefined;
}

export const distanceHistogramParamNames: OptionNames<DistanceHistogramParams> = {
  ...{ metric: 1, queries: 1, references: 1, columns: 1, bins: 1, workPerDispatch: 1 },
};

/**
 * `distances.histogram` binds these buffers:
 *
 * queries    f32 [queries][stride]      references f32 [references][stride]
 * counts     u32 [queries][bins]
 * ranges     f64 [queries][4]: the least distance, the largest one, their difference; the fourth is opaque
 * scratch    opaque
 * @example
 * const adapter = await navigator.gpu.requestAdapter();
 * const primitives = await GpuPrimitives.create(await adapter!.requestDevice());
 * const sizes = { queries: 2, references: 100, columns: 4, bins: 3 };
 * const count: GpuOperation<DistanceHistogramBinding> = await primitives.distanceHistogram(sizes);
 * const { queries, references, counts, ranges } = count.bytes;
 * [queries, references, counts, ranges]; // => [32, 1600, 24, 64]
 */
export type DistanceHistogramBinding = "queries" | "references" | "counts" | "ranges" | "scratch";
