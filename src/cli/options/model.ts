/**
 * This module has the options that `classify` and `regress` share besides the common ones: preparation,
 * votes, validation and model files.
 */
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { oneOf } from "../../core/errors.ts";
import {
  knnParameters,
  normalizeParameters,
  replaceMissingParameters,
  roleParameters,
  validationParameters,
} from "../../graph/parameters/learning.ts";
import { InvalidInputError, Normalize, ReplaceMissingValues } from "../../node.ts";
import type { NormalizeOptions, Preparation, ReplaceMissingOptions, Weights } from "../../node.ts";
import { DASH } from "../files.ts";
import { imputeAliases, scalingAliases } from "./aliases.ts";
import { folds as foldCount } from "./lists.ts";
import { asked } from "./meant.ts";
import { addCommonOptions, checkColumns, checkCommonOptions, reportOption } from "./shared.ts";
import type { CommonOptions } from "./shared.ts";
import { confidencesOf, type ConfidenceFlags } from "./confidence.ts";
import { ParameterOption, optionOf, optionSaying, optionWithDefault, parserOf } from "./parameter.ts";

export interface ModelOptions extends CommonOptions, ConfidenceFlags {
  readonly test?: string;
  readonly label: string;
  readonly weights: Weights;
  readonly compat?: "rapidminer";
  readonly normalize?: NormalizeOptions;
  readonly impute?: ReplaceMissingOptions;
  readonly ignore?: readonly string[];
  readonly cv?: number | "leave-one-out";
  /** The predictions of the folds are written to this file. */
  readonly cvOut?: string;
  /** Rows with equal values in this column stay in one fold. */
  readonly group?: string;
  readonly sampleWeight?: string;
  readonly seed?: number;
  readonly importance?: boolean;
  readonly saveModel?: string;
  /** The report is written to this page. */
  readonly report?: string;
}

export function addModelOptions(command: Command): Command {
  const { weights, compat } = knnParameters;
  const { folds, seed } = validationParameters;
  command
    .requiredOption("--train <file>", "file of rows with the label; - is stdin")
    .option("--test <file>", "file of rows to predict; - is stdin")
    .addOption(optionOf("--label <column>", roleParameters.label).makeOptionMandatory())
    .addOption(optionWithDefault("--weights <name>", weights))
    .addOption(optionOf("--compat <name>", compat))
    .addOption(imputeOption())
    .addOption(normalizeOption())
    .addOption(optionOf("--ignore <names>", roleParameters.ignore))
    .addOption(foldsOption(`cross-validate on --train: ${folds.says}, or leave-one-out`))
    .addOption(groupOption())
    .addOption(sampleWeightOption())
    .addOption(optionOf("--seed <number>", seed))
    .option("--cv-out <file>", "write what the folds of --cv predict, as a table of all rows of --train")
    .option(
      "--importance",
      "measure how much worse the predictions get when a column is shuffled, on --test or else in the folds of --cv",
    )
    .option("--save-model <file>", "write the model, for nearfield predict")
    .addOption(reportOption());
  return addCommonOptions(command);
}

/** @throws InvalidInputError for options that contradict each other, or when there is nothing to do. */
export function checkModelOptions(options: ModelOptions): void {
  const { test, label, id, features, cv, seed, saveModel, explain, out, format, group, cvOut } = options;
  const { sampleWeight } = options;
  const { importance = false } = options;
  const ignore = ignoredBy(options);
  checkCommonOptions(options, test === undefined ? undefined : { option: "--test", file: test });
  if (test === undefined && cv === undefined && saveModel === undefined)
    throw new InvalidInputError("there is nothing to do; add --test FILE, --cv FOLDS or --save-model FILE");
  if (features?.includes(label) || id === label || ignore.includes(label)) {
    const list = features?.includes(label) ? "one of --features" : "one of --ignore";
    const own = ownOption(label, options);
    const other = id === label ? "--id" : (own ?? list);
    throw new InvalidInputError(`column ${JSON.stringify(label)} is both --label and ${other}; choose one`);
  }
  const both = features?.find((name) => ignore.includes(name));
  if (both !== undefined) {
    const other = ownOption(both, options) ?? "one of --ignore";
    throw new InvalidInputError(
      `column ${JSON.stringify(both)} is both one of --features and ${other}; choose one`,
    );
  }
  confidencesOf(options);
  checkColumns(options, { "--label": [label], "--ignore": options.ignore });
  checkColumns(options, { "--group": group === undefined ? [] : [group] });
  checkColumns(options, { "--sample-weight": sampleWeight === undefined ? [] : [sampleWeight] });
  if (sampleWeight !== undefined && cv === undefined && test === undefined)
    throw new InvalidInputError(
      "--sample-weight weights the measures of --cv and --test; add one of them, or leave it out",
    );
  const ofFolds = { "--group": group, "--cv-out": cvOut };
  for (const [option, given] of Object.entries(ofFolds))
    if (given !== undefined && cv === undefined)
      throw new InvalidInputError(`${option} applies to the folds of --cv; add --cv FOLDS, or leave it out`);
  if (seed !== undefined && cv === undefined && !importance)
    throw new InvalidInputError(
      "--seed draws the folds of --cv and shuffles for --importance; add one of them, or leave it out",
    );
  if (importance && test === undefined && cv === undefined)
    throw new InvalidInputError("--importance needs rows to predict; add --test FILE or --cv FOLDS");
  if (test !== undefined) return;
  if (out !== DASH) throw new InvalidInputError("--out receives the predictions of --test; add --test FILE");
  if (format !== undefined)
    throw new InvalidInputError("--format applies to the predictions of --test; add --test FILE");
  if (explain && cv === undefined)
    throw new InvalidInputError(
      "--explain tells how rows of --test, or else the folds of --cv, were searched; add one of them",
    );
}

/** Returns how folds are drawn; those of groups take no seed, which may be there for --importance. */
export function foldOptions<Folds>({
  cv,
  group,
  seed,
  importance,
}: Pick<ModelOptions, "group" | "seed" | "importance"> & { readonly cv: Folds }) {
  return { folds: cv, groups: group, seed: group !== undefined && importance ? undefined : seed };
}

type FoldColumns = Pick<ModelOptions, "group" | "sampleWeight">;

/** Returns the option that the column is the value of. */
function ownOption(column: string, { group, sampleWeight }: FoldColumns): string | undefined {
  if (column === group) return "--group";
  return column === sampleWeight ? "--sample-weight" : undefined;
}

/** Returns the columns that are no features because the options say so, such as the groups of folds. */
export function ignoredBy({
  ignore = [],
  group,
  sampleWeight,
}: Pick<ModelOptions, "ignore"> & FoldColumns): readonly string[] {
  return [...ignore, ...[group, sampleWeight].filter((name) => name !== undefined)];
}

/** Returns `--cv FOLDS`, whose number of folds is the catalogue's, or leave-one-out. */
export function foldsOption(says: string): Option {
  return optionSaying(says, "--cv <folds>", validationParameters.folds).argParser(foldCount);
}

export function sampleWeightOption(): Option {
  return new Option(
    "--sample-weight <column>",
    "column with a weight for each row, for all measures; not compared",
  );
}

export function groupOption(): Option {
  return new Option(
    "--group <column>",
    "rows with equal values in this column stay in one fold; not compared",
  );
}

/** Returns the steps of preparation in the order in which they are applied. */
export function preparationOf({
  impute,
  normalize,
  compat,
}: Pick<ModelOptions, "impute" | "normalize" | "compat">): Preparation[] {
  return [
    ...(impute ? [new ReplaceMissingValues(impute)] : []),
    ...(normalize ? [new Normalize({ ...normalize, compat })] : []),
  ];
}

/** Returns `--impute METHOD` or value=X, which packs both parameters of Replace Missing Values. */
export function imputeOption(): Option {
  const { by, value } = replaceMissingParameters;
  const methods = [...by.choices.filter((name) => name !== "value"), "value=X"];
  const parse = parserOf(by);
  return new ParameterOption("--impute <method>", `${by.says}: ${oneOf(methods)}`, [by, value]).argParser(
    (text): ReplaceMissingOptions => {
      const [, given] = /^value=(.*)$/s.exec(text) ?? [];
      if (given !== undefined) return { by: "value", value: given };
      const name = imputeAliases.get(text) ?? text;
      if (name !== "value" && by.accepts(name)) return { by: parse(name) };
      throw new InvalidArgumentError(`${asked(text, methods)}Expected ${oneOf(methods)}.`);
    },
  );
}

/** Returns `--normalize METHOD` or range=MIN:MAX, which packs three parameters of Normalize. */
export function normalizeOption(): Option {
  const { method, min, max } = normalizeParameters;
  const methods = method.choices.join(", ");
  const parse = parserOf(method);
  const help = `${method.says}: ${methods}; range=MIN:MAX too`;
  return new ParameterOption("--normalize <method>", help, [method, min, max]).argParser(
    (text): NormalizeOptions => {
      const [, ...ends] = /^range=([^:]+):([^:]+)$/.exec(text) ?? [];
      const [from, to] = ends.map((end) => min.fromText(end));
      if (ends.length > 0 && min.accepts(from) && max.accepts(to) && from < to)
        return { method: "range", min: Number(from), max: Number(to) };
      const name = scalingAliases.get(text) ?? text;
      if (method.accepts(name)) return { method: parse(name) };
      throw new InvalidArgumentError(
        `${asked(text, method.choices)}Expected ${methods} or range=MIN:MAX with numbers, MIN below MAX.`,
      );
    },
  );
}
