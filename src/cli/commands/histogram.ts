/** `nearfield histogram` counts the numbers of a file by bins. */
import { Command } from "commander";
import { outputFormat, writeNpy, writeTable } from "../../io/index.ts";
import { elementsOf } from "../../graph/elements.ts";
import { histogramParameters } from "../../graph/parameters/arrays.ts";
import { histogram, InvalidInputError, Table, type HistogramResult } from "../../node.ts";
import { count, plural } from "../format.ts";
import { readElements } from "../inputs/elements.ts";
import { makeResult, type Ran, type Working } from "../oneResult.ts";
import { checkBinOptions } from "../options/bins.ts";
import { flagOption, optionOf } from "../options/parameter.ts";
import {
  addRunOptions,
  checkBackend,
  csvOutput,
  deviceOptions,
  type SearchRunFlags,
} from "../options/shared.ts";
import { runLines } from "../summary.ts";

interface HistogramCommandOptions extends SearchRunFlags {
  readonly bins?: number;
  readonly edges?: readonly number[];
  readonly range?: readonly number[];
  readonly column?: string;
  readonly float32?: boolean;
}

const help = `
All elements of a matrix such as an .npy array are counted, or one column of a table. The result has a line for each bin, its
edges and count; as .npy it is the counts alone, u4. The last edge belongs to the last bin. Elements are whole numbers of 32
bits or float32; others are refused unless they are the same as float32, or --float32 lets them be rounded.

Examples:
  nearfield histogram pixels.npy --bins 256 --range 0,256 --out counts.npy
  nearfield histogram sensor.csv --column temperature --bins 20 --float32
  nearfield histogram ages.csv --column age --edges 0,18,65,120`;

export function histogramCommand(signal: AbortSignal): Command {
  const { bins, edges, range, float32 } = histogramParameters;
  const command = new Command("histogram")
    .description("Counts the numbers of a file by bins.")
    .argument("<file>", "file of numbers; - is stdin")
    .addOption(optionOf("--bins <number>", bins))
    .addOption(optionOf("--edges <numbers>", edges))
    .addOption(optionOf("--range <numbers>", range))
    .option("--column <name>", "the column of a table that is counted")
    .addOption(flagOption("--float32", float32));
  return addRunOptions(command)
    .addHelpText("after", help)
    .action((file: string, options: HistogramCommandOptions) => run(file, options, signal));
}

interface HistogramFacts {
  readonly elements: number;
  readonly bins: number;
  /** So many elements are below the first edge, above the last one, or NaN. */
  readonly below: number;
  readonly above: number;
  readonly nan: number;
  /** Says what may surprise in the counts; absent where nothing does. */
  readonly remark?: string;
}

async function run(file: string, options: HistogramCommandOptions, signal: AbortSignal): Promise<void> {
  const { out, bins, edges, range } = options;
  checkBinOptions({ bins, edges }, range);
  checkBackend(options);
  outputFormat(out, options.format);
  const work = async ({ progress, lap, onExplanation }: Working) => {
    const { data } = await readElements(file, options, signal);
    lap("read");
    const elements = elementsOf(data, options.float32 === true, "--float32", { file });
    const result = await histogram(elements, {
      ...deviceOptions(options),
      ...{ bins, edges, signal, onExplanation },
      range: range as [number, number] | undefined,
      onProgress: ({ done, total }) => progress.show({ phase: "counting", unit: "element", done, total }),
    });
    if (Number.isNaN(result.edges[0]))
      throw new InvalidInputError("holds no numbers, so that bins have no range; give --range or --edges", {
        file,
      });
    lap("count");
    const facts: HistogramFacts = {
      elements: data.length,
      bins: result.bins,
      below: result.below[0],
      above: result.above[0],
      nan: result.nan[0],
      ...(result.constant[0] ? { remark: noWidth(result.edges[0]) } : {}),
    };
    return { pieces: piecesOf(result, options), facts };
  };
  await makeResult({ command: "histogram", options, inputs: [file], textOf, work }, signal);
}

function noWidth(edge: number): string {
  return `first and last edge are both ${edge}: no bin has a width, and all that is counted is in the first (--range)`;
}

function piecesOf({ counts, edges, bins }: HistogramResult, options: SearchRunFlags) {
  const { name } = outputFormat(options.out, options.format);
  if (name === "npy") return writeNpy(counts);
  const numeric = (title: string, values: Float64Array) =>
    ({ kind: "numeric", name: title, values }) as const;
  const table = new Table([
    numeric("from", edges.slice(0, bins)),
    numeric("to", edges.slice(1)),
    numeric("count", Float64Array.from(counts)),
  ]);
  return writeTable(name, table, csvOutput(options));
}

function textOf(counted: Ran & HistogramFacts): string {
  const { elements, bins, below, above, nan } = counted;
  return [
    `counted   ${plural(elements, "element")} in ${plural(bins, "bin")}`,
    `outside   ${count(below)} below, ${count(above)} above, ${count(nan)} NaN`,
    ...runLines(counted, ["read", "count", "write"]),
  ].join("\n");
}
