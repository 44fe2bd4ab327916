/** How predictions compare with the truth: accuracy and confusion matrix. */
import { InvalidInputError } from "../core/errors.ts";
import { compareLabels } from "./labels.ts";
import type { Label } from "./labels.ts";

/** What `confusion` gives. */
export interface Confusion {
  /** Classes of either side, sorted. */
  readonly classes: readonly Label[];
  /** Row-major [true class][predicted class]. */
  readonly counts: Uint32Array;
  readonly accuracy: number;
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
export function confusion(truth: ArrayLike<Label>, predicted: ArrayLike<Label>): Confusion {
  if (truth.length !== predicted.length) {
    throw new InvalidInputError(
      `${truth.length} true labels for ${predicted.length} predictions; pass one label for each prediction`,
    );
  }
  const classes = [...new Set([...Array.from(truth), ...Array.from(predicted)])].sort(compareLabels);
  const codeOf = new Map(classes.map((label, code) => [label, code]));
  const counts = new Uint32Array(classes.length ** 2);
  let right = 0;
  for (let i = 0; i < truth.length; i++) {
    counts[codeOf.get(truth[i])! * classes.length + codeOf.get(predicted[i])!]++;
    if (truth[i] === predicted[i]) right++;
  }
  return { classes, counts, accuracy: right / truth.length };
}
