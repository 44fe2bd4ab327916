/**
 * The options that `classify` and `regress` share besides the common ones: preparation, votes, validation and
 * model files.
 */
import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import { InvalidInputError, Normalize, ReplaceMissingValues } from "../../node.ts";
import type { NormalizeOptions, Preparation, ReplaceMissingOptions, Weights } from "../../node.ts";
import { normalizeMethods, replacements } from "../../models/preparation/index.ts";
import { DASH } from "../files.ts";
import { addCommonOptions, checkColumns, checkCommonOptions } from "./shared.ts";
import type { CommonOptions } from "./shared.ts";
import { names, wholeNumber } from "./values.ts";

export interface ModelOptions extends CommonOptions {
  readonly test?: string;
  readonly label: string;
  readonly weights: Weights;
  readonly compat?: "rapidminer";
  readonly normalize?: NormalizeOptions;
  readonly impute?: ReplaceMissingOptions;
  readonly ignore?: readonly string[];
  readonly cv?: number;
  readonly seed?: number;
  readonly saveModel?: string;
  /** An option of classify; default true. */
  readonly confidences?: boolean;
}

export function addModelOptions(command: Command): Command {
  command
    .requiredOption("--train <file>", "file of rows with the label; - is stdin")
    .option("--test <file>", "file of rows to predict; - is stdin")
    .requiredOption("--label <column>", "the column to predict")
    .addOption(
      new Option("--weights <name>", "how neighbours count")
        .choices(["uniform", "distance"])
        .default("uniform"),
    )
    .addOption(
      new Option("--compat <name>", "follow that tool to the letter: its ties, votes and averages").choices([
        "rapidminer",
      ]),
    )
    .option("--impute <method>", `fill gaps: ${replacements.slice(0, -1).join(", ")} or value=X`, imputation)
    .option(
      "--normalize <method>",
      `bring numbers to one scale: ${normalizeMethods.join(", ")}; range=MIN:MAX too`,
      normalization,
    )
    .option("--ignore <names>", "columns that are not compared, such as a weight or a comment", names)
    .option("--cv <folds>", "also report how well --train predicts itself in so many folds", wholeNumber(2))
    .option("--seed <number>", "of the folds of --cv (default: 2001)", wholeNumber(0))
    .option("--save-model <file>", "write the model, for nearfield predict");
  return addCommonOptions(command);
}

/** @throws InvalidInputError for options that contradict each other, or when there is nothing to do. */
export function checkModelOptions(options: ModelOptions): void {
  const { test, label, id, features, ignore = [], cv, seed, saveModel, explain, out, format } = options;
  checkCommonOptions(options, test === undefined ? undefined : { option: "--test", file: test });
  if (test === undefined && cv === undefined && saveModel === undefined)
    throw new InvalidInputError("there is nothing to do; add --test FILE, --cv FOLDS or --save-model FILE");
  if (features?.includes(label) || id === label || ignore.includes(label)) {
    const other = id === label ? "--id" : `one of ${features?.includes(label) ? "--features" : "--ignore"}`;
    throw new InvalidInputError(`column ${JSON.stringify(label)} is both --label and ${other}; choose one`);
  }
  const both = features?.find((name) => ignore.includes(name));
  if (both !== undefined) {
    throw new InvalidInputError(
      `column ${JSON.stringify(both)} is both one of --features and one of --ignore; choose one`,
    );
  }
  checkColumns(options, { "--label": [label], "--ignore": ignore });
  if (seed !== undefined && cv === undefined)
    throw new InvalidInputError("--seed draws the folds of --cv; add --cv FOLDS, or leave it out");
  if (saveModel === DASH)
    throw new InvalidInputError(
      "--save-model needs a file of its own; stdout is for predictions and summaries",
    );
  if (saveModel !== undefined && saveModel === out)
    throw new InvalidInputError("--save-model and --out are the same file; name two", { file: out });
  if (test !== undefined) return;
  if (out !== DASH) throw new InvalidInputError("--out takes predictions of --test; add --test FILE");
  if (format !== undefined)
    throw new InvalidInputError("--format is that of predictions of --test; add --test FILE");
  if (explain)
    throw new InvalidInputError("--explain tells how rows of --test were searched; add --test FILE");
}

/** Returns the steps of preparation in the order in which they are applied. */
export function preparationOf({ impute, normalize, compat }: ModelOptions): Preparation[] {
  return [
    ...(impute ? [new ReplaceMissingValues(impute)] : []),
    ...(normalize ? [new Normalize({ ...normalize, compat })] : []),
  ];
}

function imputation(text: string): ReplaceMissingOptions {
  const [, value] = /^value=(.*)$/s.exec(text) ?? [];
  if (value !== undefined) return { by: "value", value };
  const by = replacements.find((name) => name === text && name !== "value");
  if (by) return { by };
  throw new InvalidArgumentError("Expected average, minimum, maximum, zero or value=X.");
}

function normalization(text: string): NormalizeOptions {
  const [, min, max] = /^range=([^:]+):([^:]+)$/.exec(text) ?? [];
  if (Number(min) < Number(max)) return { method: "range", min: Number(min), max: Number(max) };
  const method = normalizeMethods.find((name) => name === text);
  if (method) return { method };
  throw new InvalidArgumentError(
    `Expected ${normalizeMethods.join(", ")} or range=MIN:MAX with numbers, MIN below MAX.`,
  );
}
