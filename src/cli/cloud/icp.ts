/** `nearfield cloud icp` moves one cloud onto another, and says by which rotation and translation. */
import { Command } from "commander";
import { icpParameters } from "../../graph/parameters/clouds.ts";
import { outputFormat, writeNpy, writeTable, type Pieces } from "../../io/index.ts";
import { Device, icp, InvalidInputError, Table, type Explanation, type IcpResult } from "../../node.ts";
import { count, plural } from "../format.ts";
import { nameOf } from "../inputs/tables.ts";
import { addCloudOptions, checkCloudOptions, readPoints, type CloudOptions } from "../options/cloud.ts";
import { optionOf, optionWithDefault } from "../options/parameter.ts";
import { csvOutput, deviceOptions } from "../options/shared.ts";
import { outputTarget, writeOutput } from "../output.ts";
import { noProgress, progressOn, showWriting } from "../progress.ts";
import { report, Stopwatch } from "../report.ts";
import { runLines, type Seconds } from "../summary.ts";

interface IcpCommandOptions extends CloudOptions {
  readonly queries: string;
  readonly iterations: number;
  readonly tolerance: number;
  readonly maxDistance?: number;
  readonly overlap: number;
}

const help = `
The result are the points of --queries as moved, with the columns x, y and z; as .npy they are float64. --json has the motion as
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

interface Registered extends Omit<IcpResult, "aligned" | "transform"> {
  readonly command: "cloud icp";
  readonly backend: string;
  readonly device: string;
  readonly train: { readonly file: string; readonly rows: number };
  readonly queries: { readonly file: string; readonly rows: number };
  readonly transform: readonly number[];
  readonly output: string;
  readonly seconds: Seconds;
  /** Says how the last search for pairs was done. */
  readonly explanation?: Explanation;
}

async function run(options: IcpCommandOptions, signal: AbortSignal): Promise<void> {
  const { train: trainFile, queries: queriesFile, out, force = false } = options;
  const { iterations: maxIterations, tolerance, maxDistance, overlap } = options;
  checkCloudOptions(options);
  const format = outputFormat(out, options.format);
  if (format.holds === "matrix" && format.name !== "npy") {
    throw new InvalidInputError(
      `the result are coordinates, but ${format.name} holds whole numbers; choose csv, parquet or npy (--format)`,
    );
  }
  const target = await outputTarget(out, [trainFile, queriesFile], force);
  const progress = options.quiet ? noProgress : progressOn(process.stderr, noProgress);
  const watch = new Stopwatch();
  let device: Device | undefined;
  let explanation: Explanation | undefined;
  try {
    const { train, queries, rows } = await readPoints({ ...options, k: 1 }, signal, progress);
    watch.lap("read");
    device = await Device.create(deviceOptions(options));
    const { aligned, transform, ...found } = await icp(rows.queries, rows.train, {
      ...{ device, signal, maxIterations, tolerance, maxDistance, overlap },
      onExplanation: (told) => (explanation = told),
    });
    watch.lap("register");
    showWriting(progress, target);
    await writeOutput(target, piecesOf(aligned, format.name, options), signal);
    watch.lap("write");
    progress.clear();
    const summary: Registered = {
      command: "cloud icp",
      backend: device.info.kind,
      device: device.info.name,
      train: { file: nameOf(train), rows: train.rows },
      queries: { file: nameOf(queries), rows: queries.rows },
      ...found,
      transform: [...transform],
      output: out,
      seconds: watch.seconds,
      ...(explanation ? { explanation } : {}),
    };
    await report(summary, textOf, options);
  } finally {
    progress.clear();
    device?.dispose();
  }
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

function textOf(registered: Registered): string {
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
