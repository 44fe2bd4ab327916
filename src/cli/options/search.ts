/**
 * This module has the options of `search` besides those of every command that searches, and says which
 * contradict each other.
 */
import type { Command } from "commander";
import { roleParameters } from "../../graph/parameters/learning.ts";
import { neighbourParameters } from "../../graph/parameters/measure.ts";
import { outputFormat } from "../../io/index.ts";
import type { Format } from "../../io/index.ts";
import { InvalidInputError } from "../../node.ts";
import type { NormalizeOptions, ReplaceMissingOptions } from "../../node.ts";
import { DASH } from "../files.ts";
import { imputeOption, normalizeOption } from "./model.ts";
import { negatedOption, optionOf } from "./parameter.ts";
import { addCommonOptions, checkColumns, checkCommonOptions, reportOption } from "./shared.ts";
import type { CommonOptions } from "./shared.ts";
import { names } from "./values.ts";

export interface SearchFlags extends CommonOptions {
  /** The file of the queries; default the training rows are searched among themselves. */
  readonly queries?: string;
  /** It is undefined where neither form of the option is given. */
  readonly excludeSelf?: boolean;
  readonly radius?: number;
  /** Places are in degrees, distances and `radius` in kilometres. */
  readonly degrees?: boolean;
  /** Columns beside --id that are written; they are compared only where --features names them. */
  readonly carry?: readonly string[];
  readonly ignore?: readonly string[];
  readonly impute?: ReplaceMissingOptions;
  readonly normalize?: NormalizeOptions;
  /** The report is written to this page. */
  readonly report?: string;
}

export function addSearchOptions(command: Command): Command {
  const { radius, excludeSelf } = neighbourParameters;
  command
    .requiredOption("--train <file>", "file of rows to find; - is stdin")
    .option("--queries <file>", "file of rows to find neighbours of; - is stdin (default: those of --train)")
    .option("--exclude-self", "no row is its own neighbour, also where --queries are the rows of --train")
    .addOption(negatedOption("--no-exclude-self", excludeSelf))
    .addOption(optionOf("--radius <distance>", radius))
    .option(
      "--degrees",
      "for --metric haversine: latitude and longitude are in degrees, distances and --radius in kilometres",
    )
    .option(
      "--carry <names>",
      "columns to write beside each pair; not compared unless --features names them",
      names,
    )
    .addOption(imputeOption())
    .addOption(normalizeOption())
    .addOption(optionOf("--ignore <names>", roleParameters.ignore))
    .addOption(reportOption());
  return addCommonOptions(command);
}

/** @throws InvalidInputError for options that contradict each other; the result's format otherwise */
export function checkSearchOptions(options: SearchFlags): Format {
  const { queries, carry = [], ignore = [], features, id } = options;
  checkCommonOptions(options, queries === undefined ? undefined : { option: "--queries", file: queries });
  checkColumns(options, { "--carry": carry, "--ignore": ignore });
  if (options.degrees) checkDegrees(options);
  const both = ignore.find((name) => features?.includes(name));
  if (both !== undefined)
    throw new InvalidInputError(
      `column ${JSON.stringify(both)} is both one of --features and one of --ignore; choose one`,
    );
  const twice = carry.find((name, at) => name === id || carry.indexOf(name) < at);
  if (twice !== undefined)
    throw new InvalidInputError(
      `column ${JSON.stringify(twice)} would be written twice; name it once in --id and --carry`,
    );
  return neighbourFormat(options, carry.length > 0 ? "--carry writes columns" : undefined);
}

/** @throws InvalidInputError for options that mean nothing to angles on a globe */
function checkDegrees({ metric, normalize }: SearchFlags): void {
  if (metric !== "haversine")
    throw new InvalidInputError(
      `--degrees applies to haversine alone, but the metric is ${metric ?? "euclidean"}; add --metric haversine`,
    );
  if (normalize !== undefined)
    throw new InvalidInputError("--normalize would change the --degrees; leave out one of them");
}

/**
 * Returns the format of neighbours that are written.
 * @param needsColumns why the result needs columns, where an option makes it so
 * @throws InvalidInputError for a format without columns where the result needs them
 */
export function neighbourFormat(
  { out, format: named, radius }: Pick<SearchFlags, "out" | "format" | "radius">,
  needsColumns?: string,
): Format {
  const format = outputFormat(out, named);
  if (format.holds === "table") return format;
  const few = radius === undefined ? undefined : "--radius may leave a row fewer than k neighbours";
  const what = needsColumns ?? few;
  if (what === undefined) return format;
  throw new InvalidInputError(
    `${what}, but ${format.name} holds only the k indices of every row; choose csv, jsonl or parquet (--format)`,
    out === DASH ? {} : { file: out },
  );
}
