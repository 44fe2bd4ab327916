/** `nearfield search`: the nearest rows of one CSV file for every row of another, by row number. */
import { Command } from "commander";
import { writeCsv } from "../../io/index.ts";
import { NearestNeighbors } from "../../node.ts";
import type { KnnResult } from "../../node.ts";
import { nameOf, readInputs } from "../inputs.ts";
import { measureFacts } from "../measure.ts";
import { addCommonOptions, checkCommonOptions, csvFormat, libraryOptions } from "../options.ts";
import type { CommonOptions } from "../options.ts";
import { outputTarget, writeOutput } from "../output.ts";
import { noProgress, progressOn, showQueries } from "../progress.ts";
import { Stopwatch, report } from "../report.ts";

interface SearchOptions extends CommonOptions {
  readonly queries: string;
}

const help = `
The result has the columns query, rank, index, distance: k lines per row of the queries, nearest first. Rows and ranks
count from 0; index is a row of the training file; equal distances are in the order of the index. A row that is also
in the training file finds itself at distance 0.

Examples:
  nearfield search --train items.csv --queries items.csv --k 10 --id sku --out neighbours.csv
  nearfield search --train items.csv --queries - --k 1 --metric cosine --features x,y,z < new.csv > nearest.csv`;

export function searchCommand(signal: AbortSignal): Command {
  const command = new Command("search")
    .description("Finds the k nearest training rows of every row of a CSV file, exactly.")
    .usage("--train FILE --queries FILE [options]")
    .requiredOption("--train <file>", "CSV file of rows to find; - is stdin")
    .requiredOption("--queries <file>", "CSV file of rows to find neighbours of; - is stdin");
  return addCommonOptions(command)
    .addHelpText("after", help)
    .action((options: SearchOptions) => search(options, signal));
}

async function search(options: SearchOptions, signal: AbortSignal): Promise<void> {
  const { train: trainFile, queries: queriesFile, k, out, force = false } = options;
  checkCommonOptions(options, { option: "--queries", file: queriesFile });
  const target = await outputTarget(out, [trainFile, queriesFile], force);
  const progress = options.quiet ? noProgress : progressOn(process.stderr, noProgress);
  const settings = { ...libraryOptions(options), nNeighbors: k };
  new NearestNeighbors(settings); // refuses what contradicts itself
  const watch = new Stopwatch();
  let model: NearestNeighbors | undefined;
  try {
    const { train, queries, features } = await readInputs(options, queriesFile, {}, signal, progress);
    watch.lap("read");

    model = new NearestNeighbors({ ...settings, features });
    await model.fit(train);
    signal.throwIfAborted();
    watch.lap("fit");

    const result = await model.kneighbors(queries, { signal, onProgress: showQueries(progress) });
    watch.lap("search");

    progress.show({ phase: "writing", unit: "rows", done: 0, total: undefined });
    const header = ["query", "rank", "index", "distance"];
    await writeOutput(target, writeCsv(header, resultRows(result), csvFormat(options)), signal);
    watch.lap("write");

    progress.clear();
    const { explanation } = result;
    await report(
      {
        command: "search",
        backend: explanation.backend,
        device: explanation.device,
        ...measureFacts(settings, { train, features }),
        train: { file: nameOf(train), rows: train.rows },
        queries: { file: nameOf(queries), rows: queries.rows },
        features,
        output: out,
        seconds: watch.seconds,
        queriesPerSecond: queries.rows / (watch.seconds.search ?? NaN),
        explanation,
      },
      options,
    );
  } finally {
    progress.clear();
    model?.dispose();
  }
}

function* resultRows({ indices, distances, queries, k }: KnnResult): Generator<number[]> {
  for (let query = 0; query < queries; query++) {
    for (let rank = 0; rank < k; rank++) {
      const at = query * k + rank;
      yield [query, rank, indices[at], distances[at]];
    }
  }
}
