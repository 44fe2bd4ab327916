/** `nearfield cloud nearest` finds the nearest points of one cloud for every point of another. */
import { Command } from "commander";
import { nearestPointParameters, orderParameters } from "../../graph/parameters/clouds.ts";
import { neighbourParameters } from "../../graph/parameters/measure.ts";
import { InvalidInputError, PointCloud, type KnnResult, type PointCloudOptions } from "../../node.ts";
import { count, plural } from "../format.ts";
import { checkSelf } from "../inputs/rows.ts";
import { checkK, nameOf } from "../inputs/tables.ts";
import {
  addCloudOptions,
  checkCloudOptions,
  readPoints,
  cloudMetricOption,
  type CloudFlags,
} from "../options/cloud.ts";
import { negatedOption, optionOf, optionWithDefault } from "../options/parameter.ts";
import { neighbourFormat } from "../options/search.ts";
import { csvOutput, deviceOptions } from "../options/shared.ts";
import { outputTarget, writeOutput } from "../output.ts";
import { noProgress, progressOn, showQueries, showWriting } from "../progress.ts";
import { report, Stopwatch } from "../report.ts";
import { neighbourPieces } from "../results/neighbours.ts";
import { rateText, runLines, type Seconds } from "../summary.ts";
import {
  addValidateOptions,
  checkValidateOptions,
  refuseWrong,
  validated,
  validationLines,
  type ValidateOptions,
  type CloudValidation,
} from "./validation.ts";

interface NearestFlags extends CloudFlags, ValidateOptions, Pick<PointCloudOptions, "technique" | "cells"> {
  readonly k: number;
  readonly radius?: number;
  /** It is undefined where neither form of the option is given. */
  readonly excludeSelf?: boolean;
}

const help = `
The result has the columns query, rank, index, distance, as that of search: points and ranks count from 0, and of points
that are equally near the lower comes first. As .npy or .ivecs it is the index alone. Points come from .ply, .xyz, .npy and
other files of numbers, or from the --features of a table; x, y and z, x and y, or one number.

Without --queries the points of --train are searched among themselves, and none is its own neighbour.

Results of another program are validated: k numbers for each query, in a text or in a file of numbers. Each is equal; or it
differs, but both points are as near within --tolerance, as where the program's files were rounded; or it is wrong: exit code 1.

Examples:
  nearfield cloud nearest --train model.ply --queries scan.xyz --out nearest.csv
  nearfield cloud nearest --train scan.ply.gz --k 8 --radius 0.05 --out near.parquet
  nearfield cloud nearest --train a.csv --queries b.csv --features x,y,z --explain > nearest.csv`;

export function nearestCommand(signal: AbortSignal): Command {
  const { k, radius } = nearestPointParameters;
  const command = new Command("nearest")
    .description("Finds the nearest points of a cloud for every point of another, exactly.")
    .usage("--train FILE [--queries FILE] [options]")
    .requiredOption("--train <file>", "file of points to find; - is stdin")
    .option(
      "--queries <file>",
      "file of points to find neighbours of; - is stdin (default: those of --train)",
    )
    .addOption(optionWithDefault("-k, --k <number>", k))
    .addOption(optionOf("--radius <distance>", radius))
    .option("--exclude-self", "no point is its own neighbour, also where --queries are the points of --train")
    .addOption(negatedOption("--no-exclude-self", neighbourParameters.excludeSelf))
    .addOption(cloudMetricOption())
    .addOption(optionWithDefault("--technique <name>", orderParameters.technique))
    .addOption(optionOf("--cells <number>", orderParameters.cells));
  return addCloudOptions(addValidateOptions(command))
    .addHelpText("after", help)
    .action((options: NearestFlags) => run(options, signal));
}

interface NearestOfCloud {
  readonly command: "cloud nearest";
  readonly backend: string;
  readonly device: string;
  readonly metric: string;
  readonly k: number;
  readonly train: { readonly file: string; readonly rows: number };
  readonly queries: { readonly file: string; readonly rows: number };
  readonly output: string;
  readonly seconds: Seconds;
  readonly queriesPerSecond: number;
  /** A query had the distances of so many pairs computed, on average. */
  readonly pairsPerQuery: number;
  readonly validation?: CloudValidation;
  readonly explanation: KnnResult["explanation"];
}

async function run(options: NearestFlags, signal: AbortSignal): Promise<void> {
  const { train: trainFile, queries: queriesFile, k, radius, metric, technique, cells } = options;
  const { out, force = false } = options;
  checkCloudOptions(options);
  if (cells !== undefined && technique !== "grid")
    throw new InvalidInputError(`--cells is ${cells}, but only a grid has cells; add --technique grid`);
  checkValidateOptions(options, radius);
  const format = neighbourFormat(options);
  const files = queriesFile === undefined ? [trainFile] : [trainFile, queriesFile];
  const target = await outputTarget(out, files, force);
  const progress = options.quiet ? noProgress : progressOn(process.stderr, noProgress);
  const excludeSelf = options.excludeSelf ?? queriesFile === undefined;
  const watch = new Stopwatch();
  let cloud: PointCloud | undefined;
  try {
    const { train, queries, rows } = await readPoints(options, signal, progress);
    checkK(k, train);
    if (excludeSelf) checkSelf(k, train, queries);
    watch.lap("read");

    cloud = await PointCloud.create(rows.train, {
      ...deviceOptions(options),
      ...{ metric, technique, cells, signal },
    });
    const onProgress = showQueries(progress);
    const result = await cloud.nearest(rows.queries, { k, radius, excludeSelf, signal, onProgress });
    watch.lap("search");

    const validation = await validated(result, { rows, metric }, options, signal);
    if (validation) watch.lap("validate");

    showWriting(progress, target);
    await writeOutput(target, neighbourPieces(result, format.name, csvOutput(options)), signal);
    watch.lap("write");

    progress.clear();
    const { explanation } = result;
    const summary: NearestOfCloud = {
      command: "cloud nearest",
      backend: explanation.backend,
      device: explanation.device,
      metric: metric ?? "euclidean",
      k,
      train: { file: nameOf(train), rows: train.rows },
      queries: { file: nameOf(queries), rows: queries.rows },
      output: out,
      seconds: watch.seconds,
      queriesPerSecond: queries.rows / (watch.seconds.search ?? NaN),
      pairsPerQuery: explanation.pairs / queries.rows,
      ...(validation ? { validation } : {}),
      explanation,
    };
    await report(summary, textOf, options);
    refuseWrong(validation);
  } finally {
    progress.clear();
    cloud?.dispose();
  }
}

function textOf(nearest: NearestOfCloud): string {
  const { train, queries, k, metric, pairsPerQuery, queriesPerSecond, validation } = nearest;
  return [
    `searched  ${plural(queries.rows, "point")} against ${count(train.rows)}, k = ${k}, ${metric}`,
    `pairs     ${count(Math.round(pairsPerQuery))} per query; ${rateText(queriesPerSecond)}`,
    ...validationLines(validation),
    ...runLines(nearest, ["read", "search", "validate", "write"]),
  ].join("\n");
}
