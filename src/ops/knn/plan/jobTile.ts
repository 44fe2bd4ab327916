/**
 * This fits the next job of a plan to its device: it finds the tile of the queries that are left, in the
 * memory and in the time that there is. This is pure. tile.ts cuts the tile.
 */
import type { KnnPlan } from "./knnPlan.ts";
import { type Tile, type TileTask, chooseTile, leastBytes, roomOf } from "./tile.ts";
import { DISPATCH_SECONDS, type ReferenceLayout, layoutBytes } from "../../../distance/layout.ts";
import { isSeeded } from "./seedSteps.ts";
import { keyBytes } from "./refineSteps.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import { preparationBytes } from "../../../distance/prepareSteps.ts";

/** A dispatch has this share of its work while no rate was observed. */
const PROBE_SHARE = 1 / 8;
/** The first job should take this many seconds at the assumed rate, with `PROBE_QUERIES` queries at least. */
export const PROBE_SECONDS = 0.05;
const PROBE_QUERIES = 64;
/**
 * A first job takes all queries where they are at most so many times as many. If it left a few, those would
 * have kernels of their own, and the search would wait until they are compiled.
 */
const WHOLE_JOBS = 4;

export function tileFor(plan: KnnPlan, queries: number, capacity: number): Tile | undefined {
  const { layout, technique, device, rate, observed, caps, stage, tree, trees } = plan;
  if (!layout || technique.form === "none") return undefined;
  const free = plan.budget - heldBytes(plan, layout);
  if (tree && trees) {
    return trees.chooseTreeTile(plan, tree, queries, capacity, free);
  }
  const task = taskOf(plan, observed ? queries : probeQueries(plan, queries), capacity);
  const work = rate * DISPATCH_SECONDS * (observed ? 1 : PROBE_SHARE);
  const tile = stage?.tile?.(task, free, work);
  if (tile) return tile;
  const most = Math.min(caps.queries ?? Infinity, stage?.queries ?? Infinity);
  const cut = (times?: number) =>
    chooseTile(task, layout, roomOf(layout, device, free, work, times), { ...caps, queries: most });
  const usual = cut();
  const longer = stage?.longer ? cut(stage.longer) : usual;
  // More queries may leave room for fewer references, whose values are then stored without the groups that
  // bytes need.
  const chosen = longer?.references === usual?.references ? longer : usual;
  return chosen && (stage?.trimmed?.(chosen, queries) ?? chosen);
}

/** Returns how many bytes a plan holds beside its tiles. */
export function heldBytes(plan: KnnPlan, layout: ReferenceLayout): number {
  const { problem, technique, device, sketch, tree, trees } = plan;
  const [rows, stride] = [problem.trainRows, planStride(plan)];
  if (tree && trees) return layoutBytes(layout, rows, stride) + trees.treeTotalBytes(tree, device.threads);
  const beside = technique.form === "none" ? 0 : preparationBytes(problem, technique);
  const besideRow = sketch?.steps.sketchRowBytes(sketch);
  return layoutBytes(layout, rows, stride, besideRow) + (plan.stage?.heldBytes ?? 0) + beside;
}

function taskOf(plan: KnnPlan, queries: number, capacity: number): TileTask {
  const { problem, stage, orders } = plan;
  const { k, keepAll } = problem;
  const ordered = orders?.orderBytes(plan, capacity);
  const extraBytes = keyBytes(plan, capacity) + (stage?.queryBytes ?? 0) + (ordered ?? 0);
  return { queries, k, capacity, stride: planStride(plan), keepAll, extraBytes, seeded: isSeeded(plan) };
}

/**
 * Returns how many queries the first job has on a GPU that nobody has timed. It is a small job, in small
 * dispatches: the device may be far slower than assumed.
 */
function probeQueries(plan: KnnPlan, queries: number): number {
  const { problem, device, rate } = plan;
  if (device.kind === "cpu") return queries;
  const inTime = (rate * PROBE_SECONDS) / (problem.trainRows * planStride(plan));
  const most = Math.max(PROBE_QUERIES, Math.floor(inTime));
  return queries <= WHOLE_JOBS * most ? queries : most;
}

/** Returns the least bytes that the plan takes: those that it holds, and the least tile. */
export function leastBytesOf(plan: KnnPlan, capacity: number): number {
  const { layout, device } = plan;
  if (!layout) return 0;
  return heldBytes(plan, layout) + leastBytes(taskOf(plan, 1, capacity), layout, device.kind === "gpu");
}

/** Returns how many float32 lie from one row to the next on the device. */
export function planStride({ technique }: KnnPlan): number {
  return technique.form === "none" ? 0 : strideOf(technique.dims);
}
