/** This module makes steps of preparation from what they keep of themselves, such as in a model file. */
import { InvalidInputError } from "../../core/errors.ts";
import { Normalize } from "./normalize.ts";
import type { Preparation, PreparationState } from "./preparation.ts";
import { ReplaceMissingValues } from "./replaceMissing.ts";

const classes: readonly unknown[] = [Normalize, ReplaceMissingValues];

/** Says whether a step is of a class of ours, and of none that extends one. */
export function isOurs(step: Preparation): boolean {
  return classes.includes(step.constructor);
}

/** @throws InvalidInputError for a step of which `preparationOf` would not make the same again */
export function checkSaved(step: Preparation): void {
  if (isOurs(step)) return;
  throw new InvalidInputError(
    `a model file cannot hold the step ${step.constructor.name}, which is of a class of your own; save the ` +
      "model behind it, and prepare rows yourself",
  );
}

/** @throws InvalidInputError for a step this version does not know */
export function preparationOf(state: PreparationState): Preparation {
  switch (state.step) {
    case "normalize":
      return Normalize.fromState(state);
    case "replaceMissing":
      return ReplaceMissingValues.fromState(state);
    default:
      throw new InvalidInputError(
        `unknown step of preparation ${JSON.stringify(state.step)}; expected normalize or replaceMissing`,
      );
  }
}
