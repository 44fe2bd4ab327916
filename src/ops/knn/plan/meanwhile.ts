/**
 * This has a GPU answer by its kernels for few queries while a driver compiles those for many, which takes it
 * a second, and several the first time on a machine. Jobs have few queries each until then. Both ways leave
 * the candidates of all neighbours, so that results are the same. A search of more than a few queries loads
 * it (run.ts). The kernels of later searches are compiled ahead by ahead/laterSearches.ts.
 */
import type { Backend } from "../../../runtime/backend.ts";
import { FAST_RATE, fastRate } from "../../../runtime/rate.ts";
import { withStage } from "./few.ts";
import type { nextJob } from "./jobs.ts";
import type { KnnPlan } from "./knnPlan.ts";

/** A job has at most this many queries, and the last one not fewer than these, which take the same kernel. */
const MOST = 32;
const LEAST = 9;
/** So many kinds of searches are remembered whose kernels are there. */
const MOST_KNOWN = 256;

/** After so many jobs the rate of a device is known, which rises by four times a job at most. */
const RISES = 6;

const compiledFor = new WeakMap<Backend, Set<string>>();

/**
 * Returns the plan, or one that begins with few queries a job where its kernels are not there yet.
 * @param next makes the next job of a plan; if it were imported, bundlers would cut what run.ts loads into
 *   more files
 */
export async function whileCompiling(
  plan: KnnPlan,
  backend: Backend,
  next: typeof nextJob,
): Promise<KnnPlan> {
  const { problem, technique, stage, caps, observed, rate } = plan;
  if (technique.form === "none" || stage?.resident || problem.queries.assumed) return plan;
  const known = compiledFor.get(backend) ?? new Set();
  compiledFor.set(backend, known);
  const { k, queryRows, trainRows, cols, metric } = problem;
  const kind = [metric, cols, k, queryRows, trainRows, technique.why].join();
  if (known.has(kind)) return plan;
  const each = Math.min(queriesOfJob(queryRows), caps.queries ?? MOST);
  const few = withStage({ ...plan, stage: undefined });
  const segment = next({ ...plan, observed: true, rate: observed ? rate : FAST_RATE })?.segment;
  if (few.technique.form === "none" || !few.stage || !segment || !backend.compileAhead) return plan;
  const remember = () => {
    if (known.size >= MOST_KNOWN) known.clear();
    known.add(kind);
  };
  // A device that was never timed begins with a small job, which has other kernels; few queries time it, too.
  const first = observed ? undefined : next(plan)?.segment;
  const isThere = await backend.isCompiled?.(segment);
  if (isThere && (!first || (await backend.isCompiled?.(first)))) {
    remember();
    return plan;
  }
  const why = `${technique.why}; while kernels were compiled, references were read once for ${each} queries`;
  let compiling: Promise<void> | undefined;
  let isCompiled = false;
  return {
    ...few,
    technique: { ...few.technique, why },
    stage: {
      ...few.stage,
      queries: each,
      sources: stage?.sources ?? {},
      after() {
        return this;
      },
      revised({ rate: seen, runLog }) {
        // Not sooner, since a driver takes longer for the kernels for few queries beside others.
        compiling ??= backend.compileAhead?.(segment).done.then(() => {
          isCompiled = true;
          remember();
        });
        const fast = observed ? rate : fastRate(seen);
        if (!isCompiled || (fast === undefined && runLog.jobs < RISES)) return {};
        return {
          ...{ stage, technique: { ...technique, why } },
          ...{ observed: true, rate: fast ?? seen },
        };
      },
    },
  };
}

/** Returns how many queries a job has, so that the last one, too, has none or enough. */
function queriesOfJob(count: number): number {
  let each = MOST;
  while (count % each > 0 && count % each < LEAST) each--;
  return each;
}
