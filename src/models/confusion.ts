/** How predicted classes compare with the true ones: accuracy and confusion matrix. More measures are performance.ts. */
import { InvalidInputError } from "../core/errors.ts";
import { compareLabels } from "./labels.ts";
import type { Label } from "./labels.ts";

/**
 * What `confusion` gives.
 * @example
 * const { classes, counts, leftOut }: Confusion = confusion(["cat", "cat", null], ["cat", "dog", "dog"]);
 * const [cat, dog] = [classes.indexOf("cat"), classes.indexOf("dog")];
 * counts[cat * classes.length + dog]; // => 1
 * leftOut; // => 1
 */
export interface Confusion {
  /** Classes of either side, sorted. */
  readonly classes: readonly Label[];
  /** Row-major [true class][predicted class]. */
  readonly counts: Uint32Array;
  /** NaN when no row is counted. */
  readonly accuracy: number;
  /** Rows left out, whose label or prediction is missing (null, undefined or NaN). */
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
  checkSameLength(truth, predicted);
  const pairs = pairsOf(truth, predicted);
  const classes = [...new Set(pairs.flat())].sort(compareLabels);
  const codeOf = new Map(classes.map((label, code) => [label, code]));
  const counts = new Uint32Array(classes.length ** 2);
  let right = 0;
  for (const [label, prediction] of pairs) {
    counts[codeOf.get(label)! * classes.length + codeOf.get(prediction)!]++;
    if (label === prediction) right++;
  }
  return { classes, counts, accuracy: right / pairs.length, leftOut: truth.length - pairs.length };
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
    if (isPresent(label) && isPresent(prediction)) pairs.push([label, prediction]);
  }
  return pairs;
}

function isPresent(label: Label | null | undefined): label is Label {
  return label !== null && label !== undefined && !Number.isNaN(label);
}
