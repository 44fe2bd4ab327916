/**
 * By this program a GPU replays the heaps of a search with keep-all lists: jobs are those of knn.ts, with one
 * more step after the filter. The host replays the other heaps: on a CPU, where lists or heaps are long,
 * where intervals do not order distances, and where they leave comparisons undecided, as ties do. Where that
 * happened to most queries, the device is not asked again. This is pure. It is a file of its own, so that
 * programs which replay no heap do without it.
 */
import type { Segment, Step } from "../../../runtime/backend.ts";
import { spans } from "../../../core/math.ts";
import { UNDECIDED } from "../contract/replay.ts";
import { chooseReplayCapacity, knnReplayPolicy } from "../gpu/policy.ts";
import { knnProgram } from "./knn.ts";
import type { Observation, Program } from "../../../runtime/program.ts";
import { DISPATCH_SECONDS } from "../../../distance/layout.ts";
import { refinePrimitive } from "../../../distance/primitives.ts";
import { knnReplay } from "../replayPrimitive.ts";
import { isRunOf, run } from "../../../runtime/primitive.ts";
import { separates, type Filter } from "../../../distance/forms/filter.ts";
import type { RunLog, KnnJob, KnnPlan } from "./knnPlan.ts";

/** This download holds places as `knn.replay` leaves them, in a buffer that nothing else needs by then. */
export const PLACES = "scratch";

export const replayProgram: Program<KnnPlan, KnnJob> = {
  ...knnProgram,
  nextJob: (plan) => withReplay(plan, knnProgram.nextJob(plan)),
  // What the first job leaves undecided says whether the device is asked again.
  begun: (plan, job) => (plan.runLog.jobs === 0 ? undefined : knnProgram.begun?.(plan, job)),
  next: (plan, job, seen) => {
    const after = knnProgram.next(plan, job, seen);
    return { ...after, runLog: { ...after.runLog, ...countReplayed(plan, seen) } };
  },
};

function withReplay(plan: KnnPlan, job: KnnJob | undefined): KnnJob | undefined {
  const { technique, device, problem, runLog } = plan;
  if (!job?.segment || !job.tile || job.probe || technique.form === "none") return job;
  const { capacity } = job.task;
  const fits = problem.k <= knnReplayPolicy.mostK && chooseReplayCapacity(capacity ?? Infinity) !== undefined;
  const pays = runLog.undecided <= runLog.replayed;
  if (device.kind !== "gpu" || !fits || !pays || !separates(technique)) return job;
  const steps = replaySteps(plan, technique, job.tile.queries, capacity ?? 0);
  return { ...job, segment: afterFilter(job.segment, steps, job.tile.queries * problem.k * 4) };
}

/** Makes the steps of the replay, so that no dispatch takes longer than one of a filter. */
function replaySteps(
  { problem, rate }: KnnPlan,
  filter: Filter,
  queryRows: number,
  capacity: number,
): Step[] {
  const each = capacity * knnReplayPolicy.cost;
  const most = Math.max(1, Math.floor((rate * DISPATCH_SECONDS) / each));
  const bindings = { heads: "heads", candidates: "candidates", intervals: "intervals", places: PLACES };
  return spans(queryRows, most).map(({ begin, end }): Step => {
    const rows = end - begin;
    const params = { k: problem.k, capacity, points: filter.points, queryBegin: begin, queryRows: rows };
    return run(knnReplay, { params, bindings, cost: rows * each });
  });
}

/** Puts the replay after the last step of the filter, since intervals may become ranks then. */
function afterFilter({ steps, ...segment }: Segment, replay: readonly Step[], bytes: number): Segment {
  const end = steps.findIndex((step) => step.kind === "download" || isRunOf(step, refinePrimitive));
  const download: Step = { kind: "download", from: PLACES, bytes };
  return { ...segment, steps: [...steps.slice(0, end), ...replay, ...steps.slice(end), download] };
}

function countReplayed(
  { problem, runLog }: KnnPlan,
  seen: Observation,
): Pick<RunLog, "replayed" | "undecided"> {
  let { replayed, undecided } = runLog;
  const places = seen.kind === "done" ? seen.downloads.get(PLACES) : undefined;
  if (places) {
    const words = new Uint32Array(places);
    for (let at = 0; at < words.length; at += problem.k) {
      if (words[at] === UNDECIDED) undecided++;
      else replayed++;
    }
  }
  return { replayed, undecided };
}
