/**
 * Fits the next job of a plan to its device: the tile of the queries that are left, in the memory and in the
 * time that there is. Pure. tile.ts cuts the tile.
 */
import type { KnnPlan } from "./knnPlan.ts";
import {
  BOUND_BYTES,
  DISPATCH_SECONDS,
  type Tile,
  chooseTile,
  layoutBytes,
  leastBytes,
  roomOf,
} from "./tile.ts";
import { isSeeded } from "./seedSteps.ts";
import { keyBytes } from "./refineSteps.ts";
import { sketchRowBytes } from "./sketchSteps.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import { preparationBytes } from "../../../distance/prepareSteps.ts";

/** The share of its work that a dispatch has while no rate was observed. */
const PROBE_SHARE = 1 / 8;
/**
 * The seconds that the first job should take at the assumed rate; `PROBE_QUERIES` is the least number of its
 * queries.
 */
export const PROBE_SECONDS = 0.05;
const PROBE_QUERIES = 64;

export function tileFor(plan: KnnPlan, queries: number, capacity: number): Tile | undefined {
  const { layout, problem, technique, device, rate, observed, caps, sketch, tree, trees } = plan;
  if (!layout || technique.form === "none") return undefined;
  const stride = strideOf(technique.dims);
  if (tree && trees) {
    const free =
      plan.budget -
      layoutBytes(layout, problem.trainRows, stride) -
      trees.treeTotalBytes(tree, device.threads);
    return trees.chooseTreeTile({ queries, capacity, k: problem.k }, tree, free, device, caps, rate);
  }
  const sketchBytes = sketchRowBytes(sketch);
  const held = layoutBytes(layout, problem.trainRows, stride, sketchBytes);
  const beside = (sketch?.basis.byteLength ?? 0) + preparationBytes(problem, technique);
  const free = plan.budget - held - beside;
  const together = observed ? queries : probeQueries(plan, queries);
  const { k, keepAll } = problem;
  const extraBytes = sketchBytes + keyBytes(plan, capacity);
  const task = { queries: together, k, capacity, stride, keepAll, extraBytes, seeded: isSeeded(plan) };
  const work = rate * DISPATCH_SECONDS * (observed ? 1 : PROBE_SHARE);
  return chooseTile(task, layout, roomOf(layout, device, free, work), caps);
}

/**
 * Returns the queries of the first job of a GPU that nobody has timed. It is a small job, in small
 * dispatches: the device may be far slower than assumed.
 */
function probeQueries(plan: KnnPlan, queries: number): number {
  const { problem, device, rate } = plan;
  if (device.kind === "cpu") return queries;
  const inTime = (rate * PROBE_SECONDS) / (problem.trainRows * planStride(plan));
  return Math.min(queries, Math.max(PROBE_QUERIES, Math.floor(inTime)));
}

export function leastBytesOf(plan: KnnPlan, capacity: number): number {
  const { layout, problem, device } = plan;
  const more = (isSeeded(plan) ? BOUND_BYTES : 0) + keyBytes(plan, capacity);
  return layout ? leastBytes(layout, problem.trainRows, planStride(plan), capacity, device) + more : 0;
}

/** Returns the float32 from one row to the next on the device. */
export function planStride({ technique }: KnnPlan): number {
  return technique.form === "none" ? 0 : strideOf(technique.dims);
}
