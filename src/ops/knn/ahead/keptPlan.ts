/**
 * Searches of few queries that ask alike are planned once: a device takes less time for one than a plan does.
 * After some of them an index has bytes, which later ones read. Only such searches load this module. It plans
 * nothing itself, which run.ts and fewBytes.ts do.
 */
import { exponentOf, twoTo } from "../../../core/math.ts";
import type { Matrix } from "../../../core/matrix.ts";
import type { Backend } from "../../../runtime/backend.ts";
import type { FittedRows } from "../../../distance/fittedRows.ts";
import type { KnnOptions } from "../options.ts";
import type { KnnJob, KnnPlan } from "../plan/knnPlan.ts";
import type { KnnProblem } from "../plan/problem.ts";
import { rateKey } from "../rates.ts";

/** Larger and smaller values are at the ends of what float64 holds. */
const MOST_EXPONENT = 500;
/** With rows at most this many plans are kept for searches that ask alike. */
const MOST_KEPT = 64;
/** After so many searches of few queries later ones read bytes, which take memory, and time to make. */
const WORTH_BYTES = 32;
/** None reads bytes after more than so many in which bytes left too much, or memory ran out. */
const MOST_FAILURES = 4;

/** Searches of few queries of an index were these. */
interface Seen {
  /** Plans were made for this backend, where what they need was tried. */
  readonly backend: Backend;
  searches: number;
  /** These plans read bytes since, or would gain nothing. */
  readonly tried: WeakSet<KnnPlan>;
}

const known = new WeakMap<object, Seen>();

/**
 * Returns the plan that is kept for the problem, or a new one. Values of queries count as large as a power of
 * two that none exceeds, and a rate asks alike within one, since each search corrects it. Searches of bytes
 * among bytes are not kept.
 * @param search plans a search whatever is compiled
 * @param begin makes the plan begin by kernels that are compiled
 * @param nextJob makes the next job of a plan
 */
export async function keptPlan(
  fitted: FittedRows<KnnOptions>,
  problem: KnnProblem,
  queries: Matrix,
  search: (problem: KnnProblem) => Promise<KnnPlan>,
  begin: (plan: KnnPlan) => Promise<KnnPlan>,
  nextJob: (plan: KnnPlan) => KnnJob | undefined,
): Promise<KnnPlan> {
  const { device, metric, train, plans } = fitted;
  const seen = seenOf(fitted);
  const { largest, ...range } = problem.queries;
  const exponent = exponentOf(largest);
  if (!(Math.abs(exponent) < MOST_EXPONENT)) return search(problem);
  const { budgetBytes, bufferBytes } = device.info;
  const rates = (["", "bytes", "few", "tree"] as const).map((of) =>
    device.rates.get(rateKey(metric, train.cols, undefined, of)),
  );
  const { exact, single } = range;
  const { largest: most, assumed } = problem.train;
  const question = [
    problem.k,
    queries.rows,
    queries.data.constructor.name,
    exponent,
    exact,
    single,
    range.assumed,
  ];
  const about = rates.map((rate) => rate && exponentOf(rate));
  const key = [...question, most, assumed, about, budgetBytes, bufferBytes].join();
  const kept = plans.get(key) as KnnPlan | undefined;
  const isAsked = fitted.options.tiles?.few === "bytes";
  const isOver = !isAsked && hasFailed(fitted) && kept?.stage?.rated === "fewBytes";
  if (kept && !isOver) {
    if (isWorthBytes(seen, fitted, kept)) {
      // What does not compile, or finds no device, is an error of no search: those go on as they are.
      const preparing = import("./fewBytes.ts").then((bytes) => bytes.preparedBytes(fitted, kept, nextJob));
      const take = (better: KnnPlan | undefined) =>
        better && plans.get(key) === kept && plans.set(key, better);
      preparing.then(take, () => undefined);
    }
    return kept;
  }
  const found = await search({ ...problem, queries: { ...range, largest: twoTo(exponent) } });
  const asked = isAsked ? await (await import("./fewBytes.ts")).bytesAtOnce(fitted, found) : undefined;
  const plan = asked ?? found;
  const begun = await begin(plan);
  if (plans.size >= MOST_KEPT) plans.clear();
  // A stage with sources may hold these very queries.
  const isOfQueries = plan.stage?.rated !== "fewBytes" && Object.keys(plan.stage?.sources ?? {}).length > 0;
  if (begun === plan && !isOfQueries) plans.set(key, plan);
  return begun;
}

function hasFailed({ failures }: FittedRows<KnnOptions>): boolean {
  return failures > MOST_FAILURES;
}

/** Returns what was seen of an index; after the loss of a device its plans are made anew. */
function seenOf(fitted: FittedRows<KnnOptions>): Seen {
  const { plans } = fitted;
  const { backend } = fitted.device;
  const before = known.get(fitted);
  if (before?.backend === backend) return before;
  if (before) plans.clear();
  const seen = { backend, searches: 0, tried: new WeakSet<KnnPlan>() };
  known.set(fitted, seen);
  return seen;
}

/** Counts a search by a plan that is kept. @returns whether later ones may read bytes, which is asked once */
function isWorthBytes(seen: Seen, fitted: FittedRows<KnnOptions>, plan: KnnPlan): boolean {
  seen.searches++;
  const isWorth = seen.searches >= WORTH_BYTES && !hasFailed(fitted) && !fitted.device.info.software;
  if (!isWorth || seen.tried.has(plan)) return false;
  seen.tried.add(plan);
  return true;
}
