/**
 * This module has the options that all commands share. It says how commander reads them, which contradict
 * each other, and how they translate to the library's own options.
 */
import { availableParallelism } from "node:os";
import { Option, type Command } from "commander";
import { usualOf } from "../../graph/catalogue/parameters.ts";
import { belongings, kernelParameters, measureParameters } from "../../graph/parameters/measure.ts";
import { roleParameters } from "../../graph/parameters/learning.ts";
import { outputFormat, writableFormats } from "../../io/index.ts";
import type { CsvOptions, Format, FormatName } from "../../io/index.ts";
import { InvalidInputError } from "../../node.ts";
import type { DeviceOptions, KernelOptions, KnnOptions, MetricName } from "../../node.ts";
import { DASH } from "../files.ts";
import {
  ParameterOption,
  flagOption,
  namesOf,
  optionOf,
  optionSaying,
  optionWithDefault,
  parserOf,
  choiceOption,
} from "./parameter.ts";
import { metricAliases } from "./aliases.ts";
import { listMetrics, unknownMetric } from "./metricList.ts";
import { addKindOptions, addReadingOptions, csvFormat, type FormatOptions } from "./reading.ts";
import { bytes, exponent, kernel, wholeNumber } from "./values.ts";

/** Every command that searches has these options, as commander delivers them: absent ones are undefined. */
export interface SearchRunFlags extends FormatOptions, DeviceFlags {
  readonly out: string;
  /** The result has this format; default by the extension of `out`. */
  readonly format?: FormatName;
  readonly force?: boolean;
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** These options choose a device and its limits. */
export interface DeviceFlags {
  readonly backend: "auto" | "gpu" | "cpu";
  readonly gpu?: number;
  readonly threads?: number | undefined;
  readonly memory?: number;
  readonly deviceMemory?: number;
  readonly matrixUnits?: OnOff;
}

export type OnOff = "on" | "off" | "auto";

/** The commands that are given training rows have these options. */
export interface CommonOptions extends SearchRunFlags {
  readonly train: string;
  readonly k: number;
  /** The default is euclidean, or mixed_euclidean where columns are nominal. */
  readonly metric?: MetricName;
  readonly p?: number;
  readonly kernel?: KernelOptions;
  readonly features?: readonly string[];
  readonly nominal?: readonly string[];
  readonly numeric?: readonly string[];
  readonly id?: string;
  readonly float32?: boolean;
}

export function addCommonOptions(command: Command): Command {
  const { k, float32 } = measureParameters;
  return addMeasureOptions(command.addOption(optionWithDefault("-k, --k <number>", k))).addOption(
    flagOption("--float32", float32),
  );
}

/** Adds the options of how rows are compared, and those of every run. */
export function addMeasureOptions(command: Command): Command {
  const { metric, p } = measureParameters;
  const { features } = roleParameters;
  command
    .addOption(metricOption(`${metric.says} (default: ${usualOf(metric)})`))
    .addOption(optionOf("--p <number>", p, `, ${p.expects}`).argParser(exponent))
    .addOption(kernelOption())
    .addOption(optionOf("--features <names>", features, ', such as a,"b, c"'));
  addKindOptions(command).option("--id <column>", "column with the names of the rows; not compared");
  return addRunOptions(command);
}

function kernelOption(): Option {
  const { kernel: type, ...numbers } = kernelParameters;
  const help = `${type.says}, with its parameters, such as polynomial:degree=2,shift=0 (default: ${type.default})`;
  return new ParameterOption("--kernel <name>", help, [type, ...Object.values(numbers)]).argParser(kernel);
}

/**
 * Makes the option for a metric. RapidMiner's names, which are most of them, are listed only by "list", which
 * prints all names and ends the command.
 */
export function metricOption(description: string): Option {
  const { metric } = measureParameters;
  const names = namesOf(metric);
  const others = names.filter((name) => !name.startsWith("rapidminer:"));
  const help =
    `${description}: ${others.join(", ")}, or a measure of RapidMiner such as rapidminer:CamberraDistance ` +
    "(--metric list prints all names; l1, l2, cityblock and linf are names, too)";
  const parse = parserOf(metric);
  return optionSaying(help, "--metric <name>", metric).argParser((text) => {
    listMetrics(text);
    const name = metricAliases.get(text) ?? text;
    if (!names.includes(name)) throw unknownMetric(text);
    return parse(name);
  });
}

export function addRunOptions(command: Command): Command {
  addReadingOptions(command, "read and written")
    .option(
      "--out <file>",
      "where to write the result, gzipped where the name ends with .gz; - is stdout",
      DASH,
    )
    .addOption(
      choiceOption(
        "--format <name>",
        "format of the result (default: by the extension of --out, else csv); npy and ivecs hold the indices of search, ibin distances too",
        writableFormats,
      ),
    )
    .option("--force", "replace the file of --out if it exists");
  return addDeviceOptions(command)
    .option("--explain", "say how the search was done")
    .option("--json", "print the summary as JSON; it goes to stdout, or to stderr where rows go to stdout")
    .option("--quiet", "print nothing but errors and what --explain and --json ask for")
    .showHelpAfterError(`(nearfield ${command.name()} --help shows every option)`);
}

/** Adds the options that choose a device and its limits. */
export function addDeviceOptions(command: Command): Command {
  return command
    .addOption(backendOption("auto takes a GPU if there is one"))
    .addOption(gpuOption("which GPU, from 0 (default: the fastest)"))
    .option("--threads <number>", "CPU workers (default: one per processor)", wholeNumber(1))
    .option("--memory <bytes>", "limit on main memory, such as 512M, 1.5GiB or 2GB", bytes)
    .option("--device-memory <bytes>", "limit on GPU memory", bytes)
    .addOption(matrixUnitsOption());
}

export function reportOption(): Option {
  return new Option("--report <file>", "write a page that shows the result, as one HTML file");
}

export function backendOption(description: string): Option {
  return choiceOption("--backend <name>", description, ["auto", "gpu", "cpu"]).default("auto");
}

export function gpuOption(description: string): Option {
  return new Option("--gpu <number>", description).argParser(wholeNumber(0));
}

/** Makes the option that says whether a GPU may use matrix units. */
export function matrixUnitsOption(): Option {
  const help = "matrix units of a GPU: auto asks for them on NVIDIA under Linux; some other drivers crash";
  return choiceOption("--matrix-units <when>", help, ["on", "off", "auto"]).default("auto");
}

/** Returns what an option says: undefined where the library decides. */
export function matrixUnitsOf(when: OnOff = "auto"): boolean | undefined {
  return when === "auto" ? undefined : when === "on";
}

/** @throws InvalidInputError when they contradict each other. */
export function checkBackend({ backend, gpu }: Pick<SearchRunFlags, "backend" | "gpu">): void {
  if (gpu === undefined || backend !== "cpu") return;
  throw new InvalidInputError(
    "--gpu chooses a GPU, but the backend is the CPU; leave out one of --gpu and --backend",
  );
}

/**
 * @param queries the option that names the other file, and its value
 * @throws InvalidInputError for options that contradict each other.
 */
export function checkCommonOptions(options: CommonOptions, queries?: { option: string; file: string }): void {
  const { train, metric, id, features, nominal, numeric } = options;
  if (train === DASH && queries?.file === DASH) {
    throw new InvalidInputError(
      `--train and ${queries.option} are both standard input; put one of them into a file`,
    );
  }
  for (const name of ["p", "kernel"] as const) {
    const { is, metric: own } = belongings[name];
    if (options[name] === undefined || metric === own) continue;
    throw new InvalidInputError(
      `--${name} ${is}, but the metric is ${metric ?? "euclidean"}; add --metric ${own}`,
    );
  }
  checkBackend(options);
  if (id !== undefined && features?.includes(id)) {
    throw new InvalidInputError(
      `column ${JSON.stringify(id)} is both --id and one of --features; choose one`,
    );
  }
  checkColumns(options, {
    "--id": id === undefined ? [] : [id],
    "--features": features,
    "--nominal": nominal,
    "--numeric": numeric,
  });
}

/**
 * @param needed columns, keyed by what needs them
 * @throws InvalidInputError for a column that --columns leaves out
 */
export function checkColumns(
  { columns }: FormatOptions,
  needed: Readonly<Record<string, readonly string[] | undefined>>,
): void {
  if (columns === undefined) return;
  for (const [what, names = []] of Object.entries(needed)) {
    const left = names.find((name) => !columns.includes(name));
    if (left === undefined) continue;
    throw new InvalidInputError(
      `column ${JSON.stringify(left)} is named by ${what}, but not among the --columns to read; add it to them`,
    );
  }
}

export function libraryOptions(options: CommonOptions): DeviceOptions & KnnOptions {
  return { ...deviceOptions(options), ...searchOptions(options) };
}

export function deviceOptions({
  backend,
  gpu,
  threads,
  memory,
  deviceMemory,
  matrixUnits,
}: DeviceFlags): DeviceOptions {
  return { backend, gpu, threads, memory, deviceMemory, matrixUnits: matrixUnitsOf(matrixUnits) };
}

/** A worker takes some 30 ms to start, in which another one compares more cells than these. */
const CELLS_PER_THREAD = 2 ** 23;

/**
 * Returns how many CPU workers are worth starting, at most those of --threads; undefined leaves it to the
 * device. Measures of RapidMiner may take far longer for a cell, so that nothing is said of them.
 * @param rows all pairs of these and `queries` rows of `cols` columns are compared
 */
export function threadsFor(
  threads: number | undefined,
  metrics: readonly (MetricName | undefined)[],
  { rows, queries, cols }: { readonly rows: number; readonly queries: number; readonly cols: number },
): number | undefined {
  if (metrics.some((metric) => metric?.startsWith("rapidminer:"))) return threads;
  const enough = Math.ceil((rows * queries * cols) / CELLS_PER_THREAD);
  const most = threads ?? availableParallelism();
  return Math.max(1, Math.min(most, enough));
}

export function searchOptions({ metric, p, kernel: given, float32 }: CommonOptions): KnnOptions {
  return { metric, p, kernel: given, precision: float32 ? "float32" : "float64" };
}

/**
 * Returns the format of a result with named columns.
 * @throws InvalidInputError for a format that holds nothing but numbers
 */
export function tableFormat({ out, format }: Pick<SearchRunFlags, "out" | "format">): Format {
  const found = outputFormat(out, format);
  if (found.holds === "table") return found;
  throw new InvalidInputError(
    `the result is a table, but ${found.name} holds only numbers; choose csv, jsonl or parquet (--format)`,
    out === DASH ? {} : { file: out },
  );
}

/**
 * Returns how a result is written as CSV. Where no delimiter is named, it is a tab in a .tsv file, else that
 * of the file whose rows come back.
 * @param delimiter of that file, if there is one; a .csv file gets no tabs of it
 */
export function csvOutput(
  options: SearchRunFlags,
  delimiter?: string,
): Pick<CsvOptions, "delimiter" | "decimal"> {
  const format = csvFormat(options);
  if (options.delimiter !== undefined) return format;
  if (/\.(tsv|tab)(\.gz)?$/i.test(options.out)) return { ...format, delimiter: "\t" };
  const isOwn = delimiter !== undefined && !(delimiter === "\t" && /\.csv(\.gz)?$/i.test(options.out));
  return isOwn ? { ...format, delimiter } : format;
}
