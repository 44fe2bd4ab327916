/**
 * The k-NN plan: plain data that says what is left to do, what was chosen and what happened, and the jobs
 * that are made of it. start.ts, jobs.ts and next.ts make them.
 *
 * A task is a set of queries with a capacity for their candidate lists. A job is one task as the engine runs
 * it: a segment for the device, then a refinement in float64. A task without capacity is evaluated wholly in
 * float64.
 */
import type { Tile, TileCaps } from "./tile.ts";
import type { ReferenceLayout } from "../../../distance/layout.ts";
import type { BackendInfo } from "../../../runtime/backend.ts";
import type { RowSet, Sources } from "../../../runtime/source.ts";
import type { Done, Job } from "../../../runtime/program.ts";
import type { KnnProblem } from "./problem.ts";
import type { KnnTreeParams } from "../contract/tree.ts";
import type { OrderedStep } from "./treeOrder.ts";
import type { Technique } from "../../../distance/forms/filter.ts";
import type { ProvedAxes } from "./sketchSteps.ts";

export interface SearchTask {
  readonly rows: RowSet;
  /** The entries per candidate list; undefined where every reference is evaluated in float64. */
  readonly capacity: number | undefined;
  /** True where all references are visited although there is a tree: a GPU gave up, or k is too large. */
  readonly whole?: true;
}

/**
 * Evaluates candidates in float64 and keeps the k best; `lists` undefined means all references. Where the
 * device evaluated them, `keys` names the buffer with their ranks; otherwise, for keep-all lists, `intervals`
 * names the one with their intervals.
 */
export interface RefineStep {
  readonly kind: "refine";
  readonly rows: RowSet;
  readonly lists:
    | {
        readonly heads: string;
        readonly candidates: string;
        readonly keys: string | undefined;
        readonly intervals: string | undefined;
        readonly capacity: number;
        /** The number of entries that lists began with and that are no rows. */
        readonly seeds: number;
      }
    | undefined;
}

/** Reads the k best straight from the float32 intervals, which are points. */
export interface CollectStep {
  readonly kind: "collect";
  readonly rows: RowSet;
  readonly lists: {
    readonly heads: string;
    readonly candidates: string;
    readonly intervals: string;
    readonly capacity: number;
  };
  /** The exponent in rank = value * 2^rankExponent. */
  readonly rankExponent: number;
}

export interface KnnJob extends Job {
  readonly task: SearchTask;
  readonly tile: Tile | undefined;
  readonly finish: RefineStep | CollectStep | OrderedStep;
  /** True for a job that answers nothing and is there to be timed. */
  readonly probe?: boolean;
}

/** The axes of sketches, and the functions that make their steps. */
export interface Sketch extends ProvedAxes {
  readonly steps: typeof import("./sketchSteps.ts");
}

/** The functions that plan a search along a tree. */
export type Trees = typeof import("./tree.ts");

/** A stage before float32, by bytes on a GPU or sketches on a CPU: what it needs, and makes of jobs. */
export interface Stage {
  /** The words of what it did so far, for `explain`; empty while it did nothing. */
  readonly says: string;
  /** The sources that are uploaded beside the rows of both sides. */
  readonly sources: Sources;
  /** The bytes that it takes, and takes more for each query. */
  readonly heldBytes: number;
  readonly queryBytes: number;
  /** Rewrites a job. */
  job(job: KnnJob): KnnJob;
  /** Returns the stage of the jobs that follow: another one where a job showed that this does not pay. */
  after(job: KnnJob, downloads: ReadonlyMap<string, ArrayBuffer>): Stage;
}

export interface KnnPlan {
  readonly problem: KnnProblem;
  readonly device: BackendInfo;
  readonly technique: Technique;
  /** The axes, on the CPU, and the tree, where they save work. */
  readonly sketch: Sketch | undefined;
  readonly tree: KnnTreeParams | undefined;
  /** True where the tree stays for other searches, and this one visits all references. */
  readonly keepsTree?: boolean;
  /** Defined where there is a tree. */
  readonly trees?: Trees | undefined;
  /** Defined where something rules out pairs before float32. */
  readonly stage?: Stage | undefined;
  /** The layout of the references; undefined without a filter. */
  readonly layout: ReferenceLayout | undefined;
  readonly caps: TileCaps;
  readonly budget: number;
  /** The work units per second: as last observed, or what the device assumes while nothing was. */
  readonly rate: number;
  readonly observed: boolean;
  readonly todo: readonly SearchTask[];
  /** The number of consecutive probes that saw no higher rate; see `probeJob`. */
  readonly stalls: number;
  /**
   * True where rows are not what `problem` assumes: nothing more is done, and what was found does not count.
   */
  readonly violated: boolean;
  readonly runLog: RunLog;
}

/** The log of a run, for `explain` and for deciding when to stop trying. */
export interface RunLog {
  readonly jobs: number;
  readonly dispatches: number;
  /** The number of (query, reference) pairs whose float32 interval was computed. */
  readonly pairs: number;
  readonly largestTile: Tile | undefined;
  /** The number of queries whose candidates did not fit and that ran again. */
  readonly repeated: number;
  /** This many queries were evaluated wholly in float64. */
  readonly exhaustive: number;
  /**
   * The numbers of queries whose heap a device replayed, and of those for which it tried in vain; see
   * replay.ts.
   */
  readonly replayed: number;
  readonly undecided: number;
  readonly halved: number;
  readonly lost: number;
  readonly lostInARow: number;
}

/** The log before the first job. */
export const noJobs: RunLog = {
  jobs: 0,
  dispatches: 0,
  pairs: 0,
  largestTile: undefined,
  repeated: 0,
  exhaustive: 0,
  replayed: 0,
  undecided: 0,
  halved: 0,
  lost: 0,
  lostInARow: 0,
};

/** Returns the log with one job more. */
export function withJob(
  runLog: RunLog,
  { dispatches, work: pairs }: Pick<Done, "dispatches" | "work">,
): RunLog {
  return {
    ...runLog,
    jobs: runLog.jobs + 1,
    dispatches: runLog.dispatches + dispatches,
    pairs: runLog.pairs + pairs,
    lostInARow: 0,
  };
}
