/**
 * This chooses the next job of a plan: some queries against all references on the device, or wholly in
 * float64 on the host. This is pure. steps.ts makes the steps of a job.
 */
import type { KnnJob, KnnPlan, SearchTask } from "./knnPlan.ts";
import { filterJob } from "./steps.ts";
import { firstCapacity } from "./start.ts";
import { leastBytesOf, tileFor } from "./jobTile.ts";
import { probeJob } from "./probe.ts";
import { rowCount, sliceRows } from "../../../runtime/source.ts";
import { tooSmall } from "../../../distance/layout.ts";

const EXACT_QUERIES = 256;

/** Returns the next job, or undefined when all is done. */
export function nextJob(chosen: KnnPlan): KnnJob | undefined {
  const task = chosen.todo[0];
  if (!task || chosen.violated) return undefined;
  const { tree, trees } = chosen;
  const plan = task.whole && tree && trees ? trees.withoutTree(chosen, tree) : chosen;
  if (plan.technique.form === "none" || task.capacity === undefined) return exactJob(task);
  const { rows, capacity } = task;
  const probe = probeJob(plan, plan.technique, capacity);
  if (probe) return probe;
  const tile = tileFor(plan, rowCount(rows), capacity);
  if (!tile && capacity > firstCapacity(plan.problem, plan.technique, plan.tree)) return exactJob(task);
  if (!tile) throw tooSmall(plan.device, plan.budget, leastBytesOf(plan, capacity));
  return filterJob(plan, plan.technique, { ...task, rows: sliceRows(rows, 0, tile.queries), capacity }, tile);
}

function exactJob(task: SearchTask): KnnJob {
  const rows = sliceRows(task.rows, 0, Math.min(EXACT_QUERIES, rowCount(task.rows)));
  return {
    task: { rows, capacity: undefined },
    tile: undefined,
    segment: undefined,
    finish: { kind: "refine", rows, lists: undefined },
    cost: 0,
    units: rowCount(rows),
  };
}
