/** `nearfield distances` counts the distances of every row of a file to the rows of another one by bins. */
import { Command, InvalidArgumentError, type Option } from "commander";
import { distanceParameters } from "../../graph/parameters/measure.ts";
import { outputFormat, writeMatrix, writeNpy, writeTable } from "../../io/index.ts";
import { distanceHistogram, Table, type DistanceHistogramResult } from "../../node.ts";
import { metricNameOf } from "../../distance/metric.ts";
import { count, plural } from "../format.ts";
import { readRows } from "../inputs/rows.ts";
import { nameOf } from "../inputs/tables.ts";
import { checkBinOptions, type BinFlags } from "../options/bins.ts";
import { flagOption, negatedOption, optionOf, parserOf, ParameterOption } from "../options/parameter.ts";
import {
  addMeasureOptions,
  checkCommonOptions,
  csvOutput,
  libraryOptions,
  type CommonOptions,
} from "../options/shared.ts";
import { outputTarget, writeOutput } from "../output.ts";
import { noProgress, progressOn, showWriting } from "../progress.ts";
import { report, Stopwatch } from "../report.ts";
import { compareCounts, readCounts, validationText, type CountsVerdict } from "../results/distanceCheck.ts";
import { SVG_BARS, svgPlot, TEXT_BARS, textPlot } from "../results/distancePlot.ts";
import { profileOf } from "../results/distanceProfile.ts";
import { runLines, type Seconds } from "../summary.ts";

type RangeFlag = "query" | "all" | readonly [number, number];

interface DistancesFlags extends CommonOptions, BinFlags {
  readonly queries?: string;
  readonly range?: RangeFlag;
  /** It is undefined where neither form of the option is given. */
  readonly excludeSelf?: boolean;
  readonly plot?: string;
  readonly validate?: string;
}

const help = `
The result has a line per row of the queries: query, min and max of its finite distances, how many are below the first
edge, above the last one and NaN, and the count of each bin, bin_0 on. As .npy it is the counts alone, u4. Bins are equally
wide; the last edge belongs to the last bin. Counts are exact.

Without --queries, the distances of each row of --train to all others are counted.

--plot draws the histograms of all queries summed up: along the distance where all have the same bins (--range all or MIN,MAX),
else scaled from each query's smallest to its largest distance. A terminal shows the same as text, unless --quiet is given.
--validate reads the counts of another tool, [queries][bins] in .npy or another matrix file, or a table with a column for each
bin. It says how many histograms differ and by how much, and the exit code is then 1.

Examples:
  nearfield distances --train items.csv --bins 20 --out counts.csv
  nearfield distances --train base.fvecs --queries query.fvecs --bins 1000 --range all --out counts.npy
  nearfield distances --train base.npy --queries base.npy --bins 50 --range all --out counts.csv --plot counts.svg
  nearfield distances --train base.npy --queries query.npy --bins 5 --out counts.npy --validate theirs.npy`;

export function distancesCommand(signal: AbortSignal): Command {
  const { bins, edges, excludeSelf, float32 } = distanceParameters;
  const command = new Command("distances")
    .description("Counts the distances of every row of a file to all training rows by bins, exactly.")
    .usage("--train FILE [--queries FILE] --bins K [options]")
    .requiredOption("--train <file>", "file of rows to measure distances to; - is stdin")
    .option("--queries <file>", "file of rows to measure from; - is stdin (default: those of --train)")
    .addOption(optionOf("--bins <number>", bins))
    .addOption(optionOf("--edges <numbers>", edges))
    .addOption(rangeOption())
    .option("--plot <file>", "write the sum of all histograms as an SVG picture", svgFile)
    .option("--validate <file>", "counts of another tool to compare with; the exit code is 1 if any differs")
    .option(
      "--exclude-self",
      "no distance of a row to itself counts, also where --queries are the rows of --train",
    )
    .addOption(negatedOption("--no-exclude-self", excludeSelf));
  return addMeasureOptions(command)
    .addOption(flagOption("--float32", float32))
    .addHelpText("after", help)
    .action((options: DistancesFlags) => run({ ...options, k: 1 }, signal));
}

interface CountedDistances {
  readonly command: "distances";
  readonly backend: string;
  readonly device: string;
  readonly metric: string;
  readonly train: { readonly file: string; readonly rows: number };
  readonly queries: { readonly file: string; readonly rows: number };
  readonly bins: number;
  /** So many distances of all queries are below the first edge, above the last one, or NaN. */
  readonly below: number;
  readonly above: number;
  readonly nan: number;
  readonly output: string;
  /** The picture was written to this path. */
  readonly plot?: string;
  readonly validation?: CountsVerdict;
  readonly seconds: Seconds;
  readonly explanation: DistanceHistogramResult["explanation"];
}

async function run(options: DistancesFlags, signal: AbortSignal): Promise<void> {
  const { train: trainFile, queries: queriesFile, out, force = false } = options;
  const { edges, range, metric } = options;
  const { excludeSelf = queriesFile === undefined } = options;
  const other = queriesFile === undefined ? undefined : { option: "--queries", file: queriesFile };
  checkCommonOptions(options, other);
  const bins = checkBinOptions(options, rangeAsBins(range));
  const { plot, validate } = options;
  const inputs = [trainFile, queriesFile, validate].filter((file) => file !== undefined);
  const target = await outputTarget(out, inputs, force);
  const plotTarget =
    plot === undefined ? undefined : await outputTarget(plot, [...inputs, out], force, "--plot");
  outputFormat(out, options.format);
  const progress = options.quiet ? noProgress : progressOn(process.stderr, noProgress);
  const watch = new Stopwatch();
  try {
    const { train, queries, rows, kinds } = await readRows(options, signal, progress);
    const theirs =
      validate === undefined ? undefined : await readCounts(validate, queries.rows, bins, signal);
    watch.lap("read");
    const result = await distanceHistogram(rows.train, rows.queries, {
      ...libraryOptions(options),
      ...(edges === undefined ? { bins } : { edges }),
      ...{ range, excludeSelf, signal },
      onProgress: ({ done, total }) => progress.show({ phase: "counting", unit: "query", done, total }),
    });
    watch.lap("count");
    showWriting(progress, target);
    await writeOutput(target, piecesOf(result, options), signal);
    const isCommon = edges !== undefined || (range !== undefined && range !== "query");
    if (plotTarget) {
      const title = `Distances of ${nameOf(queries)} to ${nameOf(train)}, ${metricNameOf({ metric }, kinds)}`;
      await writeOutput(plotTarget, [svgPlot(profileOf(result, isCommon, SVG_BARS), title)], signal);
    }
    watch.lap("write");
    progress.clear();
    const { explanation } = result;
    const total = (counts: Uint32Array) => counts.reduce((sum, each) => sum + each, 0);
    const summary: CountedDistances = {
      command: "distances",
      backend: explanation.backend,
      device: explanation.device,
      metric: metricNameOf({ metric }, kinds),
      train: { file: nameOf(train), rows: train.rows },
      queries: { file: nameOf(queries), rows: queries.rows },
      bins,
      below: total(result.below),
      above: total(result.above),
      nan: total(result.nan),
      output: out,
      ...(plot === undefined ? {} : { plot }),
      ...(theirs && { validation: compareCounts(result, theirs) }),
      seconds: watch.seconds,
      explanation,
    };
    const terminal = target.kind === "stdout" ? process.stderr : process.stdout;
    const picture = terminal.isTTY ? textPlot(profileOf(result, isCommon, TEXT_BARS)) : [];
    await report(summary, (counted) => [textOf(counted), ...picture].join("\n"), options);
    if (summary.validation && summary.validation.different > 0) process.exitCode = DIFFERENT;
  } finally {
    progress.clear();
  }
}

function piecesOf(result: DistanceHistogramResult, options: DistancesFlags) {
  const { counts, queries, bins } = result;
  const { name, holds } = outputFormat(options.out, options.format);
  if (name === "npy") return writeNpy(counts, { shape: [queries, bins] });
  if (holds === "matrix") return writeMatrix(name, { data: counts, rows: queries, cols: bins });
  const { min, max, below, above, nan } = result;
  const column = (title: string, at: (query: number) => number) => {
    const values = Float64Array.from({ length: queries }, (_, query) => at(query));
    return { kind: "numeric", name: title, values } as const;
  };
  const table = new Table([
    column("query", (query) => query),
    ...Object.entries({ min, max, below, above, nan }).map(([title, values]) =>
      column(title, (query) => values[query]),
    ),
    ...Array.from({ length: bins }, (_, bin) => column(`bin_${bin}`, (query) => counts[query * bins + bin])),
  ]);
  return writeTable(name, table, csvOutput(options));
}

function textOf(counted: CountedDistances): string {
  const { train, queries, bins, metric, below, above, nan } = counted;
  return [
    `counted   distances of ${plural(queries.rows, "row")} to ${count(train.rows)} in ${plural(bins, "bin")}, ${metric}`,
    `outside   ${count(below)} below, ${count(above)} above, ${count(nan)} NaN`,
    ...runLines(
      counted,
      ["read", "count", "write"],
      [...(counted.validation ? [validationText(counted.validation)] : [])],
    ),
    ...(counted.plot === undefined ? [] : [`plotted   ${counted.plot}`]),
  ].join("\n");
}

/** The command exits with this code where another tool's counts differ, as diff and cmp do. */
const DIFFERENT = 1;

function svgFile(text: string): string {
  if (/\.svg$/i.test(text)) return text;
  throw new InvalidArgumentError("Expected the name of a file that ends with .svg.");
}

/** The range is two parameters of the catalogue: numbers, or what it is the least and the largest of. */
function rangeOption(): Option {
  const { range, together } = distanceParameters;
  const help = `${range.says}: query (${range.otherwise}), all (${together.says}), or MIN,MAX (default: query)`;
  const parse = parserOf(range);
  return new ParameterOption("--range <range>", help, [range, together]).argParser((text) =>
    text === "query" || text === "all" ? text : parse(text),
  );
}

/** Returns the range as the check of the catalogue takes it; with edges every range contradicts. */
function rangeAsBins(range: RangeFlag | undefined): readonly number[] | undefined {
  return range === "query" || range === "all" ? [0, 0] : range;
}
