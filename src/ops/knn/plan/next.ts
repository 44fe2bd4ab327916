/**
 * This derives the plan after a job ended: what was answered, what must be done again, and what follows from
 * a failure. This is pure.
 */
import type { KnnJob, KnnPlan } from "./knnPlan.ts";
import type { DeviceLostError, OutOfMemoryError } from "../../../core/errors.ts";
import type { Done, Observation } from "../../../runtime/program.ts";
import { withJob } from "./knnPlan.ts";
import { afterProbe } from "./probe.ts";
import { countsOf, enlarged, overflowed, withoutFirst } from "./lists.ts";
import { firstCapacity, layoutOf } from "./start.ts";
import { larger } from "./tile.ts";
import { nextJob } from "./jobs.ts";
import { rowCount } from "../../../runtime/source.ts";
import { updatedRate } from "../../../runtime/rate.ts";
import { halved, oneMoreLoss } from "../../../runtime/recovery.ts";

/** Returns the plan after `job` ended as observed. */
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
  const count = rowCount(job.task.rows);
  const { problem, technique } = plan;
  const tree = job.task.whole ? undefined : plan.tree;
  const listed = countsOf(downloads.get("heads"));
  const along = tree?.onGpu ? plan.trees?.seenAlongTree(plan, job, seen, listed, firstCapacity) : undefined;
  const counts = along?.counts ?? listed;
  const runLog = withJob(plan.runLog, { ...seen, work: along?.work ?? seen.work });
  const repeat = overflowed(job.task, counts);
  const isFirstTry =
    technique.form !== "none" && job.task.capacity === firstCapacity(problem, technique, tree);
  if (job.probe) return afterProbe(plan, job, seen);
  // Where the host was busy, a job and the next one may seem to end at once.
  const rate = job.cost > 0 && ms > 1 ? updatedRate(plan.rate, along?.job ?? job, seen) : plan.rate;
  const todo = [
    ...withoutFirst(plan.todo, count),
    ...(repeat.length ? [enlarged(problem, job.task, repeat, counts)] : []),
    ...(along?.todo ?? []),
  ];
  return {
    ...plan,
    stage: plan.stage?.after(job, downloads),
    todo,
    rate,
    observed: plan.observed || (job.cost > 0 && !compiled),
    runLog: {
      ...runLog,
      largestTile: larger(runLog.largestTile, job.tile),
      repeated: runLog.repeated + (isFirstTry ? repeat.length : 0),
      exhaustive: runLog.exhaustive + (job.segment ? 0 : count),
    },
    ...plan.stage?.revised?.({ ...plan, rate }, seen, job),
  };
}

/** Plans with half the memory from now on; what was already answered stays answered. */
function afterOutOfMemory(plan: KnnPlan, error: OutOfMemoryError): KnnPlan {
  const budget = plan.budget / 2;
  const { problem, technique, device, caps, runLog } = plan;
  return halved(error, "tiles", runLog.halved, () => {
    const layout = layoutOf(problem, technique, 0, device, budget, caps);
    const less: KnnPlan = {
      ...plan,
      budget,
      layout,
      sketch: undefined,
      tree: undefined,
      stage: undefined,
      runLog: { ...runLog, halved: runLog.halved + 1 },
    };
    nextJob(less);
    return less;
  });
}

function afterLoss(plan: KnnPlan, error: DeviceLostError): KnnPlan {
  const { runLog } = plan;
  const lostInARow = oneMoreLoss(error, runLog.lostInARow);
  return { ...plan, runLog: { ...runLog, lost: runLog.lost + 1, lostInARow } };
}
