/**
 * The k-NN plan: plain data that says what is left to do, and pure functions that turn it into jobs and take what was
 * observed into account. Nothing here touches a device, a promise or a clock, so a run can be replayed from its
 * observations.
 *
 * Words. A task is a set of queries with a capacity for their candidate lists. A job is one task as the engine runs it: a
 * segment for the device, then a refinement in float64. A task without capacity is evaluated wholly in float64.
 */
import type { BackendInfo, RowSet } from "../../../runtime/backend.ts";
import { rowCount, sliceRows } from "../../../runtime/backend.ts";
import { sketchBound } from "../../../distance/bound/bound.ts";
import { DeviceLostError, OutOfMemoryError } from "../../../core/errors.ts";
import { clamp } from "../../../core/math.ts";
import { strideOf } from "../../../distance/rows/prepare.ts";
import { knnHistoryRows, type KnnTreeParams } from "../../../runtime/primitives.ts";
import { countsOf, enlarged, overflowed } from "./lists.ts";
import { filterJob, residentBuffers, setupSegment } from "./steps.ts";
import { isViolated, preparationBytes } from "../../../distance/prepareSteps.ts";
import type { KnnProblem } from "../../../distance/problem.ts";
import type { Done, Job, Observation, Program } from "../../../runtime/program.ts";
import { chooseTechnique } from "../../../distance/forms/technique.ts";
import type { Filter, MixedPlanning, Technique } from "../../../distance/forms/technique.ts";
import {
  BOUND_BYTES,
  chooseTile,
  larger,
  layoutBytes,
  layoutReferences,
  leastBytes,
  tooSmall,
} from "./tile.ts";
import type { ReferenceLayout, Tile, TileCaps } from "./tile.ts";
import { chooseTree, chooseTreeTile, treeTotalBytes } from "./tree.ts";
import type { Sketch, SketchAxes } from "./sketch.ts";
import { updatedRate } from "../../../runtime/rate.ts";
import { keyBytes } from "./refineSteps.ts";
import { isSeeded } from "./seedSteps.ts";
import { sketchRowBytes } from "./sketchSteps.ts";

export interface FilterTask {
  readonly rows: RowSet;
  /** Entries per candidate list; undefined: every reference is evaluated in float64. */
  readonly capacity: number | undefined;
}

/**
 * Evaluate candidates in float64 and keep the k best; `lists` undefined means all references. Where the device evaluated them,
 * `keys` names the buffer with their ranks; otherwise, where histories are kept, `intervals` that with their intervals.
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
        /** Entries that lists began with and that are no rows. */
        readonly seeds: number;
      }
    | undefined;
}

/** Read the k best straight from the float32 intervals, which are points. */
export interface CollectStep {
  readonly kind: "collect";
  readonly rows: RowSet;
  readonly lists: {
    readonly heads: string;
    readonly candidates: string;
    readonly intervals: string;
    readonly capacity: number;
  };
  /** rank = value * 2^rankExponent */
  readonly rankExponent: number;
}

export interface KnnJob extends Job {
  readonly task: FilterTask;
  readonly tile: Tile | undefined;
  readonly finish: RefineStep | CollectStep;
  /** Answers nothing: it is there to be timed. */
  readonly probe?: boolean;
}

export interface KnnPlan {
  readonly problem: KnnProblem;
  readonly device: BackendInfo;
  readonly technique: Technique;
  /** Both on the CPU, where they save work. */
  readonly sketch: Sketch | undefined;
  readonly tree: KnnTreeParams | undefined;
  /** Undefined without a filter. */
  readonly layout: ReferenceLayout | undefined;
  readonly caps: TileCaps;
  readonly budget: number;
  /** Work units per second: as last observed, or what the device assumes while nothing was. */
  readonly rate: number;
  readonly observed: boolean;
  readonly todo: readonly FilterTask[];
  /** Probes in a row that saw no higher rate; see `probeJob`. */
  readonly stalls: number;
  /** Rows are not what `problem` says: nothing more is done, and what was found does not count. */
  readonly refuted: boolean;
  readonly history: History;
}

/** What happened, for `explain` and for giving up. */
export interface History {
  readonly jobs: number;
  readonly dispatches: number;
  /** (query, reference) pairs whose float32 interval was computed. */
  readonly pairs: number;
  readonly largestTile: Tile | undefined;
  /** Queries whose candidates did not fit and that ran again. */
  readonly repeated: number;
  /** Queries evaluated wholly in float64. */
  readonly exhaustive: number;
  /** Queries whose heap a device replayed, and those for which it tried in vain; see replay.ts. */
  readonly replayed: number;
  readonly undecided: number;
  readonly halved: number;
  readonly lost: number;
  readonly lostInARow: number;
}

const FIRST_SLACK = 64;
const FIRST_TREE_SLACK = 16;
const MAX_LOSSES_IN_A_ROW = 3;
const EXACT_QUERIES = 256;
/** Of the work of a dispatch while no rate was observed. */
const PROBE_SHARE = 1 / 8;
/** What the first job should take at the assumed rate, and the queries it has whatever that says. */
const PROBE_SECONDS = 0.05;
const PROBE_QUERIES = 64;
const PROBE_REFERENCES = 4096;
const SETTLED = 2;
/** For a device whose rate does not settle: its first job is a small one then. */
const MOST_PROBES = 16;
/** Searches of less at the assumed rate are over before probes would pay. */
const WORTH_PROBING_SECONDS = 2;

/**
 * @param rate as an earlier plan for the same device and the like rows observed it
 * @param mixing for rows with codes or gaps
 */
export function planKnn(
  problem: KnnProblem,
  device: BackendInfo,
  caps: TileCaps = {},
  rate?: number,
  mixing?: MixedPlanning,
): KnnPlan {
  const technique = chooseTechnique(problem, device.kind, mixing);
  const all = { begin: 0, end: problem.queryRows };
  const budget = Math.min(device.budgetBytes, caps.budget ?? Infinity);
  const layout = layoutOf(problem, technique, undefined, device, budget, caps);
  const tree = problem.history ? undefined : treeFor(problem, technique, layout, device, caps);
  const capacity = technique.form === "none" ? undefined : firstCapacity(problem, technique, tree);
  return {
    problem,
    device,
    technique,
    sketch: undefined,
    tree,
    layout,
    caps,
    budget,
    rate: rate ?? device.initialRate,
    observed: rate !== undefined,
    todo: [{ rows: all, capacity }],
    stalls: 0,
    refuted: false,
    history: {
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
    },
  };
}

/** Where the references lie in one buffer and there is room for a tree beside them. */
function treeFor(
  problem: KnnProblem,
  technique: Technique,
  layout: ReferenceLayout | undefined,
  device: BackendInfo,
  caps: TileCaps,
): KnnTreeParams | undefined {
  if (technique.form === "none" || !layout?.resident || layout.chunks > 1) return undefined;
  const tree = chooseTree(problem, technique, device, caps.tree);
  const room = 0.8 * device.budgetBytes - layoutBytes(layout, problem.trainRows, strideOf(technique.dims));
  return tree && treeTotalBytes(tree, device.threads) <= room ? tree : undefined;
}

/** The plan with sketches, unless there is no room to keep them. */
export function withSketch(plan: KnnPlan, chosen: SketchAxes | undefined): KnnPlan {
  const { problem, technique, device, budget, caps } = plan;
  if (!chosen || technique.form === "none") return plan;
  const { axes, basis, defect } = chosen;
  const bound = sketchBound(technique.bounding, axes, basis.length / axes, defect);
  if (!bound) return plan;
  const sketch = { ...chosen, bound };
  const layout = layoutOf(problem, technique, sketch, device, budget, caps);
  return layout?.resident ? { ...plan, sketch, layout } : plan;
}

/** How the engine walks a k-NN plan. */
export const knnProgram: Program<KnnPlan, KnnJob> = {
  residentKey,
  residentBuffers,
  setupSegment,
  nextJob,
  next,
  refuted: (plan, output) => (isViolated(plan.problem, output) ? { ...plan, refuted: true } : undefined),
  unitsLeft: ({ todo }) => todo.reduce((sum, { rows }) => sum + rowCount(rows), 0),
};

/** Equal for plans whose resident buffers hold the same bytes: the same cut, and the same preparation of train. */
function residentKey({ layout, technique, sketch, tree }: KnnPlan): string {
  if (!layout?.resident || technique.form === "none") return "none";
  const { centre: _, mixed, ...how } = technique.train; // the centre and the order of columns are train's own
  const codes = mixed && { ...mixed, columns: undefined, kinds: undefined };
  return JSON.stringify([layout.chunkRows, how, codes, sketch && [sketch.axes, sketch.bound], tree?.levels]);
}

/** The next job, or undefined when all is done. */
export function nextJob(plan: KnnPlan): KnnJob | undefined {
  const task = plan.todo[0];
  if (!task || plan.refuted) return undefined;
  if (plan.technique.form === "none" || task.capacity === undefined) return exactJob(task);
  const { rows, capacity } = task;
  const probe = probeJob(plan, plan.technique, capacity);
  if (probe) return probe;
  const tile = tileFor(plan, rowCount(rows), capacity);
  if (!tile && capacity > firstCapacity(plan.problem, plan.technique, plan.tree)) return exactJob(task);
  if (!tile) throw tooSmall(plan.device, plan.budget, leastBytesOf(plan, capacity));
  return filterJob(plan, plan.technique, { rows: sliceRows(rows, 0, tile.queries), capacity }, tile);
}

/** The plan after `job` ended as observed. */
export function next(plan: KnnPlan, job: KnnJob, seen: Observation): KnnPlan {
  switch (seen.kind) {
    case "done":
      return afterDone(plan, job, seen);
    case "outOfMemory":
      return afterOutOfMemory(plan, seen.error);
    case "deviceLost":
      return afterLoss(plan, seen.error);
  }
}

function afterDone(plan: KnnPlan, job: KnnJob, seen: Done): KnnPlan {
  const { ms, compiled = false, downloads } = seen;
  const history = withJob(plan.history, seen);
  const count = rowCount(job.task.rows);
  const counts = countsOf(downloads.get("heads"));
  const repeat = overflowed(job.task, counts);
  const { problem, technique, tree } = plan;
  const isFirstTry =
    technique.form !== "none" && job.task.capacity === firstCapacity(problem, technique, tree);
  if (job.probe) return afterProbe(plan, job, seen);
  const todo = [
    ...withoutFirst(plan.todo, count),
    ...(repeat ? [enlarged(problem, job.task, repeat, counts)] : []),
  ];
  return {
    ...plan,
    todo,
    rate: job.work > 0 && ms > 1 ? updatedRate(plan.rate, job, seen) : plan.rate,
    observed: plan.observed || (job.work > 0 && !compiled),
    history: {
      ...history,
      largestTile: larger(history.largestTile, job.tile),
      repeated: history.repeated + (isFirstTry ? (repeat?.length ?? 0) : 0),
      exhaustive: history.exhaustive + (job.segment ? 0 : count),
    },
  };
}

/**
 * The rate is settled when two probes in a row saw none that is much higher, or when a probe was as large as the jobs will be. One
 * that waited for shaders to be compiled is made again.
 */
function afterProbe(plan: KnnPlan, job: KnnJob, seen: Done): KnnPlan {
  const { layout, problem, rate } = plan;
  const { ms, compiled = false } = seen;
  const history = withJob(plan.history, seen);
  if (compiled) return { ...plan, history };
  const measured = job.work / (Math.max(ms, 1) / 1000);
  const faster = measured > 2 * rate;
  const stalls = faster ? 0 : plan.stalls + 1;
  const most = problem.queryRows * (layout?.chunkRows ?? 0) * planStride(plan);
  const largest = faster && job.work >= most / 2;
  return {
    ...plan,
    rate: largest ? measured : updatedRate(rate, job, seen),
    observed: largest || stalls === SETTLED,
    stalls,
    history,
  };
}

function withJob(history: History, { dispatches, pairs }: Done): History {
  return {
    ...history,
    jobs: history.jobs + 1,
    dispatches: history.dispatches + dispatches,
    pairs: history.pairs + pairs,
    lostInARow: 0,
  };
}

/** Half the memory from now on; what was already answered stays answered. */
function afterOutOfMemory(plan: KnnPlan, error: OutOfMemoryError): KnnPlan {
  const budget = plan.budget / 2;
  const { problem, technique, device, caps, history } = plan;
  try {
    const layout = layoutOf(problem, technique, undefined, device, budget, caps);
    const halved: KnnPlan = {
      ...plan,
      budget,
      layout,
      sketch: undefined,
      tree: undefined,
      history: { ...history, halved: history.halved + 1 },
    };
    nextJob(halved);
    return halved;
  } catch (cause) {
    throw new OutOfMemoryError(
      `${error.message}; tiles were halved ${history.halved} times without help. Close other programs or use a ` +
        `device with more memory`,
      error.bytes,
      cause,
    );
  }
}

function afterLoss(plan: KnnPlan, error: DeviceLostError): KnnPlan {
  const { history } = plan;
  if (history.lostInARow >= MAX_LOSSES_IN_A_ROW) {
    throw new DeviceLostError(
      `${error.message}; the device was opened again ${history.lostInARow} times and lost each time. Try --backend cpu`,
      error,
    );
  }
  return { ...plan, history: { ...history, lost: history.lost + 1, lostInARow: history.lostInARow + 1 } };
}

function layoutOf(
  problem: KnnProblem,
  technique: Technique,
  sketch: Sketch | undefined,
  device: BackendInfo,
  budget: number,
  caps: TileCaps,
): ReferenceLayout | undefined {
  if (technique.form === "none") return undefined;
  return layoutReferences(
    problem.trainRows,
    strideOf(technique.dims),
    sketchRowBytes(sketch),
    device,
    budget,
    caps,
  );
}

function firstCapacity(problem: KnnProblem, technique: Filter, tree: KnnTreeParams | undefined): number {
  const { k, trainRows, precision } = problem;
  const { points } = technique;
  if (problem.history) return Math.min(trainRows, FIRST_SLACK + historyLength(problem));
  if (precision === "float32" || points) return k;
  // Seeds stay until k rows are nearer.
  const seeds = isSeeded({ problem, technique, tree }) ? k : 0;
  return seeds + Math.min(trainRows, k + Math.max(tree ? FIRST_TREE_SLACK : FIRST_SLACK, Math.ceil(k / 2)));
}

/** Twice what rows in random order leave on average; see `KnnFilterParams.history`. */
function historyLength({ k, trainRows }: KnnProblem): number {
  const first = knnHistoryRows(k);
  return first + Math.ceil(2 * k * (1 + Math.log2(Math.max(1, trainRows / first))));
}

function tileFor(plan: KnnPlan, queries: number, capacity: number): Tile | undefined {
  const { layout, problem, technique, device, rate, observed, caps, sketch, tree } = plan;
  if (!layout || technique.form === "none") return undefined;
  const stride = strideOf(technique.dims);
  if (tree) {
    const free =
      plan.budget - layoutBytes(layout, problem.trainRows, stride) - treeTotalBytes(tree, device.threads);
    return chooseTreeTile({ queries, capacity }, tree, free, device, caps);
  }
  const sketchBytes = sketchRowBytes(sketch);
  const held = layoutBytes(layout, problem.trainRows, stride, sketchBytes);
  const beside = (sketch?.basis.byteLength ?? 0) + preparationBytes(problem, technique);
  const free = plan.budget - held - beside;
  const together = observed ? queries : probeQueries(plan, queries);
  const { k, history } = problem;
  const extraBytes = sketchBytes + keyBytes(plan, capacity);
  const task = { queries: together, capacity, k, history, extraBytes, seeded: isSeeded(plan) };
  const share = observed ? 1 : PROBE_SHARE;
  return chooseTile(task, layout, stride, free, device, rate * share, caps);
}

/** The first job of a GPU nobody has timed is a small one, in small dispatches: the device may be far slower than assumed. */
function probeQueries(plan: KnnPlan, queries: number): number {
  const { problem, device, rate } = plan;
  if (device.kind === "cpu") return queries;
  const inTime = (rate * PROBE_SECONDS) / (problem.trainRows * planStride(plan));
  return Math.min(queries, Math.max(PROBE_QUERIES, Math.floor(inTime)));
}

/** Streamed references are visited once for all queries, so that the first job cannot be a small one: some are timed before. */
function probeJob(plan: KnnPlan, filter: Filter, capacity: number): KnnJob | undefined {
  const { problem, layout, device, rate, observed, history } = plan;
  const stride = strideOf(filter.dims);
  if (observed || device.kind === "cpu" || !layout || layout.resident) return undefined;
  if (history.jobs >= MOST_PROBES) return undefined;
  // At the rate assumed at first: probes that have begun go on until it is settled.
  if (problem.queryRows * problem.trainRows * stride < device.initialRate * WORTH_PROBING_SECONDS)
    return undefined;
  const pairs = (rate * PROBE_SECONDS) / stride;
  const references = Math.floor(
    clamp(pairs / problem.queryRows, Math.min(PROBE_REFERENCES, layout.chunkRows), layout.chunkRows),
  );
  const queries = Math.floor(clamp(pairs / references, 1, problem.queryRows));
  const some: KnnPlan = {
    ...plan,
    observed: true,
    problem: { ...problem, trainRows: references },
    layout: { resident: false, chunkRows: references, chunks: 1 },
  };
  const tile = tileFor(some, queries, capacity);
  if (!tile) return undefined;
  const { segment, ...job } = filterJob(
    some,
    filter,
    { rows: { begin: 0, end: tile.queries }, capacity },
    tile,
  );
  const none = { begin: 0, end: 0 };
  return {
    ...job,
    task: { rows: none, capacity },
    segment: segment && {
      ...segment,
      label: "probe",
      steps: segment.steps.filter(({ kind }) => kind !== "download"),
    },
    finish: { kind: "refine", rows: none, lists: undefined },
    units: 0,
    probe: true,
  };
}

function leastBytesOf(plan: KnnPlan, capacity: number): number {
  const { layout, problem, device } = plan;
  const more = (isSeeded(plan) ? BOUND_BYTES : 0) + keyBytes(plan, capacity);
  return layout ? leastBytes(layout, problem.trainRows, planStride(plan), capacity, device) + more : 0;
}

/** float32 from one row to the next on the device. */
function planStride({ technique }: KnnPlan): number {
  return technique.form === "none" ? 0 : strideOf(technique.dims);
}

function exactJob(task: FilterTask): KnnJob {
  const rows = sliceRows(task.rows, 0, Math.min(EXACT_QUERIES, rowCount(task.rows)));
  return {
    task: { rows, capacity: undefined },
    tile: undefined,
    segment: undefined,
    finish: { kind: "refine", rows, lists: undefined },
    work: 0,
    units: rowCount(rows),
  };
}

function withoutFirst(todo: readonly FilterTask[], count: number): FilterTask[] {
  const [first, ...rest] = todo;
  if (!first) return rest;
  const left = rowCount(first.rows) - count;
  return left > 0 ? [{ ...first, rows: sliceRows(first.rows, count, count + left) }, ...rest] : rest;
}
