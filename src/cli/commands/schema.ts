/**
 * `nearfield schema` reports what a file holds and how it would be read, found in one or two passes with
 * bounded memory.
 */
import { Command } from "commander";
import { openFound, recognise } from "../../io/index.ts";
import { ColumnProfile, schemaText } from "../profile.ts";
import type { FileProfile } from "../profile.ts";
import { inputSource } from "../files.ts";
import { addReadingOptions, readOptions, type FormatOptions } from "../options/reading.ts";
import { writeStdout } from "../output.ts";
import { noProgress, progressOn } from "../progress.ts";
import { bytes, names } from "../options/values.ts";

interface SchemaOptions extends FormatOptions {
  readonly nominal?: readonly string[];
  readonly numeric?: readonly string[];
  readonly memory?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const help = `
One line per column: its type, how many cells are missing, and the least and the greatest number or the most frequent text.
Below it what was found out rather than declared, and the option that says otherwise.

Examples:
  nearfield schema train.csv
  nearfield schema flights.parquet --json
  zcat big.csv.gz | nearfield schema - --nominal zip`;

export function schemaCommand(signal: AbortSignal): Command {
  const command = new Command("schema")
    .description("Shows the columns of a file: types, missing cells, ranges, and what was guessed.")
    .argument(
      "<file>",
      "CSV, JSON lines, Parquet, .npy, .fvecs, .ivecs, .bvecs or IDX, also with .gz; - is stdin",
    );
  return addReadingOptions(command)
    .option("--nominal <names>", "columns to read as text even if they look like numbers", names)
    .option("--numeric <names>", "columns that must hold numbers, those with leading zeros too", names)
    .option("--memory <bytes>", "for the distinct texts at most, such as 512M (default: 1GiB)", bytes)
    .option("--json", "print one JSON object")
    .option("--quiet", "show no progress")
    .showHelpAfterError("(nearfield schema --help shows every option)")
    .addHelpText("after", help)
    .action((file: string, options: SchemaOptions) => schema(file, options, signal));
}

async function schema(file: string, options: SchemaOptions, signal: AbortSignal): Promise<void> {
  const { inputFormat, json, quiet, nominal, numeric, memory } = options;
  const progress = quiet ? noProgress : progressOn(process.stderr, noProgress);
  const show = (phase: string) => (done: number, total: number | undefined) =>
    progress.show({ phase, unit: "bytes", done, total });
  try {
    const found = await recognise(await inputSource(file, signal), inputFormat, signal);
    const { name } = found.source;
    const stream = await openFound(found, {
      ...readOptions(options),
      ...(nominal === undefined ? {} : { nominal }),
      ...(numeric === undefined ? {} : { numeric }),
      ...(memory === undefined ? {} : { memory }),
      signal,
      onProgress: show(`finding types in ${name}`),
    });
    const columns = stream.schema.map((column) => new ColumnProfile(column));
    let rows = 0;
    for await (const chunk of stream.chunks({ signal, onProgress: show(`counting in ${name}`) })) {
      rows += chunk.rows;
      chunk.columns.forEach((column, at) => columns[at].add(column));
    }
    progress.clear();
    const profile: FileProfile = {
      file: name,
      format: found.format.name,
      rows,
      columns: columns.map((column) => column.result()),
      guesses: stream.guesses,
    };
    await writeStdout(json ? `${JSON.stringify(profile)}\n` : `${schemaText(profile)}\n`);
  } finally {
    progress.clear();
  }
}
