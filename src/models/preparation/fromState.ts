/**
 * This module makes steps of preparation from what they keep of themselves: in a model file, or beside a
 * model that is fitted again.
 */
import { isNearfieldError, InvalidInputError } from "../../core/errors.ts";
import { Normalize } from "./normalize.ts";
import type { Preparation, PreparationState } from "./preparation.ts";
import { ReplaceMissingValues } from "./replaceMissing.ts";

/**
 * Returns steps that stay as these are now when these are fitted again, but for those of another class, which
 * are given as they are; undefined where one is not fitted.
 */
export function snapshotsOf(steps: readonly Preparation[]): readonly Preparation[] | undefined {
  try {
    const own: readonly unknown[] = [Normalize, ReplaceMissingValues];
    return steps.map((step) => (own.includes(step.constructor) ? preparationOf(step.toState()) : step));
  } catch (error) {
    if (isNearfieldError(error, "InvalidInput")) return undefined;
    throw error;
  }
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
