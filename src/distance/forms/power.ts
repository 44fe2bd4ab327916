/**
 * This is the float32 form of RapidMiner's polynomial kernels above degree 1: K(x,x) + K(q,q) - 2 K(x,q) with
 * K(x,q) = (x.q + shift)^times is two bases, each of one row, and a power of an inner product. It is pure. It
 * is loaded with mixed.ts where it is asked for.
 */
import { exponentOf, scaleByPowerOfTwo } from "../../core/math.ts";
import { powerBound } from "../bound/power.ts";
import type { PairPower } from "../contract/power.ts";
import { powerRows } from "../rows/rareForms.ts";
import type { PairProblem } from "../problem.ts";
import { defaults, type Form, type Scale } from "./form.ts";

/** No power is larger: beyond it float32 keeps too little of the order to be worth computing. */
const MOST_TIMES = 24;

/** Returns the form, or a sentence saying why float32 cannot filter this kernel. */
export function powerFormOf(degree: number, shift: number): Form | string {
  const times = Math.ceil(degree);
  if (times > MOST_TIMES) return `float32 keeps no useful order of inner products to the power of ${times}`;
  const power = { shift, times };
  const rows = powerRows(power);
  return {
    ...defaults,
    form: "expanded",
    core: "dot",
    dot: "inner",
    base: "own",
    weight: -2,
    train: rows,
    queries: rows,
    own: {
      scale: (problem) => scaleOf(problem, power),
      bound: (inner) => powerBound(inner, times),
    },
    why: "K(x,x) + K(q,q) - 2 K(x,q) of a power K of the inner product, which is a matrix product",
  };
}

/** It bounds every K that (|x|^2 + |shift|)^times stays below 2 to this power. */
const POWER_EXPONENT = 98;
/** Queries may be larger than train by so many powers of two of K's root before train is scaled anew. */
const POWER_HEADROOM = 12;
/** Between these exponents K stays in float64; beyond, powers may overflow or lose what is small. */
const [MOST_EXPONENT, LEAST_EXPONENT] = [1020, -900];

/**
 * Returns a scale for which inner products and the shift fit float32 with all their powers; rows are
 * multiplied by this power of two.
 */
function scaleOf({ train, queries, cols }: PairProblem, { shift, times }: PairPower): Scale | string {
  const sum = (largest: number) => Math.max(Math.ceil(Math.log2(cols)) + 2 * largest, exponentOf(shift)) + 1;
  const [ofTrain, ofQueries] = [exponentOf(train.largest), exponentOf(queries.largest)];
  if (times * sum(Math.max(ofTrain, ofQueries)) >= MOST_EXPONENT)
    return "values are so large that a power may overflow float64";
  const headroom = Math.floor(POWER_HEADROOM / times);
  const room = Math.floor(POWER_EXPONENT / times) - 2 * headroom;
  const products = sum(Math.max(ofTrain, ofQueries - headroom));
  const exponent = products === -Infinity ? 0 : Math.floor((room - products) / 2);
  const facts = 2 * exponent * times;
  if (-facts < LEAST_EXPONENT) return "values are so small that powers of them may underflow in float64";
  return {
    train: exponent,
    queries: exponent,
    facts,
    rank: -facts,
    largest: Math.ceil(room / 2) + headroom,
    underflow: 0,
    power: { times, shift: scaleByPowerOfTwo(shift, 2 * exponent) },
  };
}
