/**
 * These are RapidMiner's BregmanDivergences of a training row x from a query q, which are not symmetric, and
 * the checks of the training set they begin with. Queries are never checked. Missing values are not handled:
 * NaN spreads.
 */
import { InvalidInputError } from "../../../core/errors.ts";
import { log } from "../../../core/float/explog.ts";
import { cellName, type Matrix } from "../../../core/matrix.ts";
import { squaredDifferences } from "../differences.ts";
import type { Divergence } from "../names.ts";
import { overCommon, unlessEmpty } from "../rank.ts";
import type { Rank } from "../rank.ts";
import { plural } from "../../../core/plural.ts";

/** Returns the rank of a divergence. Mahalanobis is in mahalanobis.ts. */
export function divergenceRank(measure: Exclude<Divergence, "MahalanobisDistance">): Rank {
  switch (measure) {
    case "GeneralizedIDivergence":
      return generalizedI;
    case "ItakuraSaitoDistance":
      return ofOne((x, q) => x / q - log(x / q) - 1);
    case "KLDivergence":
      return relativeEntropy;
    case "LogarithmicLoss":
      return ofOne((x, q) => x * log(x / q) - (x - q));
    case "LogisticLoss":
      return ofOne((x, q) => x * log(x / q) + (1 - x) * log((1 - x) / (1 - q)));
    case "SquaredEuclideanDistance":
      return overCommon(unlessEmpty(squaredDifferences));
    case "SquaredLoss":
      return ofOne((x, q) => (x - q) * (x - q));
  }
}

/** Makes a rank of rows of one attribute. */
function ofOne(value: (x: number, q: number) => number): Rank {
  return (x, q) => value(x[0], q[0]);
}

function generalizedI(x: Float64Array, q: Float64Array): number {
  let entropy = 0;
  let difference = 0;
  for (let j = 0; j < x.length; j++) {
    entropy += x[j] * log(x[j] / q[j]);
    difference += x[j] - q[j];
  }
  return entropy - difference;
}

/** Returns the relative entropy in bits, of rows that are not scaled to sum 1. */
function relativeEntropy(x: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < x.length; j++) sum += x[j] * (log(x[j] / q[j]) / Math.LN2);
  return sum;
}

const oneColumn: readonly Divergence[] = [
  "ItakuraSaitoDistance",
  "LogarithmicLoss",
  "LogisticLoss",
  "SquaredLoss",
];
const positive: readonly Divergence[] = ["GeneralizedIDivergence", "ItakuraSaitoDistance", "LogarithmicLoss"];

/** @throws InvalidInputError where RapidMiner refuses the training set. */
export function checkDivergence(measure: Divergence, train: Matrix): void {
  if (oneColumn.includes(measure) && train.cols !== 1) {
    throw new InvalidInputError(
      `rapidminer:${measure} is defined for exactly one attribute, but train has ${plural(train.cols, "column")} (RapidMiner's ` +
        `error inapplicable_bregman_divergence.multiple); choose one column, or another measure`,
    );
  }
  if (positive.includes(measure)) {
    checkValues(measure, train, Infinity, "above 0", "inapplicable_bregman_divergence");
  } else if (measure === "LogisticLoss") {
    checkValues(measure, train, 1, "between 0 and 1", "inapplicable_bregman_divergence.range");
  }
}

/** Throws for a value out of range; a missing one passes. */
function checkValues(measure: Divergence, train: Matrix, end: number, range: string, error: string): void {
  const { data } = train;
  for (let at = 0; at < data.length; at++) {
    if (!(data[at] <= 0 || data[at] >= end)) continue;
    throw new InvalidInputError(
      `${cellName(train, "train", at)} is ${data[at]}, but rapidminer:${measure} needs training values ` +
        `${range} (RapidMiner's error ${error}); rescale the column, or choose another measure`,
    );
  }
}
