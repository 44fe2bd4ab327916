/**
 * This plans searches on a GPU that need not wait while a driver compiles, which takes it a second for the
 * kernels for many queries, and several the first time on a machine. Until then jobs have few queries each,
 * by those kernels that are there. All ways leave the candidates of all neighbours, so that results are the
 * same. This is pure: ahead/withoutWait.ts asks which kernels are there, and the executor has others
 * compiled. Those of later searches are compiled by ahead/laterSearches.ts.
 */
import type { Technique } from "../../../distance/forms/filter.ts";
import type { Segment } from "../../../runtime/backend.ts";
import { isRunOf, run } from "../../../runtime/primitive.ts";
import { measuredRate } from "../../../runtime/rate.ts";
import { rowCount } from "../../../runtime/source.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import { knnFewFilter } from "../fewPrimitive.ts";
import { FAST_RATE, fastRate } from "../rates.ts";
import { withStage } from "./few.ts";
import type { KnnJob, KnnPlan, PrefilterStage } from "./knnPlan.ts";

/** A job of several queries has at most this many. One query has another kernel. */
const MOST = 128;
/**
 * Kernels are compiled during a search if its rest would take longer than so many seconds: to compile takes
 * as long, and slows the jobs.
 */
const WORTH_COMPILING = 0.15;

/** A search may begin by this plan without a wait if its kernels are there. */
export interface Beginning {
  readonly plan: KnnPlan;
  /** This segment, which is not run, needs them; undefined where the way is taken whatever is there. */
  readonly kernels: Segment | undefined;
}

type NextJob = (plan: KnnPlan) => KnnJob | undefined;

/**
 * Makes the ways in which a search can begin. Its own plan, which is wanted most, comes first. Jobs of
 * several queries follow, then jobs of one. A single query has its own kernel or that for several. Where
 * kernels for few queries pay nothing, there is one way.
 * @param nextJob makes the next job of a plan; if it were imported, bundlers would cut what run.ts loads into
 *   more files
 */
export function* beginningsOf(plan: KnnPlan, nextJob: NextJob): Generator<Beginning> {
  const { problem, technique, stage, observed } = plan;
  const first = nextJob(plan)?.segment;
  const isOneWay = stage?.resident || stage?.rated === "fewBytes" || problem.queries.assumed;
  if (technique.form === "none" || isOneWay || !first) {
    return yield { plan, kernels: undefined };
  }
  if (stage?.rated === "few") {
    const own = { plan, kernels: first };
    yield own;
    if (problem.queryRows === 1) return yield bySeveral(own, stage, nextJob);
    const said = { ...plan, technique: saying(technique, technique) };
    return yield oneByOne({ ...own, plan: said }, stage, nextJob);
  }
  const few = withStage({ ...plan, stage: undefined });
  const timed = observed ? first : nextJob({ ...plan, observed: true, rate: FAST_RATE })?.segment;
  if (!few.stage || !timed) return yield { plan, kernels: undefined };
  // A device that nobody timed begins with a small job, which has other kernels.
  const kernels = observed ? timed : { ...timed, steps: [...timed.steps, ...first.steps] };
  yield { plan, kernels };
  const stageOfSeveral = severalAtATime(plan, few.stage, kernels);
  const early = { ...few, technique: saying(few.technique, technique), stage: stageOfSeveral };
  const several = beginning(early, nextJob);
  yield several;
  yield oneByOne(several, few.stage, nextJob);
}

/**
 * Returns the stage whose jobs have several queries until the kernels of a plan are there.
 * @param ahead is what needs these kernels
 * @param compiles says whether they are compiled meanwhile; by default they are if even a fast device would
 *   take long
 */
function severalAtATime(
  plan: KnnPlan,
  few: PrefilterStage,
  ahead: Segment,
  compiles = workOf(plan) > FAST_RATE * WORTH_COMPILING,
): PrefilterStage {
  const { technique, stage, caps, observed, rate } = plan;
  const early: PrefilterStage = {
    ...few,
    queries: Math.min(MOST, few.queries ?? MOST, caps.queries ?? MOST),
    sources: stage?.sources ?? {},
    job: (job, now) => ({ ...few.job(job, now), ...(compiles && { ahead }) }),
    after: () => early,
    revised({ rate: seen, todo }, done, job) {
      const searched = rowCount(job.task.rows);
      const left = todo.reduce((sum, { rows }) => sum + rowCount(rows), -searched);
      // One query is no measure of more, and after the last job the rate is still that of few queries.
      const isMeasure = !done.compiled && (searched > 1 || early.queries === 1);
      if (left === 0 || !isMeasure) return {};
      if (!compiles && (left / searched) * done.ms > WORTH_COMPILING * 1000)
        return { stage: severalAtATime(plan, few, ahead, true) };
      const fast = observed ? rate : fastRate(seen);
      const isTimed = fast !== undefined || seen >= measuredRate(job, done);
      if (done.ready !== ahead || !isTimed) return {};
      return { stage, technique: saying(technique, technique), observed: true, rate: fast ?? seen };
    },
  };
  return early;
}

function workOf({ problem: { queryRows, trainRows }, technique }: KnnPlan): number {
  return technique.form === "none" ? 0 : queryRows * trainRows * strideOf(technique.dims);
}

/**
 * Returns the way that has jobs of one query until the kernels of the other way are there.
 * @param stage rewrites jobs for the kernels for few queries
 */
function oneByOne({ plan, kernels: ahead }: Beginning, stage: PrefilterStage, nextJob: NextJob): Beginning {
  const early: PrefilterStage = {
    ...stage,
    queries: 1,
    sources: plan.stage?.sources ?? {},
    job: (job, now) => ({ ...stage.job(job, now), ...(ahead && { ahead }) }),
    after: () => early,
    revised: (_before, { ready }) => (ready ? { stage: plan.stage } : {}),
  };
  return beginning({ ...plan, stage: early }, nextJob);
}

/** Returns the way that takes the kernel for several queries for a single one. */
function bySeveral({ plan, kernels: ahead }: Beginning, stage: PrefilterStage, nextJob: NextJob): Beginning {
  const early: PrefilterStage = {
    ...stage,
    job: (job, now) => ({ ...asSeveral(stage.job(job, now)), ...(ahead && { ahead }) }),
    after: () => early,
  };
  return beginning({ ...plan, stage: early }, nextJob);
}

function asSeveral(job: KnnJob): KnnJob {
  const { segment } = job;
  if (!segment) return job;
  const steps = segment.steps.map((step) => {
    if (!isRunOf(step, knnFewFilter)) return step;
    const { params, bindings, cost } = step;
    return run(knnFewFilter, { params: { ...params, asSeveral: true }, bindings, cost });
  });
  return { ...job, segment: { ...segment, steps } };
}

function beginning(plan: KnnPlan, nextJob: NextJob): Beginning {
  return { plan, kernels: nextJob(plan)?.segment };
}

function saying(technique: Technique, wanted: Technique): Technique {
  const meanwhile = "while kernels were compiled, references were read for few queries at a time";
  return { ...technique, why: `${wanted.why}; ${meanwhile}` };
}
