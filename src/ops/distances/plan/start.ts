/**
 * This makes the plan that a distance histogram on a GPU begins with, and says why a GPU cannot count the
 * distances of some metric or rows. This is pure.
 */
import { LARGEST_FLOAT } from "../../../distance/float32.ts";
import { layoutReferences } from "../../../distance/layout.ts";
import type { Metric } from "../../../distance/metric.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import type { PairProblem } from "../../../distance/problem.ts";
import { chooseTechnique, type MixedPlanning } from "../../../distance/forms/technique.ts";
import type { Technique } from "../../../distance/forms/filter.ts";
import type { BackendInfo } from "../../../runtime/backend.ts";
import type { DistancesTuning } from "../options.ts";
import { extraBytes } from "./cut.ts";
import { areSquares } from "../deviceContract.ts";
import { isExact, type DistancesAsk, type DistancesPlan } from "./distancesPlan.ts";
import { unscaled } from "./unscaled.ts";
import type { WidthRates } from "./widths.ts";
import { chooseWhole, type Sample } from "./whole.ts";

interface DistancesStart {
  readonly ask: DistancesAsk;
  readonly metric: Metric;
  readonly device: BackendInfo;
  readonly tuning: DistancesTuning;
  /** An earlier plan observed this rate for the same device and like rows. */
  readonly rate: number | undefined;
  /** These are the rates of jobs by their width. */
  readonly rates: WidthRates;
  /** It has some rows of both sides. */
  readonly sample: Sample;
}

/** Returns the plan, which says so where a GPU cannot count the distances. */
export function planDistances(
  problem: PairProblem,
  { ask, metric, device, tuning, rate, rates, sample }: DistancesStart,
  mixing?: MixedPlanning,
): DistancesPlan {
  const technique = unscaled(chooseTechnique(problem, device.kind, mixing), problem);
  const root = metric.distance === Math.sqrt;
  const reason = unsuited(problem, technique, metric);
  const mayBeWhole =
    reason === undefined && technique.form !== "none" && isExact({ problem }) && areSquares(technique.core);
  const plan: DistancesPlan = {
    ...{ problem, ask, device, technique, tuning, root },
    unsuited: reason,
    whole: mayBeWhole ? chooseWhole(technique, ask.bins, root, sample, tuning.whole) : undefined,
    ceiling: problem.metric === "cosine" || problem.metric === "correlation" ? 2 : LARGEST_FLOAT,
    layout: undefined,
    budget: Math.min(device.budgetBytes, tuning.budget ?? Infinity),
    rate: rate ?? device.initialRate,
    observed: rate !== undefined,
    rates,
    open: { fixed: 1, float64: 1 },
    largestSeen: undefined,
    ranged: 0,
    counted: 0,
    runLog: {
      ...{ jobs: 0, dispatches: 0, passes: "once", why: "", fixed: 0, settled: 0, evaluated: 0 },
      ...{ halved: 0, lost: 0, lostInARow: 0, buffers: [] },
    },
  };
  return plan.unsuited === undefined ? withLayout(plan) : plan;
}

/** Lays out the references anew, such as after the budget became smaller. */
export function withLayout(plan: DistancesPlan): DistancesPlan {
  const { problem, technique, device, budget, tuning } = plan;
  if (technique.form === "none") return plan;
  const stride = strideOf(technique.dims);
  const lay = (own: DistancesPlan) =>
    layoutReferences(problem.trainRows, stride, extraBytes(own), device, budget, tuning);
  // Whole numbers are made once, of rows that stay.
  if (plan.whole && lay(plan).resident) return { ...plan, layout: lay(plan) };
  const float32 = { ...plan, whole: undefined };
  return { ...float32, layout: lay(float32) };
}

/** Says why a GPU cannot count; undefined where it can. */
function unsuited(problem: PairProblem, technique: Technique, metric: Metric): string | undefined {
  if (technique.form === "none") return technique.why;
  const { signed, distance, ordersByRank, name } = metric;
  const isRankItself = distance(2) === 2 && distance(3) === 3;
  if (signed || ordersByRank || !(isRankItself || distance === Math.sqrt))
    return `the edges of bins of ${name} are not made on a GPU`;
  if (technique.mixed || technique.power || technique.ties || !technique.isRank)
    return "rows with nominal values or gaps, and powers, have no kernel that counts them";
  if (problem.precision === "float64" && !technique.refinable)
    return (
      "a GPU evaluates in float64 only euclidean, squared, Manhattan and Chebyshev distances, of values that " +
      'float32 holds and that are near the origin; precision "float32" does without'
    );
  return undefined;
}
