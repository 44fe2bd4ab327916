/**
 * The parameters of learning and predicting, for the operators and for the commands that do the same. What is
 * done with them stands with the operators.
 */
import { compatNames } from "../../models/nearestNeighbors.ts";
import { normalizeMethods, replacements } from "../../models/preparation/index.ts";
import { DEFAULT_SEED, samplings } from "../../models/validation/index.ts";
import { weightNames } from "../../models/weights.ts";
import { choice, column, columns, flag, number, text, wholeNumber } from "../catalogue/parameters.ts";
import { measureParameters } from "./measure.ts";

/** The greatest seed that the generator has room for. */
export const MOST_SEED = 2 ** 48 - 1;

const compat = (says: string) =>
  choice(["none", ...compatNames], { default: "none", otherwise: "none", says });

export const knnParameters = {
  ...measureParameters,
  weights: choice(weightNames, { default: "uniform", says: "how neighbours count" }),
  task: choice(["auto", "classify", "regress"], {
    default: "auto",
    says: "what to predict",
    otherwise: "a class where the label is nominal, else a number",
  }),
  compat: compat("follow that tool to the letter: its ties, votes and averages"),
};

export const roleParameters = {
  label: column({ of: "table", says: "the column to predict" }),
  ignore: columns({ of: "table", says: "columns that are not compared, such as a weight or a comment" }),
  features: columns({ of: "table", says: "columns to compare", otherwise: "all others" }),
};

export const replaceMissingParameters = {
  by: choice(replacements, { default: "average", says: "the value that fills a gap" }),
  value: text({ says: "of by = value: nominal columns take its text, numeric ones its number" }),
};

export const normalizeParameters = {
  method: choice(normalizeMethods, { default: "z", says: "how numbers are brought to one scale" }),
  min: number({ default: 0, says: "begin of the range of method = range" }),
  max: number({ default: 1, says: "end of the range of method = range" }),
  allowNegative: flag({ default: false, says: "allow negative numbers with method = proportion" }),
  compat: compat("follow that tool to the letter"),
};

export const predictionParameters = {
  confidences: flag({
    default: true,
    says: "add a column of confidence for each class",
    not: "leave out the columns of confidence, one for each class",
  }),
};

export const validationParameters = {
  folds: wholeNumber({ min: 2, default: 10, says: "number of folds" }),
  sampling: choice(["auto", ...samplings], {
    default: "auto",
    says: "how folds are drawn",
    otherwise: "stratified for classes, shuffled for numbers",
  }),
  seed: wholeNumber({ min: 0, max: MOST_SEED, default: DEFAULT_SEED, says: "of the folds that are drawn" }),
};
