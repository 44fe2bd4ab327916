/**
 * Declares the options of the commands on clouds: two files of points, how they are compared, and those of
 * every run.
 */
import type { Command, Option } from "commander";
import { cloudMetric } from "../../graph/parameters/clouds.ts";
import { roleParameters } from "../../graph/parameters/learning.ts";
import { InvalidInputError } from "../../node.ts";
import type { PointCloudOptions } from "../../node.ts";
import { nameOf } from "../inputs/tables.ts";
import { readRows, type ReadRows } from "../inputs/rows.ts";
import type { ProgressDisplay } from "../progress.ts";
import { optionOf, optionWithDefault } from "./parameter.ts";
import { addRunOptions, checkCommonOptions, type CommonOptions } from "./shared.ts";
import { plural } from "../format.ts";

export interface CloudFlags extends Omit<CommonOptions, "metric" | "k"> {
  readonly queries?: string;
  readonly metric?: NonNullable<PointCloudOptions["metric"]>;
}

const MOST_COLUMNS = 3;

/** Adds the options of two clouds but --queries, and those of a run. */
export function addCloudOptions(command: Command): Command {
  const { features } = roleParameters;
  return addRunOptions(
    command.addOption(optionOf("--features <names>", features, ", at most three, such as x,y,z")),
  );
}

export function cloudMetricOption(): Option {
  return optionWithDefault("--metric <name>", cloudMetric);
}

/** @throws InvalidInputError for options that contradict each other */
export function checkCloudOptions(options: CloudFlags): void {
  const { queries } = options;
  const other = queries === undefined ? undefined : { option: "--queries", file: queries };
  checkCommonOptions({ ...options, k: 1 }, other);
}

/**
 * Reads the points of both files.
 * @throws InvalidInputError for columns that hold text, gaps, and more than three columns
 */
export async function readPoints(
  { metric: _, ...options }: CloudFlags & Pick<CommonOptions, "k">,
  signal: AbortSignal,
  progress: ProgressDisplay,
): Promise<ReadRows> {
  const points = await readRows(options, signal, progress, "error");
  const { train, kinds } = points;
  const fault = kinds.includes("nominal")
    ? "has columns of text, but points are numbers"
    : kinds.length > MOST_COLUMNS
      ? `has ${plural(kinds.length, "column")}, but points have one to three`
      : undefined;
  if (fault === undefined) return points;
  const remedy = "choose those of the coordinates in a table (--features x,y,z)";
  throw new InvalidInputError(`${fault}; ${remedy}; nearfield search takes any rows`, {
    file: nameOf(train),
  });
}
