/**
 * This makes jobs that answer nothing: they are there to be timed, where the first job that counts could not
 * be a small one. This is pure.
 */
import type { KnnJob, KnnPlan } from "./knnPlan.ts";
import type { Done } from "../../../runtime/program.ts";
import type { Filter } from "../../../distance/forms/filter.ts";
import { clamp } from "../../../core/math.ts";
import { filterJob } from "./steps.ts";
import { planStride, tileFor, PROBE_SECONDS } from "./jobTile.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import { updatedRate } from "../../../runtime/rate.ts";
import { withJob } from "./knnPlan.ts";

const PROBE_REFERENCES = 4096;
const SETTLED = 2;
/**
 * There are at most this many probes, for a device whose rate does not become stable: its first job is a
 * small one then.
 */
const MOST_PROBES = 16;
/** A search that takes fewer seconds than this at the assumed rate is over before probes would pay. */
const WORTH_PROBING_SECONDS = 2;

/**
 * Returns a probe, or undefined where none is needed. Streamed references are visited once for all queries,
 * so that the first job cannot be a small one: some probes are timed before it.
 */
export function probeJob(plan: KnnPlan, filter: Filter, capacity: number): KnnJob | undefined {
  const { problem, layout, device, rate, observed, runLog } = plan;
  const stride = strideOf(filter.dims);
  if (observed || device.kind === "cpu" || !layout || layout.resident) return undefined;
  if (runLog.jobs >= MOST_PROBES) return undefined;
  // This compares with the rate assumed at first: probes that have begun go on until the rate is stable.
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

/**
 * Returns the plan after a probe. The rate is stable when two consecutive probes saw none that is much
 * higher, or when a probe was as large as the jobs will be. A probe that waited for shaders to be compiled is
 * repeated.
 */
export function afterProbe(plan: KnnPlan, job: KnnJob, seen: Done): KnnPlan {
  const { layout, problem, rate } = plan;
  const { ms, compiled = false } = seen;
  const runLog = withJob(plan.runLog, seen);
  if (compiled) return { ...plan, runLog };
  const measured = job.cost / (Math.max(ms, 1) / 1000);
  const faster = measured > 2 * rate;
  const stalls = faster ? 0 : plan.stalls + 1;
  const most = problem.queryRows * (layout?.chunkRows ?? 0) * planStride(plan);
  const largest = faster && job.cost >= most / 2;
  return {
    ...plan,
    rate: largest ? measured : updatedRate(rate, job, seen),
    observed: largest || stalls === SETTLED,
    stalls,
    runLog,
  };
}
