/**
 * `nearfield cloud normals`, `outliers` and `duplicates` work on one cloud: they estimate the normals of its
 * surface, or leave points out and write the others.
 */
import { Command } from "commander";
import { toMatrix } from "../../core/matrix.ts";
import { duplicateParameters, normalsParameters, outlierParameters } from "../../graph/parameters/clouds.ts";
import { writeTable } from "../../io/index.ts";
import {
  Device,
  estimateNormals,
  InvalidInputError,
  removeDuplicatePoints,
  removeOutlierPoints,
  Table,
  type Explanation,
  type Matrix,
} from "../../node.ts";
import { count, plural } from "../format.ts";
import { nameOf } from "../inputs/tables.ts";
import { addCloudOptions, checkCloudOptions, readPoints, type CloudOptions } from "../options/cloud.ts";
import { optionOf, optionWithDefault } from "../options/parameter.ts";
import { csvOutput, deviceOptions, tableFormat } from "../options/shared.ts";
import { outputTarget, writeOutput } from "../output.ts";
import { noProgress, progressOn, showWriting } from "../progress.ts";
import { report, Stopwatch } from "../report.ts";
import { runLines, type Seconds } from "../summary.ts";

interface CleanOptions extends CloudOptions {
  readonly k: number;
  readonly viewpoint?: readonly number[];
  readonly deviations: number;
  readonly tolerance: number;
  readonly explain?: boolean;
}

type Columns = Readonly<Record<string, Uint32Array | Float64Array>>;

/** The columns of the result, and the facts of the summary. */
interface Found {
  readonly columns: Columns;
  readonly facts: Readonly<Record<string, number>>;
}

interface How {
  readonly device: Device | undefined;
  readonly signal: AbortSignal;
  readonly onExplanation: (told: Explanation) => void;
}

type Work = (points: Matrix, options: CleanOptions, how: How) => Promise<Found>;

export function normalsCommand(signal: AbortSignal): Command {
  const { k, viewpoint } = normalsParameters;
  const command = new Command("normals")
    .description("Estimates the normal of the surface at every point, from its nearest points.")
    .addOption(optionWithDefault("-k, --k <number>", k))
    .addOption(optionOf("--viewpoint <numbers>", viewpoint));
  const says = `The result has a line for each point: x, y, z, the normal nx, ny, nz and the surface variation, 0 where it is flat.`;
  return finished(
    command,
    says,
    "normals --train scan.ply --viewpoint 0,0,9 --out normals.csv",
    signal,
    normals,
  );
}

export function outliersCommand(signal: AbortSignal): Command {
  const { k, deviations } = outlierParameters;
  const command = new Command("outliers")
    .description("Leaves out points that lie far from their neighbours, by the statistics of all.")
    .addOption(optionWithDefault("-k, --k <number>", k))
    .addOption(optionWithDefault("--deviations <number>", deviations));
  return finished(command, keptSays, "outliers --train scan.ply --out clean.csv", signal, outliers);
}

export function duplicatesCommand(signal: AbortSignal): Command {
  const command = new Command("duplicates")
    .description("Leaves out points that lie within a tolerance of one before them. Uses no device.")
    .addOption(optionWithDefault("--tolerance <distance>", duplicateParameters.tolerance));
  return finished(
    command,
    keptSays,
    "duplicates --train scan.ply --tolerance 0.001 --out thin.csv",
    signal,
    duplicates,
  );
}

const keptSays = `The result has a line for each point that is kept: its row in the file, from 0, and x, y, z.`;

function finished(command: Command, says: string, example: string, signal: AbortSignal, work: Work): Command {
  command.usage("--train FILE [options]").requiredOption("--train <file>", "file of points; - is stdin");
  return addCloudOptions(command)
    .addHelpText("after", `\n${says}\n\nExample:\n  nearfield cloud ${example}`)
    .action((options: CleanOptions) => run(`cloud ${command.name()}`, options, signal, work));
}

const normals: Work = async (points, { k, viewpoint }, how) => {
  const found = await estimateNormals(points, { k, viewpoint, ...how });
  const own = { ...points, data: found.normals };
  const columns = { ...columnsOf(points, ""), ...columnsOf(own, "n"), variation: found.variations };
  return { columns, facts: {} };
};

const outliers: Work = async (points, { k, deviations }, how) => {
  const { kept, mean, deviation, threshold, ...found } = await removeOutlierPoints(points, {
    ...{ k, deviations },
    ...how,
  });
  const columns = { row: kept, ...columnsOf(found.points, "") };
  return { columns, facts: { kept: kept.length, mean, deviation, threshold } };
};

const duplicates: Work = async (points, { tolerance }, { signal }) => {
  const { kept, ...found } = await removeDuplicatePoints(points, { tolerance, signal });
  return { columns: { row: kept, ...columnsOf(found.points, "") }, facts: { kept: kept.length } };
};

/** Returns the coordinates by column. */
function columnsOf({ data, rows, cols }: Matrix, prefix: string): Columns {
  const column = (at: number) =>
    Float64Array.from({ length: rows }, (_, row) => Number(data[row * cols + at]));
  return Object.fromEntries(
    ["x", "y", "z"].slice(0, cols).map((name, at) => [`${prefix}${name}`, column(at)]),
  );
}

interface Cleaned {
  readonly command: string;
  readonly backend: string;
  readonly device: string;
  readonly train: { readonly file: string; readonly rows: number };
  readonly kept?: number;
  readonly output: string;
  readonly seconds: Seconds;
  readonly explanation?: Explanation;
}

async function run(command: string, options: CleanOptions, signal: AbortSignal, work: Work): Promise<void> {
  const { train: trainFile, out, force = false } = options;
  checkCloudOptions(options);
  if (work === duplicates) checkHostOptions(options);
  const format = tableFormat(options);
  const target = await outputTarget(out, [trainFile], force);
  const progress = options.quiet ? noProgress : progressOn(process.stderr, noProgress);
  const watch = new Stopwatch();
  let device: Device | undefined;
  let explanation: Explanation | undefined;
  try {
    const { train, rows } = await readPoints({ ...options, k: 1 }, signal, progress);
    watch.lap("read");
    if (work !== duplicates) device = await Device.create(deviceOptions(options));
    const onExplanation = (told: Explanation) => (explanation = told);
    const { columns, facts } = await work(toMatrix(rows.train, "train"), options, {
      device,
      signal,
      onExplanation,
    });
    watch.lap("work");
    showWriting(progress, target);
    await writeOutput(
      target,
      writeTable(format.name, Table.fromColumns(columns), csvOutput(options)),
      signal,
    );
    watch.lap("write");
    progress.clear();
    const summary: Cleaned = {
      command,
      backend: device?.info.kind ?? "host",
      device: device?.info.name ?? "none",
      train: { file: nameOf(train), rows: train.rows },
      ...facts,
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

/** @throws InvalidInputError for options of a device, which finding duplicates has no use for */
function checkHostOptions({ backend, gpu, threads, deviceMemory, explain }: CleanOptions): void {
  const given = Object.entries({
    ...{ "--backend gpu": backend === "gpu", "--gpu": gpu !== undefined, "--threads": threads !== undefined },
    ...{ "--device-memory": deviceMemory !== undefined, "--explain": explain === true },
  }).find(([, isGiven]) => isGiven);
  if (!given) return;
  throw new InvalidInputError(
    `duplicates are found by the host, which has no use for ${given[0]}; leave it out`,
  );
}

function textOf(cleaned: Cleaned): string {
  const { train, kept } = cleaned;
  const points = plural(train.rows, "point");
  return [
    kept === undefined ? `normals   of ${points}` : `kept      ${count(kept)} of ${points}`,
    ...runLines(cleaned, ["read", "work", "write"]),
  ].join("\n");
}
