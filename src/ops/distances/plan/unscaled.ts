/**
 * This keeps rows that lie on a GPU as they are for Manhattan and Chebyshev distances, by these names or as
 * Minkowski's, where it may evaluate them in float64. Other programs scale such rows, which is no matter to
 * their bounds. This is pure.
 */
import { exponentOf, twoTo } from "../../../core/math.ts";
import { boundOf } from "../../../distance/bound/bound.ts";
import type { Technique } from "../../../distance/forms/filter.ts";
import { UNSCALED } from "../../../distance/forms/scale.ts";
import type { PairProblem } from "../../../distance/problem.ts";

const metrics: ReadonlySet<string> = new Set(["manhattan", "chebyshev", "minkowski"]);
const cores: ReadonlySet<string> = new Set(["l1", "linf"]);

/** Returns the technique with rows as they are where exact counts need these, or the technique itself. */
export function unscaled(technique: Technique, problem: PairProblem): Technique {
  const { metric, options, centre, precision, train, queries, cols } = problem;
  if (technique.form === "none" || precision !== "float64" || !metrics.has(metric)) return technique;
  if (!cores.has(technique.core) || technique.mixed || centre || options.columnWeights) return technique;
  // The host makes subnormals zero, which float64 tells apart.
  if (technique.train.on === "host" || technique.queries.on === "host") return technique;
  const exponents = [train, queries].map(({ largest }) => exponentOf(largest));
  const most = Math.max(...exponents);
  const isSingle = train.single === true && queries.single === true;
  if (!isSingle || most > UNSCALED.most || most < UNSCALED.least) return technique;
  const { onDevice } = technique.bounding;
  const bounding = {
    ...technique.bounding,
    largest: twoTo(UNSCALED.most + Math.ceil(Math.log2(cols))),
    underflow: 0,
    onDevice: onDevice && { ...onDevice, exponent: 0 },
  };
  const bound = boundOf(bounding);
  if (!bound) return technique;
  const side = { exponent: 0, factsExponent: 0, bound };
  return {
    ...{ ...technique, bounding, slack: bound.slack, rankExponent: 0, refinable: true },
    train: { ...technique.train, ...side },
    queries: { ...technique.queries, ...side },
  };
}
