/**
 * The plan of distance histograms on a GPU is plain data. It says what is asked, what was chosen, how far it
 * is and what happened. start.ts, cut.ts, steps.ts and program.ts make and use it.
 */
import type { PairPlan } from "../../../distance/fittedRows.ts";
import type { ReferenceLayout } from "../../../distance/layout.ts";
import type { BackendInfo } from "../../../runtime/backend.ts";
import type { Job } from "../../../runtime/program.ts";
import type { BufferSpec } from "../../../runtime/source.ts";
import type { Span } from "../../../core/math.ts";
import type { DistancesTuning } from "../options.ts";
import type { WidthRates } from "./widths.ts";

export interface DistancesAsk {
  /** With 0 bins only ranges are asked for. */
  readonly bins: number;
  /**
   * The distances of each query decide its bins, or those of all queries do. Or bins are known: all queries
   * share them, or each query has its own.
   */
  readonly range: "query" | "all" | "known" | "own";
  /**
   * Query 0 is itself this row of train, perhaps a negative number, and query 1 the row after it. Undefined
   * leaves out none.
   */
  readonly self: number | undefined;
}

export interface DistancesPlan extends PairPlan {
  readonly ask: DistancesAsk;
  readonly device: BackendInfo;
  /** For this reason the device cannot do it, and nothing is done. */
  readonly unsuited: string | undefined;
  /** This is true where the distance is the root of the rank; else it is the rank. */
  readonly root: boolean;
  /** No value is above it. */
  readonly ceiling: number;
  /** The references lie on the device in this way; undefined where it does nothing. */
  readonly layout: ReferenceLayout | undefined;
  readonly tuning: DistancesTuning;
  readonly budget: number;
  /**
   * The device does this many multiply-adds per second: as last observed, or as assumed while nothing was.
   */
  readonly rate: number;
  readonly observed: boolean;
  /** Jobs of some widths have such rates, by which values are kept or made twice. */
  readonly rates: WidthRates;
  /**
   * Float32, and whole numbers, left open these shares of the pairs, as last seen; 1 at first, in case there
   * are many ties.
   */
  readonly open: { readonly fixed: number; readonly float64: number };
  /** Values are made from rows of whole numbers; undefined where rows are float32. */
  readonly whole: WholeNumbers | undefined;
  /** This is the largest value of train, where a device has looked at what was only assumed. */
  readonly largestSeen: number | undefined;
  /** The ranges of this many queries are known, and the counts of this many. */
  readonly ranged: number;
  readonly counted: number;
  readonly runLog: DistancesRunLog;
}

/** Rows become whole numbers in this way. */
export interface WholeNumbers {
  /** No entry of a sample is negative, so that there is one more bit. */
  readonly unsigned: boolean;
}

/** This logs a run, for the explanation. */
export interface DistancesRunLog {
  readonly jobs: number;
  readonly dispatches: number;
  readonly passes: "once" | "kept" | "twice";
  /** `passes` was chosen for this reason. */
  readonly why: string;
  /**
   * Whole numbers decided the bin of this many pairs, float64 of this many; this many float64 distances were
   * evaluated.
   */
  readonly fixed: number;
  readonly settled: number;
  readonly evaluated: number;
  readonly halved: number;
  readonly lost: number;
  readonly lostInARow: number;
  /** The largest job had these buffers, beside those that stay. */
  readonly buffers: readonly BufferSpec[];
}

export interface DistancesJob extends Job {
  readonly queries: Span;
  /** Says whether the job leaves counts, not only ranges. */
  readonly counts: boolean;
  readonly passes: DistancesRunLog["passes"];
  readonly why: string;
}

/** Tells whether all queries have the same bins, which the host makes. */
export function sharesBins({ range }: DistancesAsk): boolean {
  return range === "all" || range === "known";
}

/** Tells whether pairs are settled in float64. */
export function isExact({ problem }: Pick<DistancesPlan, "problem">): boolean {
  return problem.precision === "float64";
}
