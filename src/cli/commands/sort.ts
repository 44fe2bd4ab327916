/** `nearfield sort` puts the numbers of a file in order, or says where they come from. */
import { Command } from "commander";
import { keysOf, likeFile } from "../../graph/elements.ts";
import { sortParameters } from "../../graph/parameters/arrays.ts";
import { argsort, sort, type ArrayOptions } from "../../node.ts";
import { outputFormat } from "../../io/index.ts";
import { plural } from "../format.ts";
import { readElements } from "../inputs/elements.ts";
import { makeResult, type Ran, type Working } from "../oneResult.ts";
import { flagOption } from "../options/parameter.ts";
import { addRunOptions, checkBackend, deviceOptions, type SearchRunFlags } from "../options/shared.ts";
import { elementPieces } from "../results/elements.ts";
import { runLines } from "../summary.ts";

interface SortCommandOptions extends SearchRunFlags {
  readonly column?: string;
  readonly descending?: boolean;
  readonly argsort?: boolean;
}

const help = `
The command sorts the elements of an .npy array along its last axis, as numpy.sort does (but all of a single column), the
rows of another matrix, or one column of a table. The order is stable, NaN come last, and
elements keep their type and bits, 64-bit integers of .npy too; but float16 becomes float32, and bool uint8. --argsort
writes places counted from 0, u4 in .npy.

Examples:
  nearfield sort ids.npy --out sorted.npy
  nearfield sort scores.npy --descending --argsort --out order.npy
  nearfield sort sensor.csv --column temperature --out temperatures.csv`;

export function sortCommand(signal: AbortSignal): Command {
  const command = new Command("sort")
    .description("Sorts the numbers of a file.")
    .argument("<file>", "file of numbers; - is stdin")
    .option("--column <name>", "the column of a table to sort; only it is written")
    .addOption(flagOption("--descending", sortParameters.descending))
    .option("--argsort", "write where the elements come from, instead of them");
  return addRunOptions(command)
    .addHelpText("after", help)
    .action((file: string, options: SortCommandOptions) => run(file, options, signal));
}

interface SortFacts {
  readonly rows: number;
  readonly elements: number;
  readonly type: string;
  readonly descending: boolean;
}

async function run(file: string, options: SortCommandOptions, signal: AbortSignal): Promise<void> {
  const { descending = false } = options;
  checkBackend(options);
  outputFormat(options.out, options.format);
  const work = async ({ progress, lap, onExplanation }: Working) => {
    const { data, shape, rows, column } = await readElements(file, options, signal);
    lap("read");
    const keys = keysOf(data);
    const settings: ArrayOptions = {
      ...deviceOptions(options),
      ...{ descending, rows, signal, onExplanation },
      onProgress: ({ done, total }) => progress.show({ phase: "sorting", unit: "key", done, total }),
    };
    const sorted = options.argsort
      ? await argsort(keys, settings)
      : likeFile(await sort(keys, settings), data);
    lap("sort");
    const name = options.argsort && column !== undefined ? "index" : column;
    const type = data.constructor.name.replace("Array", "");
    return {
      pieces: elementPieces({ data: sorted, shape }, name, options),
      facts: { rows, elements: data.length, type, descending },
    };
  };
  await makeResult({ command: "sort", options, inputs: [file], textOf, work }, signal);
}

function textOf(sorted: Ran & SortFacts): string {
  const { rows, elements, type, descending } = sorted;
  return [
    `sorted    ${plural(elements, "element")} (${type}) in ${plural(rows, "row")}, ${descending ? "descending" : "ascending"}`,
    ...runLines(sorted, ["read", "sort", "write"]),
  ].join("\n");
}
