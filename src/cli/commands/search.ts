/** `nearfield search` finds the nearest rows of one file for every row of another, by row number. */
import { Command } from "commander";
import { columnNames } from "../../io/index.ts";
import { checkNeighborsOptions } from "../../models/nearestNeighbors.ts";
import { fitSteps } from "../../models/preparation/index.ts";
import { NearestNeighbors } from "../../node.ts";
import { Table, type Column } from "../../table/index.ts";
import { angleOf, inKilometres, inRadians } from "../inputs/degrees.ts";
import { queryHints, trainHints } from "../inputs/hints.ts";
import { openMatrices, readMatrices, type Matrices, type OpenMatrices } from "../inputs/matrices.ts";
import { checkSelf } from "../inputs/rows.ts";
import { hintsOn, nameOf, namesInDoubt, openInputs, readInputs } from "../inputs/tables.ts";
import type { FileHint, OpenInputs, TableInputs } from "../inputs/tables.ts";
import { kindsOf, measureFacts } from "../measure.ts";
import { preparationOf } from "../options/model.ts";
import { addSearchOptions, checkSearchOptions, type SearchFlags } from "../options/search.ts";
import { csvOutput, libraryOptions, threadsFor } from "../options/shared.ts";
import { outputTarget, reportTarget, writeOutput } from "../output.ts";
import { noProgress, progressOn, showQueries, showWriting } from "../progress.ts";
import type { ProgressDisplay } from "../progress.ts";
import { Stopwatch, report } from "../report.ts";
import { neighbourPieces, type CarriedColumns } from "../results/neighbours.ts";
import { summaryText } from "../summary.ts";
import { isLarge, largePhases, searchLarge } from "./searchLarge.ts";
import type { Summary, Wording } from "../summary.ts";

const wording: Wording = { verb: "searched", phases: ["read", "fit", "search", "write"] };

const help = `
The result has the columns query, rank, index, distance: k lines per row of the queries, nearest first. Rows and ranks
count from 0; index is a row of the training file; equal distances are in the order of the index. The columns of --id
and --carry stand beside them, NAME of the query and nearest(NAME) of its neighbour. As .npy or .ivecs the result is
the index alone: a row of k per query. As .ibin it is ground truth in the form of big-ann-benchmarks: all indices, then
all distances as float32; that project has squared ones (--metric sqeuclidean). --normalize and --impute learn from the
training rows; distances, and --radius, are between the rows that they make. With --metric haversine --degrees the two
features are latitude and longitude in degrees, and distances are kilometres along a globe of radius 6371.0088 km.

Without --queries the training rows are searched among themselves, and none is its own neighbour. A row of --queries
that is also in the training file finds itself at distance 0, unless --exclude-self says that both are the same rows.

A --train of numbers that takes more than a quarter of --memory by its header is not read whole: it is streamed
from its file while queries are answered. --radius, --exclude-self, --float32, --report and --explain read it whole.

Files may be CSV, JSON lines or Parquet, or matrices of numbers: .npy, .fvecs, .ivecs, .bvecs, IDX,
.fbin, .ibin, .u8bin, .i8bin, .ply, .xyz; each also with .gz.

Examples:
  nearfield search --train items.csv --k 10 --id sku --carry title --normalize z --out neighbours.csv
  nearfield search --train items.csv --queries - --k 1 --metric cosine --features x,y,z < new.csv > nearest.csv
  nearfield search --train airports.csv --id iata --features latitude,longitude --metric haversine --degrees --k 3
  nearfield search --train base.fvecs --queries query.fvecs --k 100 --out groundtruth.ivecs`;

export function searchCommand(signal: AbortSignal): Command {
  const command = new Command("search")
    .description("Finds the k nearest training rows of every row of a file, exactly.")
    .usage("--train FILE [--queries FILE] [options]");
  return addSearchOptions(command)
    .addHelpText("after", help)
    .action((options: SearchFlags) => search(options, signal));
}

async function search(options: SearchFlags, signal: AbortSignal): Promise<void> {
  const { train: trainFile, queries: queriesFile, k, radius, out, force = false } = options;
  const format = checkSearchOptions(options);
  const files = queriesFile === undefined ? [trainFile] : [trainFile, queriesFile];
  const target = await outputTarget(out, files, force);
  const page = await reportTarget(options, files, [target]);
  const progress = options.quiet ? noProgress : progressOn(process.stderr, noProgress);
  const settings = { ...libraryOptions(options), nNeighbors: k };
  checkNeighborsOptions(settings);
  const excludeSelf = options.excludeSelf ?? queriesFile === undefined;
  const watch = new Stopwatch();
  let model: NearestNeighbors | undefined;
  try {
    const open = await openInputs(options, options.queries, signal);
    const isPrepared = (options.impute ?? options.normalize) !== undefined || options.degrees === true;
    const opened = isPrepared ? undefined : await openMatrices(options, open, signal);
    if (opened && isLarge(opened, options)) {
      const summary = await searchLarge(opened, options, format.name, target, watch, progress, signal);
      await report(summary, (shown) => summaryText(shown, { ...wording, phases: largePhases }), options);
      return;
    }
    const rows = await readRows(open, opened, options, signal, progress);
    const { train, queries, features, kinds, columns, carried } = rows;
    if (excludeSelf) checkSelf(k, train, queries);
    watch.lap("read");

    const size = { rows: train.rows, queries: queries.rows, cols: features.length };
    model = new NearestNeighbors({
      ...settings,
      ...columns,
      threads: threadsFor(options.threads, [options.metric], size),
      // One search is all there is, and the process would wait for shaders that are being compiled.
      tiles: { ahead: false },
    });
    const prepared = prepare(options, rows);
    await model.fit(prepared.train);
    signal.throwIfAborted();
    watch.lap("fit");

    const found = await model.kneighbors(prepared.queries, {
      excludeSelf,
      radius: radius !== undefined && options.degrees ? angleOf(radius) : radius,
      signal,
      onProgress: showQueries(progress),
    });
    const result = options.degrees ? inKilometres(found) : found;
    watch.lap("search");

    showWriting(progress, target);
    await writeOutput(target, neighbourPieces(result, format.name, csvOutput(options), carried), signal);
    watch.lap("write");

    progress.clear();
    const { explanation } = result;
    const summary: Summary = {
      command: "search",
      backend: explanation.backend,
      device: explanation.device,
      ...measureFacts(settings, kinds),
      ...(options.degrees ? { unit: "km" } : {}),
      train: { file: nameOf(train), rows: train.rows },
      queries: { file: nameOf(queries), rows: queries.rows },
      features,
      output: out,
      seconds: watch.seconds,
      queriesPerSecond: queries.rows / (watch.seconds.search ?? NaN),
      ...namesInDoubt(train, queries),
      ...hintsOn(
        { used: features, leftOut: leftOutBy(options), also: hintsOfTables(options, rows) },
        train,
        queries,
      ),
      explanation,
    };
    if (page) {
      const { searchPage } = await import("../htmlReport/search.ts");
      const { id } = options;
      await writeOutput(page, [searchPage({ summary, train, queries, features, result, id })], signal);
    }
    await report(summary, (shown) => summaryText(shown, wording), options);
  } finally {
    progress.clear();
    model?.dispose();
  }
}

/** A search has the rows of both files, and the columns that are compared and carried. */
type SearchRows = (TableInputs | (Matrices & { readonly features: readonly string[] })) & {
  readonly kinds: readonly Column["kind"][];
  readonly columns: { readonly features?: readonly string[] };
  readonly carried?: CarriedColumns;
};

/** Reads files of numbers that were opened as they are, and any others as tables. */
async function readRows(
  open: OpenInputs,
  opened: OpenMatrices | undefined,
  options: SearchFlags,
  signal: AbortSignal,
  progress: ProgressDisplay,
): Promise<SearchRows> {
  const { id, carry = [], ignore = [], features } = options;
  if (opened !== undefined) {
    const matrices = await readMatrices(opened, options.k, signal, progress);
    const { train } = matrices;
    const names = train.columns ?? columnNames({ name: nameOf(train), cols: train.cols });
    return { ...matrices, features: names, kinds: names.map(() => "numeric" as const), columns: {} };
  }
  const carriedAlone = carry.filter((name) => features?.includes(name) !== true);
  const special = { ignore: [...ignore, ...carriedAlone] };
  const inputs = await readInputs(options, open, special, signal, progress);
  const { train, queries } = inputs;
  const names = [...(id === undefined ? [] : [id]), ...carry];
  return {
    ...inputs,
    kinds: kindsOf(inputs),
    columns: { features: inputs.features },
    ...(names.length === 0 ? {} : { carried: { names, train, queries } }),
  };
}

/** Lists the columns that options keep out of the comparison. */
function leftOutBy({ id, carry = [], ignore = [] }: SearchFlags): string[] {
  return [...(id === undefined ? [] : [id]), ...carry, ...ignore];
}

/** Returns what the rows of tables hint at; files of numbers that are read as they are get no hints. */
function hintsOfTables(options: SearchFlags, { train, queries, features }: SearchRows): readonly FileHint[] {
  if (!(train instanceof Table && queries instanceof Table)) return [];
  const preparation = preparationOf(options);
  return [
    ...trainHints(train, features, { metric: options.metric, preparation }),
    ...(queries === train ? [] : queryHints(queries, features, { preparation })),
  ];
}

/**
 * Applies the preparation of the options to both tables, as it learns it from the training rows, and turns
 * degrees into radians.
 */
function prepare(
  options: SearchFlags,
  { train, queries, features }: SearchRows,
): Pick<SearchRows, "train" | "queries"> {
  const steps = preparationOf(options);
  const isChanged = steps.length > 0 || options.degrees === true;
  if (!isChanged || !(train instanceof Table && queries instanceof Table)) return { train, queries };
  const turned = (table: Table) => (options.degrees ? inRadians(table, features) : table);
  const fitted = turned(fitSteps(steps, train, features));
  if (queries === train) return { train: fitted, queries: fitted };
  return { train: fitted, queries: turned(steps.reduce((table, step) => step.transform(table), queries)) };
}
