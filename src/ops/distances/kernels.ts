/**
 * TypeScript sees the part of the WASM module that evaluates and counts distances through these types, with
 * the metrics it evaluates: those whose rank is one of four plain loops over columns. The functions are in
 * wasm/.
 */
import {
  absoluteDifferences,
  cosineDistance,
  largestDifference,
  negativeDot,
  squaredDifferences,
} from "../../distance/measures/differences.ts";
import type { Metric } from "../../distance/metric.ts";
import type { Rank } from "../../distance/measures/rank.ts";
import type { TileKernels } from "../../distance/tileKernels.ts";

/** The module has these functions. Addresses and pitches are in bytes, counts are not. */
export interface DistanceKernels extends TileKernels {
  packDistanceRows(rows: number, count: number, cols: number, packed: number): void;
  evaluateDistances(
    core: number,
    queries: number,
    tiles: number,
    rows: number,
    groups: number,
    cols: number,
    values: number,
    pitch: number,
  ): void;
  rootDistances(at: number, count: number): void;
  negateDistances(at: number, count: number): void;
  cosineDistances(at: number, count: number, squares: number, square: number): void;
  rangeOfDistances(at: number, count: number, range: number): void;
  countDistances(
    at: number,
    count: number,
    low: number,
    high: number,
    bins: number,
    scale: number,
    guard: number,
    counters: number,
    pitch: number,
    outside: number,
  ): void;
  sumCounters(counters: number, bins: number, pitch: number): void;
  rangeOfValues(at: number, count: number, range: number): void;
  listOutside(
    at: number,
    count: number,
    low: number,
    high: number,
    first: number,
    list: number,
    listed: number,
    room: number,
  ): number;
  countValues(
    at: number,
    count: number,
    root: boolean,
    low: number,
    scale: number,
    last: number,
    clear: number,
    whole: number,
    counters: number,
    pitch: number,
    list: number,
    room: number,
  ): number;
}

/** This many rows lie side by side once they are packed. */
export const TOGETHER = 4;

/** The module knows its sums by their places in this list. */
export const SUMS = ["l2", "l1", "linf", "dot"] as const;

export interface Core {
  readonly sum: (typeof SUMS)[number];
  /** The rank comes of a sum by this last step. */
  readonly last: "none" | "negate" | "cosine";
}

const cores = new Map<Rank, Core>([
  [squaredDifferences, { sum: "l2", last: "none" }],
  [absoluteDifferences, { sum: "l1", last: "none" }],
  [largestDifference, { sum: "linf", last: "none" }],
  [negativeDot, { sum: "dot", last: "negate" }],
  [cosineDistance, { sum: "dot", last: "cosine" }],
]);

/** Returns how the module computes the rank of a metric, to the bit; undefined where it cannot. */
export function coreOf({ rank }: Metric): Core | undefined {
  return cores.get(rank);
}
