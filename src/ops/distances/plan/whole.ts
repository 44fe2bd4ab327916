/**
 * This decides whether exact counts take their values from rows of whole numbers of 24 bits, whose intervals
 * are far narrower than those of float32, at about twice the time. It also says how rows become such numbers.
 * This is pure.
 *
 * An entry x becomes the whole number X nearest to x * 2^exponent, moved by an offset so that 0 <= X <
 * 2^24; what does not fit is cut off. Let E be the length of what a row's entries lose so, in steps of
 * 2^-exponent. Rows q and r whose whole numbers have the squared distance D then have the root of their
 * true one within E(q) + E(r) of the root of D, so that it is at most t D + (1 + 1/t) (E(q) + E(r))^2 away
 * from D, for any t > 0; here t is 2^-24, and (E(q) + E(r))^2 <= 2 E(q)^2 + 2 E(r)^2 gives each row its
 * margin.
 *
 * X less 0x808080 is a 2^16 + b 2^8 + c of signed bytes. D is |q|^2 + |r|^2 - 2 q.r, where products of b
 * with c and of c with c are left out. By Cauchy-Schwarz these come to at most 2^9 times the product of the
 * roots of |b|^2 + (1 + 2^-8) |c|^2 of both rows.
 *
 * All sums are exact, in units of 2^17: squared lengths lose less than one of them each. A value then is
 * one fma of two whole numbers, below 2^24 for up to 256 columns; of more columns each may be rounded, by
 * 2^-23 of itself, and what they cancel is below 2^33 columns, of which the constant takes 2^10 columns.
 * Adding half of an interval to the value rounds once more, and float64 errs by (columns + 4) 2^-53.
 */
import { exponentOf } from "../../../core/math.ts";
import { strideOf } from "../../../distance/rows/preparation.ts";
import type { Filter } from "../../../distance/forms/filter.ts";
import type { WholeParams } from "../deviceContract.ts";
import type { DistancesPlan, WholeNumbers } from "./distancesPlan.ts";

/** There are at most this many columns: beyond them squared lengths are no whole numbers below 2^24. */
const MOST_COLUMNS = 1000;
/** Float32 must leave open this share of pairs for whole numbers to be worth twice its time. */
const WORTH_FROM = 0.015;
/** A column of such rows takes as long as this many multiply-adds of float32, roughly. */
export const WHOLE_COST = 2;

const U = 2 ** -23;

/** A sample has some rows of both sides, in float64, row-major. */
export interface Sample {
  readonly train: Float64Array;
  readonly queries: Float64Array;
  readonly cols: number;
}

/**
 * Returns how rows become whole numbers, where exact counts take their values from these.
 * @param given what tests want
 */
export function chooseWhole(
  filter: Filter,
  bins: number,
  root: boolean,
  sample: Sample,
  given?: boolean,
): WholeNumbers | undefined {
  const isWorth = () => openShare(filter, bins, root, sample) > WORTH_FROM;
  if (sample.cols > MOST_COLUMNS || !(given ?? isWorth())) return undefined;
  return { unsigned: [...sample.train, ...sample.queries].every((x) => x >= 0) };
}

/** This many queries of the sample are looked at. */
const FEW = 4;

/**
 * Estimates the share of pairs whose float32 interval holds an edge: the whole width of the interval by that
 * of a bin.
 */
function openShare(
  { slack, train: { bound } }: Filter,
  bins: number,
  root: boolean,
  { train, queries, cols }: Sample,
): number {
  let [least, most, half, pairs] = [Infinity, 0, 0, 0];
  for (let q = 0; q < Math.min(queries.length, FEW * cols); q += cols)
    for (let r = 0; r < train.length; r += cols) {
      let [rank, own, other] = [0, 0, 0];
      for (let j = 0; j < cols; j++) {
        rank += (queries[q + j] - train[r + j]) ** 2;
        own += queries[q + j] ** 2;
        other += train[r + j] ** 2;
      }
      const distance = root ? Math.sqrt(rank) : rank;
      const width =
        slack * rank +
        bound.productFactor ** 2 * Math.sqrt(own * other) +
        bound.marginFactor * (own + other) +
        2 * bound.marginConstant;
      half += root ? width / Math.max(2 * distance, Math.sqrt(width)) : width;
      [least, most] = [Math.min(least, distance), Math.max(most, distance)];
      pairs++;
    }
  return Math.min(1, (2 * (half / pairs) * bins) / (most - least));
}

/**
 * Returns the exponent of whole numbers: no entry is larger than 2^24 steps, or 2^23 where some are
 * negative. A power of two itself is cut off by one step.
 */
function exponentFor({ problem, largestSeen, whole }: DistancesPlan): number {
  const { train, queries } = problem;
  const largest = Math.max(largestSeen ?? train.largest, queries.largest);
  return (whole?.unsigned ? 24 : 23) - exponentOf(largest * (1 - U));
}

export function wholeParams(plan: DistancesPlan, rows: number): WholeParams {
  const { problem, whole } = plan;
  const { cols } = problem;
  return {
    rows,
    stride: strideOf(cols),
    exponent: exponentFor(plan),
    offset: whole?.unsigned ? 0 : 2 ** 23,
    constant: 2 ** 18 + 2 ** 10 * cols,
  };
}

/** Returns the slack of intervals around values of whole numbers, and what a unit of these values is. */
export function wholeValues(plan: DistancesPlan): { readonly slack: number; readonly factor: number } {
  const slack = (plan.problem.cols > 256 ? 4.6 : 2.6) * U;
  return { slack, factor: 2 ** (17 - 2 * exponentFor(plan)) };
}
