/**
 * The options that all commands share: how commander reads them, which contradict each other, and how they
 * translate to the library's own options.
 */
import { type Command, Option } from "commander";
import { outputFormat, writableFormats } from "../../io/index.ts";
import type { CsvOptions, Format, FormatName } from "../../io/index.ts";
import { InvalidInputError, metricNames } from "../../node.ts";
import type { DeviceOptions, KernelOptions, KnnOptions, MetricName } from "../../node.ts";
import { DASH } from "../files.ts";
import { addReadingOptions, csvFormat, type FormatOptions } from "./reading.ts";
import { bytes, exponent, kernel, names, oneName, wholeNumber } from "./values.ts";

/** The options of every command that searches, as commander delivers them: absent ones are undefined. */
export interface RunOptions extends FormatOptions {
  readonly out: string;
  /** The format of the result; default by the extension of `out`. */
  readonly format?: FormatName;
  readonly force?: boolean;
  readonly backend: "auto" | "gpu" | "cpu";
  readonly gpu?: number;
  readonly threads?: number;
  readonly memory?: number;
  readonly deviceMemory?: number;
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The options of the commands that are given training rows. */
export interface CommonOptions extends RunOptions {
  readonly train: string;
  readonly k: number;
  /** Default euclidean, or mixed_euclidean where columns are nominal. */
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
  command
    .addOption(new Option("-k, --k <number>", "neighbours per row").argParser(wholeNumber(1)).default(5))
    .addOption(metricOption("distance (default: euclidean, or mixed_euclidean with nominal columns)"))
    .option("--p <number>", "exponent of the metric minkowski, above 0 or inf (default: 2)", exponent)
    .option(
      "--kernel <name>",
      "of RapidMiner's KernelEuclideanDistance, with its parameters, such as polynomial:degree=2,shift=0 (default: radial)",
      kernel,
    )
    .option("--features <names>", 'columns to compare, such as a,"b, c" (default: all others)', names)
    .option("--nominal <names>", "columns to read as text even if they look like numbers", names)
    .option("--numeric <names>", "columns that must hold numbers, those with leading zeros too", names)
    .option("--id <column>", "column that names the rows: not compared");
  return addRunOptions(command).option(
    "--float32",
    "take distances as the device computes them, instead of certified in float64",
  );
}

const KERNEL_METRIC: MetricName = "rapidminer:KernelEuclideanDistance";

/**
 * Makes the option for a metric. RapidMiner's names, which are most of them, are listed only in the error for
 * an unknown name.
 */
export function metricOption(description: string): Option {
  const others = metricNames.filter((name) => !name.startsWith("rapidminer:"));
  return new Option(
    "--metric <name>",
    `${description}: ${others.join(", ")}, or a measure of RapidMiner such as rapidminer:CamberraDistance (--metric list ` +
      "names them all)",
  ).argParser(oneName(metricNames));
}

export function addRunOptions(command: Command): Command {
  return addReadingOptions(command, "read and written")
    .option(
      "--out <file>",
      "where to write the result, gzipped where the name ends with .gz; - is stdout",
      DASH,
    )
    .addOption(
      new Option(
        "--format <name>",
        "of the result (default: by the extension of --out, else csv); npy and ivecs hold the indices of search",
      ).choices(writableFormats),
    )
    .option("--force", "replace the file of --out if it exists")
    .addOption(backendOption("auto takes a GPU if there is one"))
    .addOption(gpuOption("which GPU, from 0 (default: the fastest)"))
    .option("--threads <number>", "CPU workers (default: one per processor)", wholeNumber(1))
    .option("--memory <bytes>", "main memory to use at most, such as 512M, 1.5GiB or 2GB", bytes)
    .option("--device-memory <bytes>", "GPU memory to use at most", bytes)
    .option("--explain", "say on stderr how the search was done")
    .option("--json", "print one JSON summary: on stdout with --out FILE, else on stderr")
    .option("--quiet", "print nothing but errors and what --explain and --json ask for")
    .showHelpAfterError(`(nearfield ${command.name()} --help shows every option)`);
}

export function noConfidencesOption(): Option {
  return new Option("--no-confidences", "leave out the columns of confidence, one for each class");
}

export function backendOption(description: string): Option {
  return new Option("--backend <name>", description).choices(["auto", "gpu", "cpu"]).default("auto");
}

export function gpuOption(description: string): Option {
  return new Option("--gpu <number>", description).argParser(wholeNumber(0));
}

/** @throws InvalidInputError when they contradict each other. */
export function checkBackend({ backend, gpu }: Pick<RunOptions, "backend" | "gpu">): void {
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
  const { train, metric, p, kernel: given, id, features, nominal, numeric } = options;
  if (train === DASH && queries?.file === DASH) {
    throw new InvalidInputError(
      `--train and ${queries.option} are both standard input; put one of them into a file`,
    );
  }
  if (p !== undefined && metric !== "minkowski") {
    throw new InvalidInputError(
      `--p is the exponent of minkowski, but the metric is ${metric ?? "euclidean"}; add --metric minkowski`,
    );
  }
  if (given !== undefined && metric !== KERNEL_METRIC) {
    throw new InvalidInputError(
      `--kernel belongs to ${KERNEL_METRIC}, but the metric is ${metric ?? "euclidean"}; add --metric ${KERNEL_METRIC}`,
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

export function deviceOptions({ backend, gpu, threads, memory, deviceMemory }: RunOptions): DeviceOptions {
  return { backend, gpu, threads, memory, deviceMemory };
}

export function searchOptions({ metric, p, kernel: given, float32 }: CommonOptions): KnnOptions {
  return { metric, p, kernel: given, precision: float32 ? "float32" : "float64" };
}

/**
 * Returns the format of a result with named columns.
 * @throws InvalidInputError for a format that holds nothing but numbers
 */
export function tableFormat({ out, format }: RunOptions): Format {
  const found = outputFormat(out, format);
  if (found.holds === "table") return found;
  throw new InvalidInputError(
    `the result is a table, but ${found.name} holds numbers alone; choose csv, jsonl or parquet (--format)`,
    out === DASH ? {} : { file: out },
  );
}

/** Returns how a result is written as CSV: with tabs in a .tsv file where no delimiter is named. */
export function csvOutput(options: RunOptions): Pick<CsvOptions, "delimiter" | "decimal"> {
  const tabs = options.delimiter === undefined && /\.(tsv|tab)(\.gz)?$/i.test(options.out);
  return tabs ? { ...csvFormat(options), delimiter: "\t" } : csvFormat(options);
}
