/** `nearfield cloud icp` moves one cloud onto another, and says by which rotation and translation. */
import { Command } from "commander";
import { icpParameters } from "../../graph/parameters/clouds.ts";
import { outputFormat, writeNpy, writeTable, type Pieces } from "../../io/index.ts";
import { icp, InvalidInputError, Table, type IcpResult } from "../../node.ts";
import { count, plural } from "../format.ts";
import { nameOf } from "../inputs/tables.ts";
import { makeResult, type Ran, type Working } from "../oneResult.ts";
import { addCloudOptions, checkCloudOptions, readPoints, type CloudFlags } from "../options/cloud.ts";
import { optionOf, optionWithDefault } from "../options/parameter.ts";
import { csvOutput } from "../options/shared.ts";
import { runLines } from "../summary.ts";

interface IcpCommandOptions extends CloudFlags {
  readonly queries: string;
  readonly iterations: number;
  readonly tolerance: number;
  readonly maxDistance?: number;
  readonly overlap: number;
}

const help = `
The result holds the points of --queries after the motion, with the columns x, y and z; as .npy they are float64. --json has the motion as
a matrix, row by row, that takes a point followed by 1: the rotation and, in the last column, the translation. It is the best
motion nearby: clouds should lie roughly on each other before.

Examples:
  nearfield cloud icp --train model.ply --queries scan.ply --out aligned.csv
  nearfield cloud icp --train room.xyz --queries part.xyz --overlap 0.8 --out aligned.npy --json`;

export function icpCommand(signal: AbortSignal): Command {
  const { iterations, tolerance, maxDistance, overlap } = icpParameters;
  const command = new Command("icp")
    .description("Moves a cloud onto another by the iterative closest point algorithm, point to point.")
    .usage("--train TARGET --queries SOURCE [options]")
    .requiredOption("--train <file>", "file of the points that stay; - is stdin")
    .requiredOption("--queries <file>", "file of the points to move; - is stdin")
    .addOption(optionWithDefault("--iterations <number>", iterations))
    .addOption(optionWithDefault("--tolerance <share>", tolerance))
    .addOption(optionOf("--max-distance <distance>", maxDistance))
    .addOption(optionWithDefault("--overlap <share>", overlap));
  return addCloudOptions(command)
    .addHelpText("after", help)
    .action((options: IcpCommandOptions) => run(options, signal));
}

interface IcpFacts extends Omit<IcpResult, "aligned" | "transform"> {
  readonly train: { readonly file: string; readonly rows: number };
  readonly queries: { readonly file: string; readonly rows: number };
  readonly transform: readonly number[];
  /** Says how the last search for pairs was done. */
}

async function run(options: IcpCommandOptions, signal: AbortSignal): Promise<void> {
  const { train: trainFile, queries: queriesFile, out } = options;
  const { iterations: maxIterations, tolerance, maxDistance, overlap } = options;
  checkCloudOptions(options);
  const format = outputFormat(out, options.format);
  if (format.holds === "matrix" && format.name !== "npy") {
    throw new InvalidInputError(
      `the result holds coordinates, but ${format.name} holds whole numbers; choose csv, parquet or npy (--format)`,
    );
  }
  const work = async ({ progress, lap, open, onExplanation }: Working) => {
    const { train, queries, rows } = await readPoints({ ...options, k: 1 }, signal, progress);
    lap("read");
    const { aligned, transform, ...found } = await icp(rows.queries, rows.train, {
      device: await open(),
      ...{ signal, maxIterations, tolerance, maxDistance, overlap, onExplanation },
    });
    lap("register");
    const facts: IcpFacts = {
      train: { file: nameOf(train), rows: train.rows },
      queries: { file: nameOf(queries), rows: queries.rows },
      ...found,
      transform: [...transform],
    };
    return { pieces: piecesOf(aligned, format.name, options), facts };
  };
  const inputs = [trainFile, queriesFile];
  await makeResult({ command: "cloud icp", options, inputs, textOf, work }, signal);
}

const names = ["x", "y", "z"];

function piecesOf(
  { data, rows, cols }: IcpResult["aligned"],
  format: ReturnType<typeof outputFormat>["name"],
  options: IcpCommandOptions,
): Pieces {
  if (format === "npy") return writeNpy(Float64Array.from(data, Number), { shape: [rows, cols] });
  const column = (at: number) =>
    Float64Array.from({ length: rows }, (_, row) => Number(data[row * cols + at]));
  const columns = names.slice(0, cols).map((name, at) => [name, column(at)]);
  return writeTable(format, Table.fromColumns(Object.fromEntries(columns)), csvOutput(options));
}

function textOf(registered: Ran & IcpFacts): string {
  const { train, queries, error, pairs, iterations, converged, transform } = registered;
  const size = Math.sqrt(transform.length);
  const rows = Array.from({ length: size - 1 }, (_, at) => transform.slice(at * size, (at + 1) * size));
  const ended = converged ? "converged" : "not converged";
  return [
    `moved     ${plural(queries.rows, "point")} onto ${count(train.rows)}, ${ended} after ${plural(iterations, "iteration")}`,
    `error     ${error} (root mean square of ${plural(pairs, "pair")})`,
    ...rows.map((row, at) => `${(at === 0 ? "motion" : "").padEnd(10)}${row.join(" ")}`),
    ...runLines(registered, ["read", "register", "write"]),
  ].join("\n");
}
