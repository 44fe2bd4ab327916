/**
 * `nearfield cloud chamfer` and `nearfield cloud hausdorff` say how far two clouds are from each other: by
 * the means of nearest distances, or by the greatest of them.
 */
import { Command } from "commander";
import { chamferDistance, hausdorffDistance, Table } from "../../node.ts";
import type { ChamferOptions, ChamferResult, Explanation, HausdorffResult } from "../../node.ts";
import { writeTable } from "../../io/index.ts";
import { count, plural } from "../format.ts";
import { nameOf } from "../inputs/tables.ts";
import { makeResult, type Ran, type Working } from "../oneResult.ts";
import {
  addCloudOptions,
  checkCloudOptions,
  readPoints,
  cloudMetricOption,
  type CloudFlags,
} from "../options/cloud.ts";
import { csvOutput, tableFormat } from "../options/shared.ts";
import { runLines } from "../summary.ts";

interface ApartOptions extends CloudFlags {
  readonly queries: string;
}

const chamferHelp = `
The result is one line: distance, the sum of both means; forward, the mean over the points of --queries of the distance to
the nearest of --train; backward, the mean over those of --train. With --metric sqeuclidean these are means of squares.

Example:
  nearfield cloud chamfer --train model.ply --queries scan.ply`;

const hausdorffHelp = `
The result is one line: distance, the greatest of a point of either cloud to the nearest of the other; query and index, the
points of --queries and of --train that are so far apart, counted from 0; forward, the greatest distance of a point of
--queries, and backward, that of a point of --train.

Example:
  nearfield cloud hausdorff --train model.ply --queries scan.ply --json`;

export function chamferCommand(signal: AbortSignal): Command {
  const command = new Command("chamfer").description(
    "Adds the mean distances of the points of two clouds to the nearest of the other.",
  );
  return addApartOptions(command.addOption(cloudMetricOption()), chamferHelp, async (options) => {
    await run("cloud chamfer", options, signal, async (queries, train, how) => {
      const { metric } = options;
      return chamferDistance(queries, train, { ...how, metric });
    });
  });
}

export function hausdorffCommand(signal: AbortSignal): Command {
  const command = new Command("hausdorff").description(
    "Finds the greatest distance of a point of two clouds to the nearest of the other, and where it is.",
  );
  return addApartOptions(command, hausdorffHelp, async (options) => {
    await run("cloud hausdorff", options, signal, async (queries, train, how) => {
      const { a, b, ...distances }: HausdorffResult = await hausdorffDistance(queries, train, how);
      return { ...distances, query: a, index: b };
    });
  });
}

function addApartOptions(
  command: Command,
  help: string,
  action: (options: ApartOptions) => Promise<void>,
): Command {
  return addCloudOptions(
    command
      .usage("--train FILE --queries FILE [options]")
      .requiredOption("--train <file>", "file of points; - is stdin")
      .requiredOption("--queries <file>", "file of other points; - is stdin"),
  )
    .addHelpText("after", help)
    .action(action);
}

/** It has the numbers of the result by the names of its columns. */
type Apart = ChamferResult & { readonly query?: number; readonly index?: number };

interface ApartFacts extends Apart {
  readonly train: { readonly file: string; readonly rows: number };
  readonly queries: { readonly file: string; readonly rows: number };
  /** Says how the points of --queries were searched for; those of --train were likewise. */
  readonly explanation: Explanation;
}

async function run(
  command: string,
  options: ApartOptions,
  signal: AbortSignal,
  measure: (queries: Points, train: Points, how: ChamferOptions) => Promise<Apart>,
): Promise<void> {
  checkCloudOptions(options);
  const format = tableFormat(options);
  const work = async ({ progress, lap, open }: Working) => {
    const { train, queries, rows } = await readPoints({ ...options, k: 1 }, signal, progress);
    lap("read");
    const told: Explanation[] = [];
    const onExplanation = (explanation: Explanation) => void told.push(explanation);
    const found = await measure(rows.queries, rows.train, { device: await open(), signal, onExplanation });
    lap("measure");
    const { distance, forward, backward, query, index } = found;
    const pair = query === undefined || index === undefined ? {} : { query, index };
    const columns = Object.entries({ distance, ...pair, forward, backward });
    const table = Table.fromColumns(Object.fromEntries(columns.map(([name, value]) => [name, [value]])));
    const facts: ApartFacts = {
      train: { file: nameOf(train), rows: train.rows },
      queries: { file: nameOf(queries), rows: queries.rows },
      ...found,
      explanation: told[0],
    };
    return { pieces: writeTable(format.name, table, csvOutput(options)), facts };
  };
  const inputs = [options.train, options.queries];
  await makeResult({ command, options, inputs, textOf, work }, signal);
}

type Points = Parameters<typeof chamferDistance>[0];

function textOf(apart: Ran & ApartFacts): string {
  const { train, queries, distance, forward, backward, query, index } = apart;
  const where =
    query === undefined || index === undefined ? [] : [`where     query ${query}, index ${index}`];
  return [
    `measured  ${plural(queries.rows, "point")} and ${count(train.rows)}`,
    `distance  ${distance} (forward ${forward}, backward ${backward})`,
    ...where,
    ...runLines(apart, ["read", "measure", "write"]),
  ].join("\n");
}
