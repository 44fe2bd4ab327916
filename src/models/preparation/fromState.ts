/** This module makes steps of preparation from what they keep of themselves, such as in a model file. */
import { InvalidInputError } from "../../core/errors.ts";
import { Normalize } from "./normalize.ts";
import type { Preparation, PreparationState } from "./preparation.ts";
import { ReplaceMissingValues } from "./replaceMissing.ts";

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
