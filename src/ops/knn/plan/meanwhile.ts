/**
 * This plans a search on a GPU that begins with few queries a job while a driver compiles the kernels for
 * many, which takes it a second, and several the first time on a machine. Both ways leave the candidates of
 * all neighbours, so that results are the same. This is pure: run.ts, which loads it for more than a few
 * queries, asks whether kernels are there, and the executor has them compiled. Those of later searches are
 * compiled by ahead/laterSearches.ts.
 */
import type { Segment } from "../../../runtime/backend.ts";
import { FAST_RATE, fastRate } from "../rates.ts";
import { withStage } from "./few.ts";
import type { KnnJob, KnnPlan, PrefilterStage } from "./knnPlan.ts";

/** A job has at most this many queries, and the last one not fewer than these, which take the same kernel. */
const MOST = 32;
const LEAST = 9;
/** After so many jobs the rate of a device is known, which rises by four times a job at most. */
const RISES = 6;

interface FewFirst {
  /** It begins with few queries a job. */
  readonly plan: KnnPlan;
  /** The plan that it was made of has these kernels first; if they are there, it need not wait. */
  readonly kernels: readonly Segment[];
}

/**
 * Returns the plan of a search that begins with few queries a job; undefined where kernels for few queries
 * pay nothing.
 * @param nextJob makes the next job of a plan; if it were imported, bundlers would cut what run.ts loads into
 *   more files
 */
export function fewFirst(
  plan: KnnPlan,
  nextJob: (plan: KnnPlan) => KnnJob | undefined,
): FewFirst | undefined {
  const { problem, technique, stage, caps, observed, rate } = plan;
  if (technique.form === "none" || stage?.resident || problem.queries.assumed) return undefined;
  const few = withStage({ ...plan, stage: undefined });
  const ahead = nextJob({ ...plan, observed: true, rate: observed ? rate : FAST_RATE })?.segment;
  const first = nextJob(plan)?.segment;
  if (few.technique.form === "none" || !few.stage || !ahead || !first) return undefined;
  const queries = Math.min(queriesOfJob(problem.queryRows), caps.queries ?? MOST);
  const why = `${technique.why}; while kernels were compiled, references were read for ${queries} queries`;
  const early: PrefilterStage = {
    ...few.stage,
    queries,
    sources: stage?.sources ?? {},
    job: (job, now) => ({ ...few.stage!.job(job, now), ahead }),
    after: () => early,
    revised({ rate: seen, runLog }, { hasAhead = false }) {
      const fast = observed ? rate : fastRate(seen);
      if (!hasAhead || (fast === undefined && runLog.jobs < RISES)) return {};
      return { stage, technique: { ...technique, why }, observed: true, rate: fast ?? seen };
    },
  };
  return {
    plan: { ...few, technique: { ...few.technique, why }, stage: early },
    // A device that nobody timed begins with a small job, which has other kernels. Few queries time it, too.
    kernels: observed ? [ahead] : [ahead, first],
  };
}

/** Returns how many queries a job has, so that the last one, too, has none or enough. */
function queriesOfJob(count: number): number {
  let each = MOST;
  while (count % each > 0 && count % each < LEAST) each--;
  return each;
}
