/**
 * Describes the header of a model file in one place: its types and the check of every member on its own.
 * agreement.ts checks the members against each other, columns.ts and model.ts check the arrays' values.
 * docs/model-file.md describes the same in words.
 */
import { columnKinds, missingPolicies } from "../../core/matrix.ts";
import { kernelTypes } from "../../distance/measures/kernels.ts";
import { metricNames } from "../../distance/metric.ts";
import { nominalTypes, numericTypes } from "../../table/column.ts";
import { compatNames } from "../nearestNeighbors.ts";
import { normalizeMethods } from "../preparation/normalize.ts";
import { replacements } from "../preparation/replaceMissing.ts";
import { weightNames } from "../weights.ts";
import {
  aboveZero,
  boolean,
  either,
  finite,
  listOf,
  nameOf,
  number,
  object,
  optional,
  recordOf,
  taggedBy,
  text,
  tupleOf,
  wholeFrom,
} from "./check.ts";
import type { Check } from "./check.ts";
import { kindNames } from "./container.ts";
import type { ArrayPlace, Kind } from "./container.ts";

const count = wholeFrom(0);

const anyPlace = recordOf({ kind: nameOf(kindNames), begin: count, length: count });

function placeOf(kind: Kind): Check<ArrayPlace> {
  return recordOf({ kind: nameOf([kind]), begin: count, length: count });
}

/** This is a column; a nominal one has the texts of its dictionary, by code. */
const column = either(
  (value) => typeof value === "object" && value !== null && "dictionary" in value,
  recordOf({
    name: text,
    type: optional(nameOf(nominalTypes)),
    cells: placeOf("uint32"),
    dictionary: listOf(text),
  }),
  recordOf({ name: text, type: optional(nameOf(numericTypes)), cells: placeOf("float64") }),
);

const table = recordOf({ columns: listOf(column) });

/** This is a row-major matrix; with `gaps`, cells may be NaN. */
const matrix = recordOf({
  rows: wholeFrom(1),
  cols: wholeFrom(1),
  data: anyPlace,
  kinds: optional(listOf(nameOf(columnKinds))),
  gaps: optional(boolean),
});

/**
 * They are the options of the estimator. Absent ones have its defaults; those of its device are no part of a
 * model.
 */
const options = recordOf({
  nNeighbors: optional(wholeFrom(1)),
  weights: optional(nameOf(weightNames)),
  compat: optional(nameOf(compatNames)),
  metric: optional(nameOf(metricNames)),
  p: optional(number),
  kernel: optional(
    recordOf({
      type: optional(nameOf(kernelTypes)),
      gamma: optional(finite),
      sigma1: optional(finite),
      sigma2: optional(finite),
      sigma3: optional(finite),
      degree: optional(finite),
      shift: optional(finite),
      a: optional(finite),
      b: optional(finite),
    }),
  ),
  columnWeights: optional(listOf(finite)),
  missing: optional(nameOf(missingPolicies)),
  precision: optional(nameOf(["float64", "float32"])),
  features: optional(listOf(text)),
});

const textOrNumber = either((value) => typeof value === "string", text, finite);

const preparation = listOf(
  taggedBy("step", {
    normalize: recordOf({
      step: text,
      options: recordOf({
        method: optional(nameOf(normalizeMethods)),
        min: optional(finite),
        max: optional(finite),
        allowNegative: optional(boolean),
        compat: optional(nameOf(compatNames)),
      }),
      columns: listOf(
        tupleOf(
          text,
          taggedBy("kind", {
            linear: recordOf({ kind: text, shift: finite, scale: aboveZero }),
            constant: recordOf({ kind: text, value: finite }),
            unchanged: recordOf({ kind: text }),
          }),
        ),
      ),
    }),
    replaceMissing: recordOf({
      step: text,
      options: recordOf({ by: optional(nameOf(replacements)), value: optional(textOrNumber) }),
      columns: listOf(tupleOf(text, textOrNumber)),
    }),
  }),
);

const isText = (value: unknown) => typeof value === "string";
const has = (name: string) => (value: unknown) =>
  typeof value === "object" && value !== null && name in value;

const label = either(isText, text, finite);

/** This is of preparation alone: nothing was trained behind it. */
const ofPreparation = recordOf({ model: nameOf(["preparation"]), preparation, notes: object });

const ofEstimator = recordOf({
  model: nameOf(["classifier", "regressor"]),
  options,
  preparation,
  train: either(has("columns"), table, matrix),
  /**
   * Labels are the name of a column of `train`, or classes with the number of each row's, or each row's
   * number.
   */
  labels: either(
    isText,
    text,
    either(
      has("classes"),
      recordOf({ classes: listOf(label), codes: placeOf("uint32") }),
      placeOf("float64"),
    ),
  ),
  notes: object,
});

/** Checks a header, and throws a Misfit for a member that is not as described. */
export const checkHeader = taggedBy("model", {
  classifier: ofEstimator,
  regressor: ofEstimator,
  preparation: ofPreparation,
});

/** A model that predicts has this header. */
export type ModelHeader = ReturnType<typeof ofEstimator>;
export type PreparationHeader = ReturnType<typeof ofPreparation>;
export type SavedColumn = ReturnType<typeof column>;
export type SavedMatrix = ReturnType<typeof matrix>;
export type SavedOptions = ReturnType<typeof options>;
