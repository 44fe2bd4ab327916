/**
 * By this program the engine walks a k-NN plan: it says which buffers stay, which job comes next, and what
 * follows from what was observed. Nothing here touches a device, a promise or a clock, so that a run can be
 * replayed from its observations.
 */
import type { KnnJob, KnnPlan } from "./knnPlan.ts";
import type { Program } from "../../../runtime/program.ts";
import { withoutFirst } from "./lists.ts";
import { next } from "./next.ts";
import { nextJob } from "./jobs.ts";
import { residentBuffers, setupSegment } from "./steps.ts";
import { rowCount, type BufferSpec } from "../../../runtime/source.ts";
import { violatedBy } from "../../../distance/assumed.ts";
import { overlaps } from "../../../distance/overlap.ts";

/** This is the program of k-NN plans. */
export const knnProgram: Program<KnnPlan, KnnJob> = {
  phase: "search",
  residentKey: onceFor(residentKey),
  residentBuffers: buffersOf,
  setupSegment: (plan, ran) =>
    ran.length === 0 ? (plan.stage?.resident?.segment ?? setupSegment(plan)) : undefined,
  nextJob: onceFor(nextJob),
  next,
  begun,
  violated: violatedBy,
  unitsLeft: ({ todo }) => todo.reduce((sum, { rows }) => sum + rowCount(rows), 0),
};

/** Keeps what a function says of a plan: searches of few queries go on with a plan that others made. */
function onceFor<T>(of: (plan: KnnPlan) => T): (plan: KnnPlan) => T {
  const known = new WeakMap<KnnPlan, T>();
  return (plan) => {
    if (!known.has(plan)) known.set(plan, of(plan));
    return known.get(plan)!;
  };
}

function buffersOf(plan: KnnPlan): readonly BufferSpec[] {
  return plan.stage?.resident?.buffers ?? residentBuffers(plan);
}

/** Jobs along a tree depend on what the job before them showed, and so do those that are timed. */
function begun(plan: KnnPlan, job: KnnJob): KnnPlan | undefined {
  if (plan.tree || job.probe) return undefined;
  const after = { ...plan, todo: withoutFirst(plan.todo, rowCount(job.task.rows)) };
  if (after.todo.length === 0) return undefined;
  return overlaps(job, nextJob(after), plan, buffersOf(plan)) ? after : undefined;
}

/**
 * Returns a text that is equal for plans whose resident buffers hold the same bytes: those with the same cut,
 * and the same preparation of train.
 */
function residentKey({ layout, technique, sketch, tree }: KnnPlan): string {
  if (!layout?.resident || technique.form === "none") return "none";
  const { centre: _, mixed, ...how } = technique.train; // the centre and the order of columns are train's own
  const codes = mixed && { ...mixed, columns: undefined, kinds: undefined };
  return JSON.stringify([
    layout.chunkRows,
    layout.rowBytes,
    how,
    codes,
    sketch && [sketch.axes, sketch.bound],
    tree?.levels,
  ]);
}
