/** `distanceHistogramStream` takes and gives these types; those of both calls are in ../options.ts. */
import type { OptionNames } from "../../../core/options.ts";
import { distanceHistogramNames, type DistanceCounts, type DistanceHistogramOptions } from "../options.ts";

/**
 * `distanceHistogramStream` takes these options.
 * @example
 * const points = { data: Float64Array.of(0, 1, 5), rows: 3, cols: 1 };
 * const options: DistanceHistogramStreamOptions = { bins: 2, queryRows: 2 };
 * const sizes: number[] = [];
 * for await (const { queries } of distanceHistogramStream(points, points, options)) sizes.push(queries);
 * sizes; // => [2, 1]
 */
export interface DistanceHistogramStreamOptions extends Omit<DistanceHistogramOptions, "out" | "precision"> {
  /** A chunk of train has this many rows; default what fits an eighth of `memory`. */
  readonly trainRows?: number | undefined;
  /** This many queries are counted together; default what fits an eighth of `memory`. */
  readonly queryRows?: number | undefined;
}

const { out: _out, precision: _precision, ...shared } = distanceHistogramNames;
export const distanceHistogramStreamNames: OptionNames<DistanceHistogramStreamOptions> = {
  ...shared,
  trainRows: 1,
  queryRows: 1,
};

/**
 * A chunk has the counts of some consecutive queries.
 * @example
 * const points = { data: Float64Array.of(0, 1, 5), rows: 3, cols: 1 };
 * const farthest: Record<number, number> = {};
 * const keep = ({ begin, queries, max }: DistanceHistogramChunk) => {
 *   for (let query = 0; query < queries; query++) farthest[begin + query] = max[query];
 * };
 * for await (const chunk of distanceHistogramStream(points, points, { bins: 2, queryRows: 2 })) keep(chunk);
 * farthest; // => { 0: 5, 1: 4, 2: 5 }
 */
export interface DistanceHistogramChunk extends DistanceCounts {
  /** The first of the queries has this number among all queries. */
  readonly begin: number;
}
