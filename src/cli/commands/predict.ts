/** `nearfield predict` writes the rows of a file with what a saved model predicts for them. */
import { Command } from "commander";
import { decompressed, recognise } from "../../io/index.ts";
import { collectModel } from "../../models/file/collect.ts";
import { InvalidInputError, loadModel } from "../../node.ts";
import type { LoadedModel, Table } from "../../node.ts";
import { DASH, inputSource } from "../files.ts";
import { queryHints } from "../inputs/hints.ts";
import { textsOf } from "../inputs/labelColumn.ts";
import { columnsLike, hintsOn, nameOf, namesInDoubt, readTable } from "../inputs/tables.ts";
import { kindsOf, measureFacts } from "../measure.ts";
import { addConfidenceOptions, confidencesOf, type ConfidenceFlags } from "../options/confidence.ts";
import {
  addRunOptions,
  checkBackend,
  checkColumns,
  csvOutput,
  deviceOptions,
  tableFormat,
} from "../options/shared.ts";
import type { SearchRunFlags } from "../options/shared.ts";
import { outputTarget, writeOutput } from "../output.ts";
import { noProgress, progressOn, showQueries, showWriting } from "../progress.ts";
import { Stopwatch, report } from "../report.ts";
import { predictRows, resultPieces } from "../results/predictions.ts";
import { summaryText } from "../summary.ts";
import type { Summary, Wording } from "../summary.ts";

const wording: Wording = {
  verb: "predicted",
  phases: ["read", "fit", "search", "write"],
  readsModel: true,
};

interface PredictOptions extends SearchRunFlags, ConfidenceFlags {
  readonly model: string;
  readonly test: string;
}

const help = `
The model is a file that classify or regress wrote with --save-model, or the library with saveModel from a table. The result is
the same as theirs. The test file needs the columns that the model compares; others are carried along. How the file is written
(--input-format, --no-header, --na, --delimiter, --decimal) is not part of the model.

Examples:
  nearfield classify --train train.csv --label species --normalize z --save-model species.nfm
  nearfield predict --model species.nfm --test new.csv --out predicted.csv`;

export function predictCommand(signal: AbortSignal): Command {
  const command = new Command("predict")
    .description("Predicts the label of every row of a file with a saved model.")
    .usage("--model FILE --test FILE [options]")
    .requiredOption("--model <file>", "the model; - is stdin")
    .requiredOption("--test <file>", "file of rows to predict; - is stdin");
  return addRunOptions(addConfidenceOptions(command))
    .addHelpText("after", help)
    .action((options: PredictOptions) => predict(options, signal));
}

async function predict(options: PredictOptions, signal: AbortSignal): Promise<void> {
  const { model: modelFile, test: testFile, out, force = false, memory } = options;
  const confidences = confidencesOf(options);
  checkBackend(options);
  if (modelFile === DASH && testFile === DASH)
    throw new InvalidInputError("--model and --test are both standard input; put one of them into a file");
  const target = await outputTarget(out, [modelFile, testFile], force);
  const format = tableFormat(options);
  const progress = options.quiet ? noProgress : progressOn(process.stderr, noProgress);
  const watch = new Stopwatch();
  let loaded: LoadedModel | undefined;
  try {
    const modelSource = await inputSource(modelFile, signal);
    const testSource = await inputSource(testFile, signal);
    const { name } = modelSource;
    const pieces = (await decompressed(modelSource, { signal })).stream(signal);
    const bytes = await collectModel(pieces, { name, memory, signal });
    loaded = await loadModel(bytes, { ...deviceOptions(options), name, signal });
    signal.throwIfAborted();
    watch.lap("fit");

    const { pipeline, notes } = loaded;
    const { train, features, label } = tableOf(loaded, modelSource.name);
    checkColumns(options, { "the model": features });
    const nominal = train.column(label).kind === "nominal" ? [label] : [];
    const columns = columnsLike({ train, features }, nominal);
    const testFound = await recognise(testSource, options.inputFormat, signal);
    const test = await readTable(testFound, options, columns, signal, progress);
    watch.lap("read");

    const facts = { label, texts: textsOf(notes), confidences, memory };
    const result = await predictRows(pipeline, test, facts, { signal, onProgress: showQueries(progress) });
    watch.lap("search");

    showWriting(progress, target);
    await writeOutput(
      target,
      resultPieces(result, format, csvOutput(options, test.origin?.delimiter)),
      signal,
    );
    watch.lap("write");

    progress.clear();
    const { explanation, classification, regression } = result;
    const summary: Summary = {
      command: "predict",
      backend: explanation.backend,
      device: explanation.device,
      ...measureFacts(pipeline.model.options, kindsOf({ train, features })),
      train: { file: modelSource.name, rows: train.rows },
      queries: { file: nameOf(test), rows: test.rows },
      features,
      label,
      output: out,
      model: modelSource.name,
      seconds: watch.seconds,
      queriesPerSecond: test.rows / (watch.seconds.search ?? NaN),
      ...namesInDoubt(test),
      ...hintsOn(
        {
          used: [...features, label],
          also: queryHints(test, features, { preparation: pipeline.applied }),
        },
        test,
      ),
      explanation,
      ...(classification ? { classification } : {}),
      ...(regression ? { regression } : {}),
    };
    await report(summary, (shown) => summaryText(shown, wording), options);
  } finally {
    progress.clear();
    loaded?.pipeline.dispose();
  }
}

/** @throws InvalidInputError for a model of a matrix, whose columns have no names to find in a file */
function tableOf({ pipeline, features, label }: LoadedModel, file: string) {
  const { trained } = pipeline.model;
  if ("table" in trained && features && label !== undefined)
    return { train: trained.table, features, label } satisfies {
      train: Table;
      features: unknown;
      label: string;
    };
  throw new InvalidInputError(
    "was trained on a matrix, whose columns have no names; save a model that was fitted on a table",
    { file },
  );
}
