/**
 * `nearfield cloud normals`, `outliers` and `duplicates` work on one cloud: they estimate the normals of its
 * surface, or leave points out and write the others.
 */
import { Command } from "commander";
import { toMatrix } from "../../core/matrix.ts";
import { duplicateParameters, normalsParameters, outlierParameters } from "../../graph/parameters/clouds.ts";
import { writeTable } from "../../io/index.ts";
import {
  estimateNormals,
  InvalidInputError,
  removeDuplicatePoints,
  removeOutlierPoints,
  Table,
  type Matrix,
} from "../../node.ts";
import { count, plural } from "../format.ts";
import { checkK, nameOf, type InputFile } from "../inputs/tables.ts";
import { makeResult, type Ran, type Working } from "../oneResult.ts";
import { addCloudOptions, checkCloudOptions, readPoints, type CloudFlags } from "../options/cloud.ts";
import { optionOf, optionWithDefault } from "../options/parameter.ts";
import { csvOutput, tableFormat } from "../options/shared.ts";
import { runLines } from "../summary.ts";

interface CleanOptions extends CloudFlags {
  readonly k: number;
  readonly viewpoint?: readonly number[];
  readonly deviations: number;
  readonly tolerance: number;
  readonly explain?: boolean;
}

type CleanColumns = Readonly<Record<string, Uint32Array | Float64Array>>;

/** A command found these columns of the result and facts of the summary. */
interface Cleaned {
  readonly columns: CleanColumns;
  readonly facts: Readonly<Record<string, string | number>>;
}

type CleanRun = Pick<Working, "open" | "onExplanation"> & { readonly signal: AbortSignal };

type Clean = (points: Matrix, options: CleanOptions, how: CleanRun) => Promise<Cleaned>;

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
    .description("Leaves out points that lie farther from their neighbours than most points do.")
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

function finished(
  command: Command,
  says: string,
  example: string,
  signal: AbortSignal,
  clean: Clean,
): Command {
  command.usage("--train FILE [options]").requiredOption("--train <file>", "file of points; - is stdin");
  return addCloudOptions(command)
    .addHelpText("after", `\n${says}\n\nExample:\n  nearfield cloud ${example}`)
    .action((options: CleanOptions) => run(`cloud ${command.name()}`, options, signal, clean));
}

const normals: Clean = async (points, { k, viewpoint }, { open, ...how }) => {
  const found = await estimateNormals(points, { k, viewpoint, device: await open(), ...how });
  const own = { ...points, data: found.normals };
  const columns = { ...columnsOf(points, ""), ...columnsOf(own, "n"), variation: found.variations };
  return { columns, facts: {} };
};

const outliers: Clean = async (points, { k, deviations }, { open, ...how }) => {
  const { kept, mean, deviation, threshold, ...found } = await removeOutlierPoints(points, {
    ...{ k, deviations, device: await open() },
    ...how,
  });
  const columns = { row: kept, ...columnsOf(found.points, "") };
  return { columns, facts: { kept: kept.length, mean, deviation, threshold } };
};

const duplicates: Clean = async (points, { tolerance }, { signal }) => {
  const { kept, ...found } = await removeDuplicatePoints(points, { tolerance, signal });
  return {
    columns: { row: kept, ...columnsOf(found.points, "") },
    facts: { backend: "host", kept: kept.length },
  };
};

/** Returns the coordinates by column. */
function columnsOf({ data, rows, cols }: Matrix, prefix: string): CleanColumns {
  const column = (at: number) =>
    Float64Array.from({ length: rows }, (_, row) => Number(data[row * cols + at]));
  return Object.fromEntries(
    ["x", "y", "z"].slice(0, cols).map((name, at) => [`${prefix}${name}`, column(at)]),
  );
}

interface CleanFacts {
  readonly train: { readonly file: string; readonly rows: number };
  readonly kept?: number;
}

async function run(command: string, options: CleanOptions, signal: AbortSignal, clean: Clean): Promise<void> {
  checkCloudOptions(options);
  if (clean === duplicates) checkHostOptions(options);
  const format = tableFormat(options);
  const work = async ({ progress, lap, open, onExplanation }: Working) => {
    const { train, rows } = await readPoints({ ...options, k: 1 }, signal, progress);
    if (clean === normals) checkK(options.k, train);
    if (clean === outliers) checkOthers(options.k, train);
    lap("read");
    const points = toMatrix(rows.train, "train");
    const { columns, facts } = await clean(points, options, { open, signal, onExplanation });
    lap("work");
    return {
      pieces: writeTable(format.name, Table.fromColumns(columns), csvOutput(options)),
      facts: { train: { file: nameOf(train), rows: train.rows }, ...facts },
    };
  };
  await makeResult({ command, options, inputs: [options.train], textOf, work }, signal);
}

/** @throws InvalidInputError where a point has fewer than k others */
function checkOthers(k: number, train: InputFile): void {
  const others = train.rows - 1;
  if (k <= others) return;
  const remedy = others === 0 ? "give at least 2 points" : `choose --k of at most ${others}`;
  throw new InvalidInputError(
    `has ${plural(train.rows, "row")}, so that each has ${plural(others, "other")}, but k is ${k}; ${remedy}`,
    { file: nameOf(train) },
  );
}

/** @throws InvalidInputError for options of a device, which finding duplicates has no use for */
function checkHostOptions({ backend, gpu, threads, deviceMemory, explain }: CleanOptions): void {
  const given = Object.entries({
    ...{ "--backend gpu": backend === "gpu", "--gpu": gpu !== undefined, "--threads": threads !== undefined },
    ...{ "--device-memory": deviceMemory !== undefined, "--explain": explain === true },
  }).find(([, isGiven]) => isGiven);
  if (!given) return;
  throw new InvalidInputError(
    `duplicates are found on the host, which does not use ${given[0]}; leave it out`,
  );
}

function textOf(cleaned: Ran & CleanFacts): string {
  const { train, kept } = cleaned;
  const points = plural(train.rows, "point");
  return [
    kept === undefined ? `normals   of ${points}` : `kept      ${count(kept)} of ${points}`,
    ...runLines(cleaned, ["read", "work", "write"]),
  ].join("\n");
}
