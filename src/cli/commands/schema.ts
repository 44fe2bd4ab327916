/**
 * `nearfield schema` reports what a file holds and how it would be read, found in one or two passes with
 * bounded memory.
 */
import { Command } from "commander";
import { openFound, recognise } from "../../io/index.ts";
import { InvalidInputError } from "../../node.ts";
import { schemaText, TableProfile, withoutRemedy } from "../profile.ts";
import type { FileProfile } from "../profile.ts";
import { modelFacts, modelText } from "../modelFacts.ts";
import { inputSource } from "../files.ts";
import { addKindOptions, addReadingOptions, readOptions, type FormatOptions } from "../options/reading.ts";
import { reportTarget, writeOutput, writeStdout } from "../output.ts";
import { noProgress, progressOn } from "../progress.ts";
import { reportOption } from "../options/shared.ts";
import { bytes } from "../options/values.ts";

interface SchemaOptions extends FormatOptions {
  readonly nominal?: readonly string[];
  readonly numeric?: readonly string[];
  readonly memory?: number;
  readonly report?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const help = `
There is one line per column: its type, the share of missing cells, how its numbers are spread between the least and the greatest, with
quartiles, or how often its most frequent texts appear. Below stand what was detected, and the options that
override it. Of a model (.nfm) it shows what was saved: settings, columns, classes.

Examples:
  nearfield schema train.csv
  nearfield schema flights.parquet --json
  nearfield schema species.nfm
  zcat big.csv.gz | nearfield schema - --nominal zip`;

export function schemaCommand(signal: AbortSignal): Command {
  const command = new Command("schema")
    .description("Shows the columns of a file: types, missing cells, ranges, and what was guessed.")
    .argument(
      "<file>",
      "CSV, JSON, JSON lines, Parquet, Arrow, .npy, .fvecs, .ivecs, .bvecs, .fbin, .ibin, .u8bin, .i8bin, IDX, .ply, .xyz or a model, also with .gz; - is stdin",
    );
  return addKindOptions(addReadingOptions(command))
    .option("--memory <bytes>", "limit on memory for the distinct texts, such as 512M (default: 1GiB)", bytes)
    .addOption(reportOption())
    .option("--force", "replace the file of --report if it exists")
    .option("--json", "print one JSON object")
    .option("--quiet", "show no progress")
    .showHelpAfterError("(nearfield schema --help shows every option)")
    .addHelpText("after", help)
    .action((file: string, options: SchemaOptions) => schema(file, options, signal));
}

async function schema(file: string, options: SchemaOptions, signal: AbortSignal): Promise<void> {
  const { inputFormat, json, quiet, nominal, numeric, memory } = options;
  const { decimal, thousands, units = [] } = options;
  const page = await reportTarget(options, [file]);
  const progress = quiet ? noProgress : progressOn(process.stderr, noProgress);
  const show = (phase: string) => (done: number, total: number | undefined) =>
    progress.show({ phase, unit: "byte", done, total });
  try {
    const source = await inputSource(file, signal);
    if (inputFormat === undefined && /\.nfm(\.gz)?$/i.test(file)) {
      if (page)
        throw new InvalidInputError("--report shows the columns of tables; a model has none", { file });
      const facts = await modelFacts(source, memory, signal);
      progress.clear();
      await writeStdout(json ? `${JSON.stringify(facts)}\n` : `${modelText(facts)}\n`, signal);
      return;
    }
    const found = await recognise(source, inputFormat, signal);
    const { name } = found.source;
    const stream = await openFound(found, {
      ...readOptions(options),
      ...(nominal === undefined ? {} : { nominal }),
      ...(numeric === undefined ? {} : { numeric }),
      ...(memory === undefined ? {} : { memory }),
      signal,
      onProgress: show(`finding types in ${name}`),
    });
    const columns = new TableProfile(stream.schema);
    for await (const chunk of stream.chunks({ signal, onProgress: show(`counting in ${name}`) }))
      columns.add(chunk);
    progress.clear();
    const profile: FileProfile = {
      file: name,
      format: found.format.name,
      rows: columns.rows,
      columns: columns.results(),
      guesses: stream.guesses.map(withoutRemedy),
      hints: columns.columns.flatMap((column) => column.hint({ decimal, thousands, units }) ?? []),
    };
    if (page) {
      const { schemaPage } = await import("../htmlReport/schema.ts");
      await writeOutput(page, [schemaPage(profile)], signal);
    }
    await writeStdout(json ? `${JSON.stringify(profile)}\n` : `${schemaText(profile)}\n`, signal);
  } finally {
    progress.clear();
  }
}
