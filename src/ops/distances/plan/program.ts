/**
 * By this program the engine walks a plan of distance histograms: it says which job comes next, and what
 * follows from what was observed. This is pure.
 */
import { violatedBy, seenBuffer } from "../../../distance/assumed.ts";
import { overlaps } from "../../../distance/overlap.ts";
import type { SegmentOutput } from "../../../runtime/backend.ts";
import type { Done, Observation, Program } from "../../../runtime/program.ts";
import type { BufferSpec } from "../../../runtime/source.ts";
import { updatedRate } from "../../../runtime/rate.ts";
import { halved, oneMoreLoss } from "../../../runtime/recovery.ts";
import { bytesOf } from "../cut.ts";
import { BESIDE_BINS, BOUNDS_WORDS } from "../deviceContract.ts";
import { cutFor } from "./cut.ts";
import { withRate } from "./widths.ts";
import { isExact, type DistancesJob, type DistancesPlan } from "./distancesPlan.ts";
import { withLayout } from "./start.ts";
import { jobCost, residentBuffers, setupSegment, slabSegment } from "./steps.ts";

export const distancesProgram: Program<DistancesPlan, DistancesJob> = {
  phase: "distances",
  residentKey,
  residentBuffers,
  setupSegment: (plan, ran) => setupSegment(afterSetup(plan, ran), ran.length),
  afterSetup,
  nextJob,
  next,
  begun(plan, job) {
    const after = { ...plan, ...reached(plan, job) };
    return overlaps(job, nextJob(after), plan, residentBuffers(plan)) ? after : undefined;
  },
  violated: violatedBy,
  unitsLeft: ({ problem, counted }) => problem.queryRows - counted,
};

/** Returns a text that is equal for plans whose resident buffers hold the same bytes. */
function residentKey({ layout, technique, whole, problem }: DistancesPlan): string {
  if (!layout?.resident || technique.form === "none") return "none";
  const { centre: _, ...how } = technique.train;
  return JSON.stringify([layout.chunkRows, how, whole && [whole, problem.queries.largest]]);
}

/** Takes over how large the values of train are, where a larger number was assumed until then. */
function afterSetup(plan: DistancesPlan, ran: readonly SegmentOutput[]): DistancesPlan {
  const seen = ran[0]?.downloads.get(seenBuffer("train"));
  if (!seen || plan.largestSeen !== undefined) return plan;
  return { ...plan, largestSeen: new Float32Array(seen)[0] };
}

/** Returns the next job: the ranges of all queries first, where these decide every bin. */
export function nextJob(plan: DistancesPlan): DistancesJob | undefined {
  const { technique: filter, layout, problem, ask, ranged, counted } = plan;
  if (plan.unsuited !== undefined || plan.violated || filter.form === "none" || !layout) return undefined;
  if (counted === problem.queryRows) return undefined;
  const counts = ask.bins > 0 && (ask.range !== "all" || ranged === problem.queryRows);
  const cut = cutFor(plan, filter, layout, counts);
  const begin = counts ? counted : ranged;
  const queries = { begin, end: begin + cut.queries };
  const slab = { plan, filter, layout, cut, queries, counts };
  return {
    ...{ queries, counts, passes: cut.passes, why: cut.why },
    segment: slabSegment(slab),
    cost: jobCost(plan, { queries, counts, passes: cut.passes }),
    units: counts || ask.bins === 0 ? cut.queries : 0,
    awaited: !counts && ask.bins > 0,
  };
}

/** Returns how far a plan is after a job. */
function reached({ ask, ranged }: DistancesPlan, { queries: { end }, counts }: DistancesJob) {
  return counts || ask.bins === 0 ? { counted: end, ranged: Math.max(ranged, end) } : { ranged: end };
}

function next(plan: DistancesPlan, job: DistancesJob, seen: Observation): DistancesPlan {
  const { runLog } = plan;
  switch (seen.kind) {
    case "done":
      return afterDone(plan, job, seen);
    case "outOfMemory":
      return halved(seen.error, "tiles", runLog.halved, () => {
        const log = { ...runLog, halved: runLog.halved + 1 };
        const less = withLayout({ ...plan, budget: plan.budget / 2, runLog: log });
        nextJob(less);
        return less;
      });
    case "deviceLost": {
      const lostInARow = oneMoreLoss(seen.error, runLog.lostInARow);
      return { ...plan, runLog: { ...runLog, lost: runLog.lost + 1, lostInARow } };
    }
  }
}

/** The next slab may leave open this share of the pairs, from what float32 left open in the last. */
const MORE_OPEN = { times: 1.5, plus: 1e-3 };

function afterDone(plan: DistancesPlan, job: DistancesJob, seen: Done): DistancesPlan {
  const { runLog, problem } = plan;
  const { compiled = false, ms, dispatches } = seen;
  const found = foundIn(plan, seen);
  const { queries } = job;
  const pairs = (queries.end - queries.begin) * problem.trainRows;
  const nowOpen = { fixed: (found.fixed + found.settled) / pairs, float64: found.settled / pairs };
  const cost = jobCost({ ...plan, open: nowOpen }, job);
  const more = (share: number) => Math.min(1, MORE_OPEN.times * share + MORE_OPEN.plus);
  const nextOpen = { fixed: more(nowOpen.fixed), float64: more(nowOpen.float64) };
  return {
    ...plan,
    ...reached(plan, job),
    rate: ms > 1 ? updatedRate(plan.rate, { ...job, cost }, seen) : plan.rate,
    observed: plan.observed || !compiled,
    rates: compiled ? plan.rates : withRate(plan.rates, queries.end - queries.begin, cost, ms),
    open: isExact(plan) && job.counts ? nextOpen : plan.open,
    runLog: {
      ...runLog,
      jobs: runLog.jobs + 1,
      dispatches: runLog.dispatches + dispatches,
      passes: job.passes,
      why: job.why,
      fixed: runLog.fixed + found.fixed,
      settled: runLog.settled + found.settled,
      evaluated: runLog.evaluated + found.evaluated,
      lostInARow: 0,
      buffers: larger(runLog.buffers, job.segment?.buffers ?? []),
    },
  };
}

function larger(one: readonly BufferSpec[], other: readonly BufferSpec[]): readonly BufferSpec[] {
  return bytesOf(other) > bytesOf(one) ? other : one;
}

/** Adds up what was settled in a job beside float32. */
function foundIn({ ask }: DistancesPlan, { downloads }: Done) {
  const counts = new Uint32Array(downloads.get("counts") ?? new ArrayBuffer(0));
  const bounds = new Uint32Array(downloads.get("bounds") ?? new ArrayBuffer(0));
  let [fixed, settled, evaluated] = [0, 0, 0];
  const width = ask.bins + BESIDE_BINS;
  for (let at = ask.bins; at < counts.length; at += width) {
    fixed += counts[at + 2];
    settled += counts[at + 3];
  }
  for (let at = BOUNDS_WORDS - 1; at < bounds.length; at += BOUNDS_WORDS) evaluated += bounds[at];
  return { fixed, settled, evaluated: evaluated + settled };
}
