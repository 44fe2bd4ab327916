/**
 * These are RapidMiner's NominalMeasures. A value is the code of its string in the training column's
 * dictionary, so equal codes are equal strings; a code the dictionary does not have is a value unseen in
 * training and equals none.
 */
import type { ColumnKind } from "../../../core/matrix.ts";
import type { NominalMeasure } from "../names.ts";
import { sumOverCommon } from "../rank.ts";
import type { Rank } from "../rank.ts";

/** The counts over all attributes: a value missing on either side, or on both, is unequal. */
interface Counts {
  /** So many attributes are equal, and not the negative value of a binominal column. */
  readonly equal: number;
  /** So many attributes are both the negative value (code 0) of a binominal column. */
  readonly equalFalse: number;
  readonly unequal: number;
}

/** Returns the rank of a measure. Similarities s are ranked by -s. */
export function nominalRank(measure: NominalMeasure, kinds: readonly ColumnKind[]): Rank {
  const similarity = (of: (counts: Counts) => number): Rank => {
    return (x, q) => -of(countMatches(x, q, kinds));
  };
  switch (measure) {
    case "NominalDistance":
      return sumOverCommon((x, q) => (x === q ? 0 : 1));
    case "DiceSimilarity":
      return similarity(({ equal: e, unequal: u }) => (2 * e) / (2 * e + u));
    case "JaccardSimilarity":
      return similarity(({ equal: e, unequal: u }) => e / (e + u));
    case "KulczynskiSimilarity":
      return similarity(({ equal: e, unequal: u }) => e / u);
    case "RogersTanimotoSimilarity":
      return similarity(({ equal: e, equalFalse: f, unequal: u }) => (e + f) / (e + f + 2 * u));
    case "RussellRaoSimilarity":
      return similarity(({ equal: e, equalFalse: f, unequal: u }) => e / (e + u + f));
    case "SimpleMatchingSimilarity":
      return similarity(({ equal: e, equalFalse: f, unequal: u }) => (e + f) / (e + u + f));
  }
}

function countMatches(x: Float64Array, q: Float64Array, kinds: readonly ColumnKind[]): Counts {
  let equal = 0;
  let equalFalse = 0;
  for (let j = 0; j < x.length; j++) {
    if (x[j] !== q[j]) continue;
    if (kinds[j] === "binominal" && x[j] === 0) equalFalse++;
    else equal++;
  }
  return { equal, equalFalse, unequal: x.length - equal - equalFalse };
}
