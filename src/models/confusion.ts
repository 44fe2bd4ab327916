/**
 * Compares predicted classes with the true ones: accuracy and confusion matrix. More measures are in
 * performance.ts.
 */
import { InvalidInputError } from "../core/errors.ts";
import { sortedClasses } from "../table/classes.ts";
import { isMissing } from "./labels.ts";
import type { Label } from "./labels.ts";

/**
 * `confusion` returns this: the classes, how often each was predicted as each, and the accuracy.
 * @example
 * const { classes, counts, leftOut }: Confusion = confusion(["cat", "cat", null], ["cat", "dog", "dog"]);
 * const [cat, dog] = [classes.indexOf("cat"), classes.indexOf("dog")];
 * counts[cat * classes.length + dog]; // => 1
 * leftOut; // => 1
 */
export interface Confusion {
  /** They are the classes of labels and predictions, sorted. */
  readonly classes: readonly Label[];
  /**
   * They are row-major [true class][predicted class], made when first asked for.
   * @throws InvalidInputError for more than 16,384 classes
   */
  readonly counts: Uint32Array;
  /** It is NaN when no row is counted. */
  readonly accuracy: number;
  /** This many rows are left out, whose label or prediction is missing (null, undefined or NaN). */
  readonly leftOut: number;
}

/**
 * Counts how often each class was predicted as each.
 * @throws InvalidInputError when the two differ in length
 * @example
 * const { classes, counts, accuracy } = confusion(["cat", "cat", "dog"], ["cat", "dog", "dog"]);
 * classes; // => ["cat", "dog"]
 * counts; // => [1, 1, 0, 1]
 * accuracy; // => 2 / 3
 */
export function confusion(
  truth: ArrayLike<Label | null | undefined>,
  predicted: ArrayLike<Label | null | undefined>,
): Confusion {
  const { classes, pairs, leftOut } = classPairs(truth, predicted);
  const right = pairs.filter(([label, prediction]) => label === prediction).length;
  let counts: Uint32Array | undefined;
  return {
    classes,
    accuracy: right / pairs.length,
    leftOut,
    get counts() {
      return (counts ??= countsOf(pairs, classes.length));
    },
  };
}

/** It has the labels and predictions of the rows that have both, as numbers of `classes`. */
export interface ClassPairs {
  readonly classes: readonly Label[];
  readonly pairs: readonly (readonly [truth: number, predicted: number])[];
  readonly leftOut: number;
}

/**
 * Returns the rows that have both a label and a prediction.
 * @throws InvalidInputError when the two differ in length
 */
export function classPairs(
  truth: ArrayLike<Label | null | undefined>,
  predicted: ArrayLike<Label | null | undefined>,
): ClassPairs {
  checkSameLength(truth, predicted);
  const pairs = pairsOf(truth, predicted);
  const classes = sortedClasses(pairs.flat());
  const codeOf = new Map(classes.map((label, code) => [label, code]));
  return {
    classes,
    pairs: pairs.map(([label, prediction]) => [codeOf.get(label)!, codeOf.get(prediction)!]),
    leftOut: truth.length - pairs.length,
  };
}

/** A matrix has at most so many counts, which take a gibibyte. */
const MOST_COUNTS = 2 ** 28;

function countsOf(pairs: ClassPairs["pairs"], classes: number): Uint32Array {
  if (classes ** 2 > MOST_COUNTS) {
    throw new InvalidInputError(
      `${classes} classes make a confusion matrix of ${classes ** 2} counts, and at most ${MOST_COUNTS} are kept; ` +
        "accuracy, kappa, precision and recall need no matrix",
    );
  }
  const counts = new Uint32Array(classes ** 2);
  for (const [label, prediction] of pairs) counts[label * classes + prediction]++;
  return counts;
}

/** @throws InvalidInputError */
export function checkSameLength(truth: ArrayLike<unknown>, predicted: ArrayLike<unknown>): void {
  if (truth.length === predicted.length) return;
  throw new InvalidInputError(
    `${truth.length} true labels for ${predicted.length} predictions; pass one label for each prediction`,
  );
}

function pairsOf(
  truth: ArrayLike<Label | null | undefined>,
  predicted: ArrayLike<Label | null | undefined>,
): [Label, Label][] {
  const pairs: [Label, Label][] = [];
  for (let i = 0; i < truth.length; i++) {
    const [label, prediction] = [truth[i], predicted[i]];
    if (!isMissing(label) && !isMissing(prediction)) pairs.push([label, prediction]);
  }
  return pairs;
}
