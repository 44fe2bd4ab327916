/**
 * This takes quantiles of a query's distances from its counts: the bin is exact, the number within it
 * interpolated.
 */
import { InvalidInputError } from "../../core/errors.ts";
import type { DistanceCounts } from "./options.ts";

/**
 * It is a quantile of a query's distances.
 * @example
 * const result = await distanceHistogram([[0], [1], [2], [4]], [[0]], { bins: 2 });
 * const { bin, low, high }: DistanceQuantile = distanceQuantile(result, 0, 0.5);
 * [bin, low, high]; // => [0, 0, 2]
 */
export interface DistanceQuantile {
  /** This bin holds it: -1 for one below the first edge, the number of bins for one above the last. */
  readonly bin: number;
  /** The bin lies between these edges; infinite on the outer side of those outside. */
  readonly low: number;
  readonly high: number;
  /**
   * It is the quantile, interpolated as if the distances were evenly spread within the bin; infinite outside.
   */
  readonly value: number;
}

/**
 * Returns the bin that holds a quantile of a query's distances, exactly: that of the distance of rank
 * ceil(share * count), from 1 on, among all that are not NaN. Its `value` is interpolated within the bin.
 *
 * @param share from 0 to 1
 * @throws InvalidInputError for another share or query, and for a query without a distance
 * @example
 * const result = await distanceHistogram([[0], [1], [2], [4]], [[0]], { bins: 4 });
 * distanceQuantile(result, 0, 0.5).bin; // => 1
 * distanceQuantile(result, 0, 0.5).value; // => 2
 */
export function distanceQuantile(
  result: Pick<DistanceCounts, "counts" | "bins" | "below" | "above" | "edges">,
  query: number,
  share: number,
): DistanceQuantile {
  if (!(share >= 0 && share <= 1))
    throw new InvalidInputError(`the share is ${share}; expected a number from 0 to 1`);
  const { counts, bins, below, above } = result;
  const edges = result.edges(query);
  const own = counts.subarray(query * bins, (query + 1) * bins);
  const total = own.reduce((sum, count) => sum + count, below[query] + above[query]);
  if (total === 0) throw new InvalidInputError(`query ${query} has no distance that is a number`);
  const rank = Math.max(1, Math.ceil(share * total));
  let before = below[query];
  if (rank <= before) return { bin: -1, low: -Infinity, high: edges[0], value: -Infinity };
  for (let bin = 0; bin < bins; bin++) {
    if (rank <= before + own[bin]) {
      const [low, high] = [edges[bin], edges[bin + 1]];
      const part = Math.min(1, Math.max(0, (share * total - before) / own[bin]));
      return { bin, low, high, value: low + part * (high - low) };
    }
    before += own[bin];
  }
  return { bin: bins, low: edges[bins], high: Infinity, value: Infinity };
}
