/**
 * This module has the parameters of learning and predicting, for the operators and for the commands that do
 * the same. What is done with them stands with the operators.
 */
import { compatNames } from "../../models/nearestNeighbors.ts";
import { normalizeMethods, replacements } from "../../models/preparation/index.ts";
import { DEFAULT_SEED, samplings } from "../../models/validation/index.ts";
import { weightNames } from "../../models/weights.ts";
import { choice, column, columns, flag, number, text, wholeNumber } from "../catalogue/parameters.ts";
import { measureParameters } from "./measure.ts";

/** The generator has room for no greater seed. */
export const MOST_SEED = 2 ** 48 - 1;

const compat = (says: string) =>
  choice(["none", ...compatNames], { default: "none", otherwise: "none", says });

export const knnParameters = {
  ...measureParameters,
  weights: choice(weightNames, { default: "uniform", says: "how the neighbours are weighted" }),
  task: choice(["auto", "classify", "regress"], {
    default: "auto",
    says: "whether to predict a class or a number",
    otherwise: "a class where the label is nominal, else a number",
  }),
  compat: compat("reproduce the ties, votes and averages of that tool exactly"),
};

export const roleParameters = {
  label: column({ of: "table", says: "column to predict" }),
  ignore: columns({ of: "table", says: "columns to leave out of the comparison, such as a comment" }),
  features: columns({ of: "table", says: "columns to compare", otherwise: "all others" }),
};

export const replaceMissingParameters = {
  by: choice(replacements, { default: "average", says: "how missing values are replaced" }),
  value: text({
    says: "replacement with by = value: its text for nominal columns, its number for numeric ones",
  }),
};

export const normalizeParameters = {
  method: choice(normalizeMethods, { default: "z", says: "how numeric columns are scaled" }),
  min: number({ default: 0, says: "lower end of the range, with method = range" }),
  max: number({ default: 1, says: "upper end of the range, with method = range" }),
  allowNegative: flag({ default: false, says: "accept negative numbers, with method = proportion" }),
  compat: compat("reproduce that tool exactly"),
};

export const predictionParameters = {
  confidences: flag({
    default: true,
    says: "add a confidence column for each class",
    not: "leave out the confidence columns",
  }),
};

export const validationParameters = {
  folds: wholeNumber({ min: 2, default: 10, says: "number of folds" }),
  sampling: choice(["auto", ...samplings], {
    default: "auto",
    says: "how rows are assigned to folds",
    otherwise: "stratified for classes, shuffled for numbers",
  }),
  seed: wholeNumber({ min: 0, max: MOST_SEED, default: DEFAULT_SEED, says: "seed of the random folds" }),
};
