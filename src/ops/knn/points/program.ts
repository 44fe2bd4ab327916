/**
 * The plan of a search for the nearest points on a CPU is plain data, and this is the program that walks it:
 * the tree stays, and jobs take as many queries as fit beside it. This is pure. The steps themselves are
 * build.ts and nearest.ts.
 */
import { ceilDiv } from "../../../core/math.ts";
import type { Technique } from "../../../distance/forms/filter.ts";
import type { BackendInfo, Segment } from "../../../runtime/backend.ts";
import { run } from "../../../runtime/primitive.ts";
import type { Job, Observation, Program } from "../../../runtime/program.ts";
import { oneMoreLoss } from "../../../runtime/recovery.ts";
import type { BufferSpec } from "../../../runtime/source.ts";
import { COUNTER_WORDS } from "../contract/tree.ts";
import { knnOrderBytes } from "../contract/order.ts";
import { withJob, type RunLog } from "../plan/knnPlan.ts";
import type { KnnProblem } from "../plan/problem.ts";
import { larger } from "../plan/tile.ts";
import { collectOrdered, downloadCounters, downloadOrdered, type OrderedStep } from "../plan/order.ts";
import { pointTreeBytes, RECORD_BYTES, rowBytesOf, type PointTree } from "./contract.ts";
import { knnNearest, knnPoints } from "./primitives.ts";

export interface PointPlan {
  readonly problem: KnnProblem;
  readonly technique: Technique;
  readonly device: BackendInfo;
  /**
   * This is undefined where the points need another search, also for want of memory: then nothing is done.
   */
  readonly tree: PointTree | undefined;
  readonly budget: number;
  /** A job has at most this many queries. */
  readonly most: number;
  /** This query is the first that is not answered. */
  readonly begin: number;
  readonly runLog: RunLog;
}

export interface PointJob extends Job {
  readonly queries: number;
  readonly finish: OrderedStep;
}

export const pointProgram: Program<PointPlan, PointJob> = {
  phase: "search",
  residentKey: ({ tree }) => JSON.stringify(["points", tree]),
  residentBuffers: ({ tree }) => (tree ? named(pointTreeBytes(tree)) : []),
  setupSegment: ({ tree }, ran) => (tree && ran.length === 0 ? setupSegment(tree) : undefined),
  nextJob,
  next,
  unitsLeft: ({ problem, begin }) => problem.queryRows - begin,
};

/** Returns how many bytes the tree takes, with the copies of the workers and what it is built from. */
export function pointTotalBytes(tree: PointTree, threads: number): number {
  const bytes = Object.values(pointTreeBytes(tree)).reduce((sum, each) => sum + each, 0);
  return (1 + threads) * bytes + tree.rows * (rowBytesOf(tree) + 2 * RECORD_BYTES);
}

function named(sizes: Readonly<Record<string, number>>): BufferSpec[] {
  return Object.entries(sizes).map(([name, bytes]) => ({ name, bytes }));
}

function setupSegment(tree: PointTree): Segment {
  const buffers = named({ values: tree.rows * rowBytesOf(tree), records: tree.rows * RECORD_BYTES });
  const names = [...buffers.map(({ name }) => name), ...Object.keys(pointTreeBytes(tree))];
  return {
    label: "points",
    buffers,
    steps: [
      { kind: "upload", to: "values", source: "points", part: "all", rows: { begin: 0, end: tree.rows } },
      run(knnPoints, { params: tree, bindings: same(names), cost: 0 }),
    ],
  };
}

function same(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, name]));
}

function nextJob({ problem, tree, device, budget, most, begin }: PointPlan): PointJob | undefined {
  const { queryRows, k, metric } = problem;
  if (!tree || begin === queryRows) return undefined;
  const rowBytes = rowBytesOf(tree);
  const each = 2 * rowBytes + 2 * RECORD_BYTES + 28 + 24 * k;
  const taken = pointTotalBytes(tree, device.threads);
  const free = budget - taken;
  const widest = Math.floor(device.bufferBytes / Math.max(rowBytes, 8 * k));
  const queries = Math.min(queryRows - begin, most, widest, Math.floor(free / each));
  if (queries < 1) return undefined;
  const rows = { begin, end: begin + queries };
  const results = knnOrderBytes({ queryRows: queries, k });
  const cost = queries * ceilDiv(tree.rows, tree.leaves) * Math.max(1, tree.depth);
  const kept = Object.keys(pointTreeBytes(tree));
  return {
    queries,
    segment: {
      label: `${queries} queries`,
      buffers: named({ queries: queries * rowBytes, ...results, [downloadCounters.from]: COUNTER_WORDS * 4 }),
      steps: [
        { kind: "upload", to: "queries", source: "sought", part: "all", rows },
        { kind: "clear", buffer: downloadCounters.from },
        run(knnNearest, {
          params: { tree, k, queryRows: queries, root: metric === "euclidean" },
          bindings: {
            ...same([...kept, "queries", ...Object.keys(results)]),
            counters: downloadCounters.from,
          },
          cost,
        }),
        ...downloadOrdered(rows, k),
        downloadCounters,
      ],
    },
    finish: { kind: "ordered", rows, collect: collectOrdered },
    cost,
    units: queries,
  };
}

function next(plan: PointPlan, { queries }: PointJob, seen: Observation): PointPlan {
  const { runLog } = plan;
  switch (seen.kind) {
    case "done": {
      const largestTile = larger(runLog.largestTile, {
        queries,
        references: plan.problem.trainRows,
        group: 0,
      });
      return { ...plan, begin: plan.begin + queries, runLog: { ...withJob(runLog, seen), largestTile } };
    }
    case "outOfMemory":
      return { ...plan, tree: undefined };
    case "deviceLost": {
      const lostInARow = oneMoreLoss(seen.error, runLog.lostInARow);
      return { ...plan, runLog: { ...runLog, lost: runLog.lost + 1, lostInARow } };
    }
  }
}
