/**
 * Searches of few queries that ask alike are planned once: a device takes less time for one than a plan does.
 * Only they load this module. It plans nothing itself, which run.ts does.
 */
import { exponentOf, twoTo } from "../../../core/math.ts";
import type { Matrix } from "../../../core/matrix.ts";
import type { FittedRows } from "../../../distance/fittedRows.ts";
import type { KnnOptions } from "../options.ts";
import type { KnnPlan } from "../plan/knnPlan.ts";
import type { KnnProblem } from "../plan/problem.ts";
import { rateKey } from "../rates.ts";

/** Larger and smaller values are at the ends of what float64 holds. */
const MOST_EXPONENT = 500;
/** With rows at most this many plans are kept for searches that ask alike. */
const MOST_KEPT = 64;

/**
 * Returns the plan that is kept for the problem, or a new one. Values of queries count as large as a power of
 * two that none exceeds, and a rate asks alike within one, since each search corrects it. Searches of bytes
 * among bytes are not kept.
 * @param search plans a search whatever is compiled
 * @param begin makes the plan begin by kernels that are compiled
 */
export async function keptPlan(
  { device, metric, train, plans }: FittedRows<KnnOptions>,
  problem: KnnProblem,
  queries: Matrix,
  search: (problem: KnnProblem) => Promise<KnnPlan>,
  begin: (plan: KnnPlan) => Promise<KnnPlan>,
): Promise<KnnPlan> {
  const { largest, ...range } = problem.queries;
  const exponent = exponentOf(largest);
  if (!(Math.abs(exponent) < MOST_EXPONENT)) return search(problem);
  const { budgetBytes, bufferBytes } = device.info;
  const rates = (["", "bytes", "few", "tree"] as const).map((of) =>
    device.rates.get(rateKey(metric, train.cols, undefined, of)),
  );
  const { exact, single } = range;
  const { largest: most, assumed } = problem.train;
  const asked = [problem.k, queries.rows, queries.data.constructor.name, exponent, exact, single];
  const about = rates.map((rate) => rate && exponentOf(rate));
  const key = [...asked, most, assumed, about, budgetBytes, bufferBytes].join();
  const kept = plans.get(key);
  if (kept) return kept as KnnPlan;
  const plan = await search({ ...problem, queries: { ...range, largest: twoTo(exponent) } });
  const begun = await begin(plan);
  if (plans.size >= MOST_KEPT) plans.clear();
  // A stage with sources may hold these very queries.
  if (begun === plan && Object.keys(plan.stage?.sources ?? {}).length === 0) plans.set(key, plan);
  return begun;
}
