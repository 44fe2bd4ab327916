/** `nearfield search` finds the nearest rows of one file for every row of another, by row number. */
import { Command } from "commander";
import { columnNames, outputFormat } from "../../io/index.ts";
import { checkNeighborsOptions } from "../../models/nearestNeighbors.ts";
import { NearestNeighbors } from "../../node.ts";
import { hintsOn, nameOf, namesInDoubt, openInputs, readInputs } from "../inputs/tables.ts";
import { readMatrices } from "../inputs/matrices.ts";
import { kindsOf, measureFacts } from "../measure.ts";
import { neighbourPieces } from "../results/neighbours.ts";
import { summaryText } from "../summary.ts";
import type { Summary, Wording } from "../summary.ts";
import { addCommonOptions, checkCommonOptions, csvOutput, libraryOptions } from "../options/shared.ts";
import type { CommonOptions } from "../options/shared.ts";
import { outputTarget, writeOutput } from "../output.ts";
import { noProgress, progressOn, showQueries } from "../progress.ts";
import type { Progress } from "../progress.ts";
import { Stopwatch, report } from "../report.ts";

const wording: Wording = { verb: "searched", phases: ["read", "fit", "search", "write"] };

interface SearchOptions extends CommonOptions {
  readonly queries: string;
}

const help = `
The result has the columns query, rank, index, distance: k lines per row of the queries, nearest first. Rows and ranks
count from 0; index is a row of the training file; equal distances are in the order of the index. A row that is also
in the training file finds itself at distance 0. As .npy or .ivecs it is the index alone: a row of k per query.

Files may be CSV, JSON lines or Parquet, or matrices of numbers: .npy, .fvecs, .ivecs, .bvecs, IDX; each also with .gz.

Examples:
  nearfield search --train items.csv --queries items.csv --k 10 --id sku --out neighbours.csv
  nearfield search --train items.csv --queries - --k 1 --metric cosine --features x,y,z < new.csv > nearest.csv
  nearfield search --train base.fvecs --queries query.fvecs --k 100 --out groundtruth.ivecs`;

export function searchCommand(signal: AbortSignal): Command {
  const command = new Command("search")
    .description("Finds the k nearest training rows of every row of a file, exactly.")
    .usage("--train FILE --queries FILE [options]")
    .requiredOption("--train <file>", "file of rows to find; - is stdin")
    .requiredOption("--queries <file>", "file of rows to find neighbours of; - is stdin");
  return addCommonOptions(command)
    .addHelpText("after", help)
    .action((options: SearchOptions) => search(options, signal));
}

async function search(options: SearchOptions, signal: AbortSignal): Promise<void> {
  const { train: trainFile, queries: queriesFile, k, out, force = false } = options;
  checkCommonOptions(options, { option: "--queries", file: queriesFile });
  const target = await outputTarget(out, [trainFile, queriesFile], force);
  const format = outputFormat(out, options.format);
  const progress = options.quiet ? noProgress : progressOn(process.stderr, noProgress);
  const settings = { ...libraryOptions(options), nNeighbors: k };
  checkNeighborsOptions(settings);
  const watch = new Stopwatch();
  let model: NearestNeighbors | undefined;
  try {
    const { train, queries, features, kinds, columns } = await readRows(options, signal, progress);
    watch.lap("read");

    model = new NearestNeighbors({ ...settings, ...columns });
    await model.fit(train);
    signal.throwIfAborted();
    watch.lap("fit");

    const result = await model.kneighbors(queries, { signal, onProgress: showQueries(progress) });
    watch.lap("search");

    progress.show({ phase: "writing", unit: "rows", done: 0, total: undefined });
    await writeOutput(target, neighbourPieces(result, format.name, csvOutput(options)), signal);
    watch.lap("write");

    progress.clear();
    const { explanation } = result;
    const summary: Summary = {
      command: "search",
      backend: explanation.backend,
      device: explanation.device,
      ...measureFacts(settings, kinds),
      train: { file: nameOf(train), rows: train.rows },
      queries: { file: nameOf(queries), rows: queries.rows },
      features,
      output: out,
      seconds: watch.seconds,
      queriesPerSecond: queries.rows / (watch.seconds.search ?? NaN),
      ...namesInDoubt(train, queries),
      ...hintsOn({ used: features, leftOut: [options.id ?? ""] }, train, queries),
      explanation,
    };
    await report(summary, (shown) => summaryText(shown, wording), options);
  } finally {
    progress.clear();
    model?.dispose();
  }
}

/** Reads two files of numbers as they are, and any others as tables. */
async function readRows(options: SearchOptions, signal: AbortSignal, progress: Progress) {
  const open = await openInputs(options, options.queries, signal);
  const matrices = await readMatrices(options, open, signal, progress);
  if (matrices !== undefined) {
    const { train } = matrices;
    const features = columnNames({ name: nameOf(train), cols: train.cols });
    return { ...matrices, features, kinds: features.map(() => "numeric" as const), columns: {} };
  }
  const inputs = await readInputs(options, open, {}, signal, progress);
  return { ...inputs, kinds: kindsOf(inputs), columns: { features: inputs.features } };
}
