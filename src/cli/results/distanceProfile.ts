/**
 * This sums the histograms of all queries up to one, of so many bars as a picture has room for. Where each
 * query has bins of its own, a bar is a share of the way from its least to its largest distance. This is
 * pure.
 */
import type { DistanceHistogramResult } from "../../node.ts";

export interface Bar {
  /** They are the first and the last edge, as distances or, of own bins, as shares from 0 to 1. */
  readonly low: number;
  readonly high: number;
  /** So many distances of all queries are in it. */
  readonly count: number;
}

export interface DistanceProfile {
  readonly bars: readonly Bar[];
  /** Edges are distances, the same for all queries. */
  readonly isCommon: boolean;
  readonly queries: number;
  /** So many distances are in all bars together, and so many outside: below, above, NaN. */
  readonly counted: number;
  readonly outside: number;
}

/** @param isCommon whether all queries have the same bins */
export function profileOf(
  result: DistanceHistogramResult,
  isCommon: boolean,
  mostBars: number,
): DistanceProfile {
  const { counts, bins, queries, below, above, nan } = result;
  const totals = new Float64Array(bins);
  for (let at = 0; at < counts.length; at++) totals[at % bins] += counts[at];
  const edges = isCommon && queries > 0 ? result.edges(0) : undefined;
  const edgeAt = (bin: number): number => (edges ? edges[bin] : bin / bins);
  const size = Math.ceil(bins / mostBars);
  const bars = Array.from({ length: Math.ceil(bins / size) }, (_, bar) => {
    const [begin, end] = [bar * size, Math.min(bins, (bar + 1) * size)];
    const count = totals.subarray(begin, end).reduce((sum, each) => sum + each, 0);
    return { low: edgeAt(begin), high: edgeAt(end), count };
  });
  const sum = (numbers: Uint32Array): number => numbers.reduce((total, each) => total + each, 0);
  const counted = bars.reduce((total, { count }) => total + count, 0);
  return { bars, isCommon, queries, counted, outside: sum(below) + sum(above) + sum(nan) };
}

/** Says what the bars stand along. */
export function axisOf({ isCommon }: DistanceProfile): string {
  return isCommon ? "distance" : "from the least to the largest distance of each query";
}

/** Writes an edge: a distance, or a share in percent. */
export function edgeText({ isCommon }: DistanceProfile, edge: number): string {
  if (Number.isNaN(edge)) return "none";
  return isCommon ? String(Number(edge.toPrecision(4))) : `${Math.round(edge * 100)} %`;
}
