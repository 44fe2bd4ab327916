/**
 * This module has the options that say how files are read, the same for every command, and translates them to
 * the library's own.
 */
import type { Command } from "commander";
import { readingParameters } from "../../graph/parameters/reading.ts";
import type { CsvOptions, Decimal, FormatName, ReadOptions } from "../../io/index.ts";
import { negatedOption, optionOf, optionWithDefault } from "./parameter.ts";
import { missingTokens } from "./values.ts";

/** These options say how files are read; as commander delivers them, absent options are undefined. */
export interface FormatOptions {
  readonly inputFormat?: FormatName;
  /** These columns are read, of all files; default all. */
  readonly columns?: readonly string[];
  readonly encoding?: string;
  readonly na?: readonly string[];
  readonly delimiter?: string;
  readonly decimal: Decimal;
  /** It says that the first line holds names; false with --no-header. */
  readonly header: boolean;
  readonly skip?: number;
  readonly comment?: string;
  readonly thousands?: string;
  readonly units?: readonly string[];
}

/**
 * Adds the options that say how files are read.
 * @param both what is done with files that the delimiter and the decimal separator are for, such as "read and
 *   written"
 */
export function addReadingOptions(command: Command, both = "read"): Command {
  const { format, columns, encoding, missing, header, skip, comment, thousands, units, delimiter, decimal } =
    readingParameters;
  return command
    .addOption(optionOf("--input-format <name>", format))
    .addOption(optionOf("--columns <names>", columns, ', such as a,"b, c"'))
    .addOption(optionOf("--encoding <name>", encoding))
    .addOption(optionOf("--na <tokens>", missing).argParser(missingTokens))
    .addOption(negatedOption("--no-header", header))
    .addOption(optionOf("--skip <lines>", skip))
    .addOption(optionOf("--comment <start>", comment))
    .addOption(optionOf("--thousands <character>", thousands))
    .addOption(optionOf("--units <signs>", units))
    .addOption(optionOf("--delimiter <character>", delimiter, `; ${both}`))
    .addOption(optionWithDefault("--decimal <character>", decimal, `; ${both}`));
}

/** Adds the options that say which columns hold what. */
export function addKindOptions(command: Command): Command {
  const { nominal, numeric } = readingParameters;
  return command
    .addOption(optionOf("--nominal <names>", nominal))
    .addOption(optionOf("--numeric <names>", numeric));
}

/** Returns the same as options of the library. */
export function readOptions({
  columns,
  encoding,
  na,
  delimiter,
  decimal,
  header,
  skip,
  comment,
  thousands,
  units,
}: FormatOptions): ReadOptions {
  return {
    decimal,
    header,
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(columns === undefined ? {} : { columns }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(na === undefined ? {} : { na }),
    ...(skip === undefined ? {} : { skip }),
    ...(comment === undefined ? {} : { comment }),
    ...(thousands === undefined ? {} : { thousands }),
    ...(units === undefined ? {} : { units }),
  };
}

/** Returns what the options say of CSV files that are written; cells of those are not divided by blanks. */
export function csvFormat({ delimiter, decimal }: FormatOptions): Pick<CsvOptions, "delimiter" | "decimal"> {
  return { decimal, ...(delimiter === undefined || delimiter === "blanks" ? {} : { delimiter }) };
}
