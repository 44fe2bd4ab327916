/**
 * The plan of a search within a radius along a GPU's tree is that of a k-NN search with other work to do, and
 * this is the program that walks it: first the candidates of all queries are counted, then they are listed,
 * as many queries at a time as there is room for. This is pure. search.ts does the host's part.
 */
import { separates, type Filter } from "../../../distance/forms/filter.ts";
import { DISPATCH_SECONDS } from "../../../distance/layout.ts";
import { beginPreparation, preparationBuffers } from "../../../distance/prepareSteps.ts";
import { checkSteps, violatedBy } from "../../../distance/assumed.ts";
import { assert } from "../../../core/errors.ts";
import { clamp, spans } from "../../../core/math.ts";
import { refinePolicy } from "../../../distance/gpu/policy.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import type { Step } from "../../../runtime/backend.ts";
import { run } from "../../../runtime/primitive.ts";
import type { Done, Job, Observation, Program } from "../../../runtime/program.ts";
import { halved, oneMoreLoss } from "../../../runtime/recovery.ts";
import { rowAt, rowCount, sliceRows, type BufferSpec, type RowSet } from "../../../runtime/source.ts";
import {
  gpuTreeBytes,
  queryScratchBytes,
  UNFINISHED,
  type KnnTreeParams,
  type TreeCore,
} from "../contract/tree.ts";
import { heldBytes } from "../plan/jobTile.ts";
import { knnProgram } from "../plan/knn.ts";
import { withJob, type KnnPlan, type Trees } from "../plan/knnPlan.ts";
import { keysBuffer } from "../plan/refineSteps.ts";
import { larger } from "../plan/tile.ts";
import { countersOf, downloadCounters, roots } from "../plan/order.ts";
import { CANDIDATE_BYTES, withinBytes, withinOrderBytes } from "./contract.ts";
import { knnWithin, knnWithinOrder } from "./primitives.ts";

/** It asks for the candidates of these queries: how many there are, or, where that is known, which. */
export interface WithinTask {
  readonly rows: RowSet;
  readonly counts?: Uint32Array | undefined;
  /** A search has this many dispatches, or more where counts say that they are needed. */
  readonly passes: number;
}

export interface WithinPlan extends KnnPlan {
  /** Counts come first. */
  readonly asked: readonly WithinTask[];
  /** No value of a pair within the radius has a low end above this. */
  readonly threshold: number;
  /** So many candidates were counted, and the host has room for so many. */
  readonly counted: number;
  readonly room: number;
}

export interface WithinJob extends Job {
  readonly task: WithinTask;
  /** There are so many candidates. */
  readonly listed: number;
  /** They come back in the order of neighbours, with their distances. */
  readonly ordered: boolean;
}

export const withinProgram: Program<WithinPlan, WithinJob> = {
  phase: "search",
  residentKey: knnProgram.residentKey,
  residentBuffers: knnProgram.residentBuffers,
  setupSegment: knnProgram.setupSegment,
  nextJob,
  next,
  begun,
  violated: violatedBy,
  unitsLeft: ({ asked }) => asked.reduce((sum, { rows }) => sum + rowCount(rows), 0),
};

/** A search has this many dispatches at first, and so many times more where those did not suffice. */
const FIRST_PASSES = 12;
const GROWTH = 4;
/** A step has so many of them, so that a long search is submitted in parts. */
const STEP_PASSES = 12;
/** A job lists at most this many candidates, so that the host copies them while the next ones are found. */
const MOST_LISTED = 2 ** 23;
/** A query visits at most this many references in a dispatch. */
const MOST_VISITS = 2 ** 16;
/** A query is expected to be done when it has visited this many, and takes about this many bytes. */
const VISITS = 512;
const QUERY_BYTES = 128;
/** Jobs have at most this many queries, and as many as visit what one dispatch may, this many times. */
const MOST_QUERIES = 2 ** 20;
const LEAST_QUERIES = 2 ** 10;
const DISPATCHES = 8;

/**
 * Returns the plan that looks for all pairs whose intervals reach down to `threshold`. It has no tree where
 * such a search is not served.
 * @param room the host holds so many candidates
 */
export function planWithin(plan: KnnPlan, threshold: number | undefined, room: number): WithinPlan {
  const { technique, problem } = plan;
  const isServed =
    plan.tree?.onGpu && technique.form !== "none" && separates(technique) && threshold !== undefined;
  const found = { counted: 0, room, threshold: threshold ?? 0 };
  if (!isServed) return { ...plan, ...found, tree: undefined, asked: [] };
  return { ...plan, ...found, asked: [{ rows: { begin: 0, end: problem.queryRows }, passes: FIRST_PASSES }] };
}

/** Tells whether the device evaluates candidates, and puts them in order. */
function isOrdered(plan: KnnPlan): boolean {
  return keysBuffer(plan, 1) !== undefined && roots.has(plan.problem.metric);
}

function nextJob(plan: WithinPlan): WithinJob | undefined {
  const { asked, layout, technique, tree, trees, device, caps, rate } = plan;
  const [task] = asked;
  if (!task || plan.violated || !layout || technique.form === "none" || !tree || !trees) return undefined;
  const free = (plan.budget - heldBytes(plan, layout)) / 2;
  const inTime = Math.ceil((DISPATCHES * trees.visitsOf(rate)) / VISITS);
  const tile = Math.min(
    rowCount(task.rows),
    caps.queries ?? clamp(inTime, LEAST_QUERIES, MOST_QUERIES),
    Math.floor(device.bufferBytes / 32),
    Math.floor(free / QUERY_BYTES),
  );
  if (tile < 1) return undefined;
  const { counts } = task;
  if (!counts) return jobOf(plan, technique, tree, trees, task, tile, 0);
  const room = Math.floor(Math.min(device.bufferBytes / 8, free / CANDIDATE_BYTES));
  const most = Math.min(caps.references ?? MOST_LISTED, room);
  let queries = 1;
  let listed = counts[0];
  while (queries < tile && listed + counts[queries] <= most) listed += counts[queries++];
  return listed <= room ? jobOf(plan, technique, tree, trees, task, queries, listed) : undefined;
}

/** Makes the job of the first queries of a task. */
function jobOf(
  plan: WithinPlan,
  filter: Filter,
  tree: KnnTreeParams,
  trees: Trees,
  asked: WithinTask,
  queryRows: number,
  listed: number,
): WithinJob {
  const { problem, rate, caps, threshold } = plan;
  const counts = asked.counts?.subarray(0, queryRows);
  const task = { ...asked, counts, rows: sliceRows(asked.rows, 0, queryRows) };
  const ordered = isOrdered(plan);
  // One that goes on may take as long as each of its dispatches may.
  const isFirst = asked.passes === FIRST_PASSES;
  const cost = isFirst ? trees.treeWork(tree, queryRows) : asked.passes * rate * DISPATCH_SECONDS;
  const awaited = !counts; // lists go where counts make room
  const job = { task, listed, ordered, segment: undefined, cost, awaited, units: counts ? queryRows : 0 };
  if (counts && listed === 0) return job;
  const sizes = { queryRows, stride: strideOf(filter.dims), tree };
  const bytes = withinBytes({ ...sizes, listed });
  const own = { ...pick(bytes), ...(counts && ordered && withinOrderBytes(listed)) };
  const [pairs, most = MOST_VISITS] = [trees.visitsOf(rate), caps.references];
  const longest = counts ? longestOf(counts) : 0;
  const wanted =
    task.passes * Math.ceil((queryRows * VISITS) / pairs) +
    2 * Math.ceil(listed / pairs) +
    2 * Math.ceil(longest / most);
  // With so many, each query has visited all nodes and references.
  const each = clamp(Math.floor(pairs / queryRows), 1, most);
  const passes = Math.min(wanted, Math.ceil((tree.rows + 2 ** (tree.levels + 1)) / each));
  const params = { ...sizes, core: filter.core as TreeCore, slack: filter.slack, threshold, pairs, most };
  const searches = spans(passes, STEP_PASSES).map((part) =>
    run(knnWithin, {
      params: { ...params, listed: counts && listed, passes, part },
      bindings: {
        ...named(pick(bytes)),
        ...trees.bindingsOf({ ...gpuTreeBytes(tree), ...queryScratchBytes(queryRows) }),
      },
      cost: (cost * (part.end - part.begin)) / passes,
    }),
  );
  const upload = trees.uploadPoints(tree, problem, filter, "queries", task.rows, "queries", "queryMeta");
  return {
    ...job,
    segment: {
      label: `${queryRows} queries, ${counts ? `${listed} candidates` : "counted"}`,
      buffers: [
        ...Object.entries(own).map(([name, bytes]): BufferSpec => ({ name, bytes })),
        ...trees.treeSearchBuffers(tree, queryRows),
        ...preparationBuffers(problem, filter, ["queries"]),
      ],
      steps: [
        ...beginPreparation(filter, ["queries"]),
        ...upload,
        ...(counts
          ? [{ kind: "upload", to: "room", source: "room", part: "all", rows: task.rows } as const]
          : []),
        ...searches,
        ...(counts ? resultSteps(plan, job, sizes, longest) : [download("heads", bytes.heads)]),
        downloadCounters,
        ...checkSteps(problem, filter, ["queries"]),
      ],
    },
  };
}

/** Makes the steps that bring candidates back: in order where the device evaluates them. */
function resultSteps(
  { problem, rate }: WithinPlan,
  { listed, ordered }: Pick<WithinJob, "listed" | "ordered">,
  {
    queryRows,
    stride,
    tree,
  }: { readonly queryRows: number; readonly stride: number; readonly tree: KnnTreeParams },
  longest: number,
): Step[] {
  if (!ordered) return [download("entries", listed * 8)];
  const each = stride * refinePolicy.cost;
  const most = Math.max(1, Math.floor((rate * DISPATCH_SECONDS) / each));
  const root = roots.get(problem.metric) ?? false;
  const order = run(knnWithinOrder, {
    params: { queryRows, refRows: tree.rows, listed, longest, root, most },
    bindings: {
      ...named(withinOrderBytes(listed)),
      ...{ queries: "queries", offsets: "offsets", entries: "entries", refs: "refs.0" },
    },
    cost: listed * each,
  });
  return [order, download("nearRows", listed * 4), download("nearDistances", listed * 8)];
}

function download(from: string, bytes: number): Step {
  return { kind: "download", from, bytes };
}

/** Returns the sizes of the buffers that are no part of the tree or of a search along one. */
function pick({ queries, queryMeta, heads, room, offsets, entries }: ReturnType<typeof withinBytes>) {
  return { queries, queryMeta, heads, room, offsets, entries };
}

function named(sizes: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(Object.keys(sizes).map((name) => [name, name]));
}

function next(plan: WithinPlan, job: WithinJob, seen: Observation): WithinPlan {
  const { runLog } = plan;
  switch (seen.kind) {
    case "done":
      return afterDone(plan, job, seen);
    case "outOfMemory":
      return halved(seen.error, "tiles", runLog.halved, () => {
        return { ...plan, budget: plan.budget / 2, runLog: { ...runLog, halved: runLog.halved + 1 } };
      });
    case "deviceLost": {
      const lostInARow = oneMoreLoss(seen.error, runLog.lostInARow);
      return { ...plan, runLog: { ...runLog, lost: runLog.lost + 1, lostInARow } };
    }
  }
}

function afterDone(plan: WithinPlan, { task, listed, segment }: WithinJob, seen: Done): WithinPlan {
  const queries = rowCount(task.rows);
  const counters = countersOf(seen.downloads);
  const rest = withoutFirst(plan.asked, queries);
  const again = { rows: task.rows, counts: task.counts, passes: task.passes * GROWTH };
  const [counted, todo] = task.counts
    ? [[], counters.unlisted > 0 ? [again] : []]
    : [countedTasks(task, seen), []];
  const isListed = !task.counts || counters.unlisted > 0 || !segment || counters.listed === listed;
  assert(isListed, `${counters.listed} candidates were listed of ${listed} that were counted`);
  const { largestTile: before, ...runLog } = withJob(plan.runLog, {
    ...seen,
    work: task.counts ? 0 : counters.visited,
  });
  const tile = { queries, references: plan.problem.trainRows, group: 0 };
  const isFirst = task.passes === FIRST_PASSES;
  const asked = [...rest, ...todo, ...counted];
  const candidates = plan.counted + sumOf(counted);
  return {
    ...plan,
    counted: candidates,
    // Other searches hold neighbours alone, of which there may be far fewer.
    tree: candidates > plan.room ? undefined : plan.tree,
    asked: [...asked.filter(({ counts }) => !counts), ...asked.filter(({ counts }) => counts)],
    runLog: {
      ...runLog,
      largestTile: larger(before, tile),
      repeated: runLog.repeated + (isFirst ? counters.unlisted : 0),
    },
  };
}

/** Returns how many candidates tasks have. */
function sumOf(tasks: readonly WithinTask[]): number {
  let sum = 0;
  for (const { counts = [] } of tasks) for (const count of counts) sum += count;
  return sum;
}

function longestOf(counts: Uint32Array): number {
  let longest = 0;
  for (const count of counts) longest = Math.max(longest, count);
  return longest;
}

/** Returns what follows from counts: candidates to list, and queries to go on with. */
function countedTasks({ rows, passes }: WithinTask, { downloads }: Done): WithinTask[] {
  const heads = new Uint32Array(downloads.get("heads") ?? []);
  const counts = new Uint32Array(heads.length / 2);
  let [left, found] = [0, 0];
  for (let i = 0; i < counts.length; i++) {
    counts[i] = heads[2 * i];
    if (counts[i] === UNFINISHED) left++;
    else if (counts[i] > 0) found++;
  }
  const placesOf = (length: number, isWanted: (count: number) => boolean) => {
    const places = new Uint32Array(length);
    for (let i = 0, to = 0; to < length; i++) if (isWanted(counts[i])) places[to++] = i;
    return places;
  };
  const again = (places: Uint32Array) => ({
    rows: places.map((i) => rowAt(rows, i)),
    passes: passes * GROWTH,
  });
  const lists = (places: Uint32Array) => ({
    rows: places.map((i) => rowAt(rows, i)),
    counts: places.map((i) => counts[i]),
    passes: FIRST_PASSES,
  });
  const isDone = (count: number) => count !== UNFINISHED && count > 0;
  return [
    ...(left > 0 ? [again(placesOf(left, (count) => count === UNFINISHED))] : []),
    ...(found === counts.length
      ? [{ rows, counts, passes: FIRST_PASSES }]
      : found > 0
        ? [lists(placesOf(found, isDone))]
        : []),
  ];
}

/** Returns what is left to do after the first queries. */
function withoutFirst([first, ...rest]: readonly WithinTask[], queries: number): WithinTask[] {
  const end = rowCount(first.rows);
  if (queries === end) return rest;
  const left = {
    ...first,
    rows: sliceRows(first.rows, queries, end),
    counts: first.counts?.subarray(queries),
  };
  return [left, ...rest];
}

/** The lists of queries do not depend on each other. */
function begun(plan: WithinPlan, { task, segment }: WithinJob): WithinPlan | undefined {
  if (!task.counts || !segment) return undefined;
  const after = { ...plan, asked: withoutFirst(plan.asked, rowCount(task.rows)) };
  const next = nextJob(after)?.segment;
  if (!next) return undefined;
  const held = [...knnProgram.residentBuffers(plan), ...segment.buffers, ...next.buffers];
  return held.reduce((sum, { bytes }) => sum + bytes, 0) <= plan.budget ? after : undefined;
}
