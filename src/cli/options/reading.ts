/**
 * This module has the options that say how files are read, the same for every command, and translates them to
 * the library's own.
 */
import { type Command, Option } from "commander";
import { formatNames } from "../../io/index.ts";
import type { CsvOptions, Decimal, FormatName, ReadOptions } from "../../io/index.ts";
import { delimiter, missingTokens, names, wholeNumber } from "./values.ts";

/** The options that say how files are read; as commander delivers them, absent options are undefined. */
export interface FormatOptions {
  readonly inputFormat?: FormatName;
  /** The columns that are read, of all files; default all. */
  readonly columns?: readonly string[];
  readonly encoding?: string;
  readonly na?: readonly string[];
  readonly delimiter?: string;
  readonly decimal: Decimal;
  /** The first line holds names; false with --no-header. */
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
  return command
    .addOption(inputFormatOption())
    .addOption(columnsOption("columns to read"))
    .option(
      "--encoding <name>",
      "of text files, such as windows-1252, latin1 or utf-16le (default: utf-8, or utf-16 by its mark)",
    )
    .option(
      "--na <tokens>",
      "cells that mean no value, besides empty ones (default: ?, NA, NaN, null, None, #N/A and their like, and - among numbers)",
      missingTokens,
    )
    .addOption(noHeaderOption())
    .option("--skip <lines>", "lines of CSV to leave out at the start", wholeNumber(0))
    .option(
      "--comment <start>",
      'leave out lines of CSV that start so (default: # above the header; "" for none)',
    )
    .option("--thousands <character>", "between groups of three digits of CSV, such as , (default: none)")
    .option(
      "--units <signs>",
      "before or behind numbers of CSV, such as '$,kg'; % divides by 100 (default: none)",
      names,
    )
    .option(
      "--delimiter <character>",
      `between cells, ${both}; tab, or blanks for runs of blanks (default: found out)`,
      delimiter,
    )
    .addOption(new Option("--decimal <character>", `in numbers, ${both}`).choices([".", ","]).default("."));
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

function inputFormatOption(): Option {
  return new Option(
    "--input-format <name>",
    "of the files read (default: by their extensions, else by their first bytes)",
  ).choices(formatNames);
}

function columnsOption(description: string): Option {
  return new Option("--columns <names>", `${description}, such as a,"b, c" (default: all)`).argParser(names);
}

function noHeaderOption(): Option {
  return new Option("--no-header", "line 1 of CSV is a row; columns are called 0, 1 and so on");
}
