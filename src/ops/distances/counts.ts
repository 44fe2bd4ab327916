/**
 * This makes bins from ranges, and results from what was counted by them. Which bins a caller asks for is
 * said in bins.ts. This is pure.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkWidth, edgesOf, type BinRequest } from "./bins.ts";
import { OUTSIDE } from "./contract.ts";
import { binCount, type Bins } from "./counting.ts";
import { mergeRange } from "./tally.ts";
import type { DistanceCounts } from "./options.ts";

/** Returns the bins of queries where the request alone decides them, else undefined. */
export function givenBins({ bins, edges, range }: BinRequest, queries: number): Bins | undefined {
  if (edges) return { edges };
  return range === "query" || range === "all" ? undefined : evenBins(bins, Float64Array.from(range), queries);
}

/**
 * Returns equal bins between the least and the largest distance.
 * @param ranges [queries][2], or the two numbers that hold for all queries
 * @throws InvalidInputError for a range whose edges overflow
 */
export function rangedBins(bins: number, ranges: Float64Array, queries: number): Bins {
  for (let at = 0; at < ranges.length; at += 2) checkWidth(ranges[at], ranges[at + 1], bins);
  return evenBins(bins, ranges, queries);
}

function evenBins(bins: number, ranges: Float64Array, queries: number): Bins {
  const step = ranges.length > 2 ? 2 : 0;
  const [min, max] = [0, 1].map((end) =>
    Float64Array.from({ length: queries }, (_, query) => ranges[query * step + end]),
  );
  return { bins, min, max };
}

/** Returns the range of all queries together, as two numbers. */
export function wholeRange(ranges: Float64Array): Float64Array {
  const whole = Float64Array.of(NaN, NaN);
  for (let at = 0; at < ranges.length; at += 2) mergeRange(whole, 0, ranges[at], ranges[at + 1]);
  return whole;
}

/** The distances of some queries were counted in these arrays. */
export interface CountArrays {
  readonly queries: number;
  /** They are the counts, row-major [queries][bins]. */
  readonly counts: Uint32Array;
  /** Each query has its numbers below, above and NaN, [queries][OUTSIDE]. */
  readonly outside: Uint32Array;
  /** Each query has its least and its largest finite distance, [queries][2]. */
  readonly ranges: Float64Array;
}

export function countsBy(bins: Bins, { queries, counts, outside, ranges }: CountArrays): DistanceCounts {
  return {
    ...{ counts, queries, bins: binCount(bins) },
    ...{ min: every(ranges, 2, 0), max: every(ranges, 2, 1) },
    ...{
      below: every(outside, OUTSIDE, 0),
      above: every(outside, OUTSIDE, 1),
      nan: every(outside, OUTSIDE, 2),
    },
    constant: Uint8Array.from({ length: queries }, (_, query) =>
      "min" in bins && bins.min[query] === bins.max[query] ? 1 : 0,
    ),
    edges: (query) => {
      if (Number.isInteger(query) && query >= 0 && query < queries) return edgesOf(bins, query);
      throw new InvalidInputError(`query ${query} is out of range; there are ${queries}, counted from 0`);
    },
  };
}

function every<T extends Float64Array | Uint32Array>(values: T, step: number, at: number): T {
  return values.filter((_, i) => i % step === at) as T;
}
