/**
 * This module chooses how distances are filtered in float32 and says why: the expanded form (a matrix
 * product), the direct form (difference by difference), or none, when float64 itself is needed. It is pure.
 * Sizes and tiles are not its matter.
 */
import type { BackendKind } from "../../runtime/backend.ts";
import { MAX_FILTER_DIMS, boundOf, noBound } from "../bound/bound.ts";
import type { Bound, BoundProblem } from "../bound/bound.ts";
import { scaleByPowerOfTwo, twoTo } from "../../core/math.ts";

import type { Range } from "../rows/range.ts";
import { DIRECT_COLUMNS, formOf } from "./forms.ts";
import type { PairProblem } from "../problem.ts";

import type { Form, Mixed, Scale } from "./form.ts";
import type { Filter, Technique } from "./filter.ts";
import { baseTerms, hostOnly, type Preparers, preparersOf, isRefinable } from "./preparers.ts";
import { SUM_EXPONENT, scaleOf, mayOverflow, squaresAsTheyAre } from "./scale.ts";

/** It is the module mixed.ts, which is loaded for rows that need it. */
export type MixedPlanning = Pick<typeof import("./mixed.ts"), "mixedFormOf" | "mixedOf">;

/**
 * Chooses the technique.
 * @param kind who will search
 * @param mixing for rows with codes or gaps
 */
export function chooseTechnique(
  problem: PairProblem,
  kind: BackendKind = "cpu",
  mixing?: MixedPlanning,
): Technique {
  const { metric, p, cols, train, queries, precision, fitted } = problem;
  const reach = cols * (train.largest + queries.largest) ** 2;
  const options = { ...problem.options, metric, p };
  const ofNumbers = formOf(options, fitted, mixing ? Math.min(cols, DIRECT_COLUMNS) : cols, reach);
  const form = mixing ? mixing.mixedFormOf(ofNumbers, metric, options, fitted, cols) : ofNumbers;
  if (typeof form === "string") return { form: "none", why: form };
  if (precision === "float32" && (!form.isRank || form.mixed)) {
    return { form: "none", why: `float32 gives candidates for ${metric}, but not its distances` };
  }
  const grown = grownBy(problem, form);
  if (!form.own?.scale && mayOverflow(grown, form)) {
    return { form: "none", why: "values are so large that a distance may overflow float64" };
  }
  const { core, dot } = form;
  const refinable = kind === "gpu" && isRefinable(problem, form);
  const scale = form.own?.scale?.(grown) ?? (refinable ? squaresAsTheyAre(cols) : scaleOf(grown, form));
  if (typeof scale === "string") return { form: "none", why: scale };
  const mixed = form.mixed && mixing?.mixedOf(problem, form, form.mixed, scale.train);
  if (typeof mixed === "string") return { form: "none", why: mixed };
  const points = form.mixed?.counts ?? false;
  const on = kind === "gpu" ? preparersOf(problem, form, scale) : hostOnly;
  const bounding: BoundProblem = {
    core,
    dot,
    dims: mixed?.terms ?? cols,
    p: form.p,
    rounded: dot === "unit" || form.train.kind !== "plain" || !(train.exact && queries.exact),
    largest: twoTo(scale.largest),
    underflow: scale.underflow + scaleByPowerOfTwo(form.absolute, -scale.rank) + (mixed?.astray ?? 0),
    displaced: form.displaced,
    sizeFactor: form.sizeFactor,
    onDevice:
      on === hostOnly ? undefined : { sums: baseTerms(cols), exponent: Math.max(scale.train, scale.queries) },
  };
  const plain = precision === "float32" || points ? noBound : boundOf(bounding);
  const bound = plain && (form.own?.bound(plain, problem) ?? plain);
  // The bound sees only terms that are rounded, but counts of more columns would not be whole either.
  if (!bound || (mixed && cols > MAX_FILTER_DIMS))
    return { form: "none", why: `float32 keeps no useful order for ${cols} columns and p = ${form.p}` };
  if (!Number.isFinite(bound.marginConstant) || scale.underflow > twoTo(SUM_EXPONENT / 2)) {
    return { form: "none", why: "values are so small that float64 itself underflows" };
  }
  return {
    form: form.form,
    why: form.why,
    core,
    p: core === "lp" ? form.p : 0,
    weight: form.weight,
    slack: bound.slack,
    ...sides(problem, form, scale, bound, on, mixed),
    rankExponent: scale.rank,
    isRank: form.isRank,
    points,
    dims: mixed?.dims ?? cols,
    mixed: mixed?.params,
    power: scale.power,
    bounding,
    ties: form.ties,
    refinable,
  };
}

/** Returns the problem with the values that its rows have once they are shaped. */
function grownBy(problem: PairProblem, { growth, p }: Form): PairProblem {
  const larger = ({ largest, exact }: Range): Range => ({ largest: largest * growth, exact });
  return { ...problem, p, train: larger(problem.train), queries: larger(problem.queries) };
}

function sides(
  { centre }: PairProblem,
  { core, base, p, train, queries, movable }: Form,
  scale: Scale,
  bound: Bound,
  on: Preparers,
  mixed: Mixed | undefined,
): Pick<Filter, "train" | "queries"> {
  const factsExponent = scale.facts ?? (mixed ? 0 : 2 * scale.train);
  const common = { core, base, centre: movable ? centre : undefined, p, bound, factsExponent } as const;
  return {
    train: { ...common, rows: train, exponent: scale.train, on: on.train, mixed: mixed?.train },
    queries: { ...common, rows: queries, exponent: scale.queries, on: on.queries, mixed: mixed?.queries },
  };
}
