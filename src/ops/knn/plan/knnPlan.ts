/**
 * The k-NN plan is plain data that says what is left to do, what was chosen and what happened. The jobs that
 * are made of it are here too. start.ts, jobs.ts and next.ts make them.
 *
 * A task is a set of queries with a capacity for their candidate lists. A job is one task as the engine runs
 * it: a segment for the device, then a refinement in float64. A task without capacity is evaluated wholly in
 * float64.
 */
import type { Tile, TileCaps, TileTask } from "./tile.ts";
import type { LargestSeen } from "../../../distance/assumed.ts";
import type { ReferenceLayout } from "../../../distance/layout.ts";
import type { BackendInfo, Segment } from "../../../runtime/backend.ts";
import type { BufferSpec, RowSet, Sources } from "../../../runtime/source.ts";
import type { Done, Job } from "../../../runtime/program.ts";
import type { KnnProblem } from "./problem.ts";
import type { KnnTreeParams } from "../contract/tree.ts";
import type { OrderedStep } from "./order.ts";
import type { Technique } from "../../../distance/forms/filter.ts";
import type { ProvedAxes } from "./sketchSteps.ts";

export interface SearchTask {
  readonly rows: RowSet;
  /**
   * A candidate list has room for this many entries; undefined where every reference is evaluated in float64.
   */
  readonly capacity: number | undefined;
  /**
   * This is true where all references are visited although there is a tree: a GPU gave up, or k is too large.
   */
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
        /** Lists began with this many entries that are no rows. */
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
  /** A rank is value * 2^rankExponent. */
  readonly rankExponent: number;
}

export interface KnnJob extends Job {
  readonly task: SearchTask;
  readonly tile: Tile | undefined;
  readonly finish: RefineStep | CollectStep | OrderedStep;
  /** This is true for a job that answers nothing and is there to be timed. */
  readonly probe?: boolean;
}

/** Sketches have these axes, and these functions make their steps. */
export interface Sketch extends ProvedAxes {
  readonly steps: typeof import("./sketchSteps.ts");
}

/** These functions plan a search along a tree. */
export type Trees = typeof import("./tree.ts");

/** These functions have a device put neighbours in order. */
export type Orders = typeof import("./order.ts");

/**
 * A stage comes before float32: bytes on a GPU, sketches on a CPU. It says what it needs, and rewrites jobs.
 */
export interface PrefilterStage {
  /** `explain` says what it did so far in these words; empty while it did nothing. */
  readonly says: string;
  /** A device has another rate for what it does, under this name; default it has not. */
  readonly rated?: "bytes" | "few" | "fewBytes";
  /** Says whether it took the place of one that left too much; default it did not. */
  readonly gaveUp?: boolean;
  /** These sources are uploaded beside the rows of both sides. */
  readonly sources: Sources;
  /** Makes such sources of the rows of a search, which a plan that is kept does not hold. */
  sourcesOf?(sides: Sources): Sources;
  /** It takes `heldBytes`, and `queryBytes` more for each query. */
  readonly heldBytes: number;
  readonly queryBytes: number;
  /** These buffers stay on the device instead of float32 rows; the segment fills them. */
  readonly resident?: { readonly buffers: readonly BufferSpec[]; readonly segment: Segment };
  /** A job has at most so many queries; default as many as fit. */
  readonly queries?: number;
  /** Jobs have so many times as many queries, where as many references go together then; default 1. */
  readonly longer?: number;
  /** Returns the tile, with one query less where it would leave one to the next job; default the tile. */
  trimmed?(tile: Tile, queries: number): Tile;
  /** Cuts the tile of a task in so many bytes, whose dispatches do so many multiply-adds at most. */
  tile?(task: TileTask, free: number, work: number): Tile;
  /** Rewrites a job of a plan. */
  job(job: KnnJob, plan: KnnPlan): KnnJob;
  /** Returns the stage of the jobs that follow: another one where a job showed that this does not pay. */
  after(job: KnnJob, downloads: ReadonlyMap<string, ArrayBuffer>): PrefilterStage;
  /**
   * Returns what else a plan has otherwise after a job, before which it was `before`, but for its rate;
   * default nothing.
   */
  revised?(before: KnnPlan, seen: Done, job: KnnJob): Partial<KnnPlan>;
}

export interface KnnPlan {
  readonly problem: KnnProblem;
  readonly device: BackendInfo;
  readonly technique: Technique;
  /** These axes, on the CPU, and this tree are used where they save work. */
  readonly sketch: Sketch | undefined;
  readonly tree: KnnTreeParams | undefined;
  /** Says whether the tree stays for other searches, and this one visits all references. */
  readonly keepsTree?: boolean;
  /** This is defined where there is a tree. */
  readonly trees?: Trees | undefined;
  /** This is defined where the device puts neighbours in order although there is no tree. */
  readonly orders?: Orders | undefined;
  /** This is defined where something rules out pairs before float32. */
  readonly stage?: PrefilterStage | undefined;
  /** References lie in this layout; undefined without a filter. */
  readonly layout: ReferenceLayout | undefined;
  readonly caps: TileCaps;
  readonly budget: number;
  /** The device does this many work units per second: as last observed, or as assumed while nothing was. */
  readonly rate: number;
  readonly observed: boolean;
  readonly todo: readonly SearchTask[];
  /** This many consecutive probes saw no higher rate; see `probeJob`. */
  readonly stalls: number;
  /**
   * A device saw rows that are not what `problem` assumes: nothing more is done, and what was found does not
   * count.
   */
  readonly violated?: LargestSeen;
  readonly runLog: RunLog;
}

/** This logs a run, for `explain` and for deciding when to stop trying. */
export interface RunLog {
  readonly jobs: number;
  readonly dispatches: number;
  /** This many (query, reference) pairs had their float32 interval computed. */
  readonly pairs: number;
  readonly largestTile: Tile | undefined;
  /** This many queries had candidates that did not fit, and ran again. */
  readonly repeated: number;
  /** This many queries were evaluated wholly in float64. */
  readonly exhaustive: number;
  /** A device replayed the heap of this many queries, and tried it in vain for this many; see replay.ts. */
  readonly replayed: number;
  readonly undecided: number;
  readonly halved: number;
  readonly lost: number;
  readonly lostInARow: number;
}

/** This is the log before the first job. */
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
