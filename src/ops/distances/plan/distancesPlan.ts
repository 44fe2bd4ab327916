/**
 * The plan of distance histograms on a GPU: plain data that says what is asked, what was chosen, how far it
 * is and what happened. start.ts, cut.ts, steps.ts and program.ts make and use it.
 */
import type { PairPlan } from "../../../distance/fittedRows.ts";
import type { ReferenceLayout } from "../../../distance/layout.ts";
import type { BackendInfo } from "../../../runtime/backend.ts";
import type { Job } from "../../../runtime/program.ts";
import type { Span } from "../../../core/math.ts";
import type { DistancesTuning } from "../options.ts";

export interface DistancesAsk {
  readonly bins: number;
  /** The distances that decide the bins: those of each query, those of all, or none of them. */
  readonly range: "query" | "all" | "known";
  /** The row of train that query 0 is itself, query 1 the one after it, perhaps negative; none counts. */
  readonly self: number | undefined;
}

export interface DistancesPlan extends PairPlan {
  readonly ask: DistancesAsk;
  readonly device: BackendInfo;
  /** The reason why the device cannot do it; then nothing is done. */
  readonly unsuited: string | undefined;
  /** The distance is the root of the rank, or the rank. */
  readonly root: boolean;
  /** No value is above it. */
  readonly ceiling: number;
  /** The layout of the references; undefined where the device does nothing. */
  readonly layout: ReferenceLayout | undefined;
  readonly tuning: DistancesTuning;
  readonly budget: number;
  /** Multiply-adds per second: as last observed, or what the device assumes while nothing was. */
  readonly rate: number;
  readonly observed: boolean;
  /**
   * The shares of the pairs that float32 leaves open and that whole numbers leave open, as last seen; 1 at
   * first, in case there are many ties.
   */
  readonly open: { readonly fixed: number; readonly float64: number };
  /** Values are made from rows of whole numbers; undefined where they are those of float32. */
  readonly whole: Whole | undefined;
  /** The largest value of train, where a device has looked at what was only assumed. */
  readonly largestSeen: number | undefined;
  /** The queries whose ranges, and those whose counts, are known. */
  readonly ranged: number;
  readonly counted: number;
  readonly runLog: RunLog;
}

/** The way in which rows become whole numbers. */
export interface Whole {
  /** No entry of a sample is negative, so that there is one more bit. */
  readonly unsigned: boolean;
}

/** The log of a run, for the explanation. */
export interface RunLog {
  readonly jobs: number;
  readonly dispatches: number;
  readonly passes: "once" | "kept" | "twice";
  /** The reason for that. */
  readonly why: string;
  /** The pairs whose bin whole numbers decided, or float64; and the float64 distances that were evaluated. */
  readonly fixed: number;
  readonly settled: number;
  readonly evaluated: number;
  readonly halved: number;
  readonly lost: number;
  readonly lostInARow: number;
}

export interface DistancesJob extends Job {
  readonly queries: Span;
  /** The job leaves counts, not only ranges. */
  readonly counts: boolean;
  readonly passes: RunLog["passes"];
  readonly why: string;
}

/** Tells whether pairs are settled in float64. */
export function isExact({ problem }: Pick<DistancesPlan, "problem">): boolean {
  return problem.precision === "float64";
}
