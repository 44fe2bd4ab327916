/** `nearfield tune` finds by cross-validation which k, metric, weights and scaling predict a label best. */
import { Command } from "commander";
import { InvalidInputError } from "../../core/errors.ts";
import { recognise, tableFormatOf, writeTable } from "../../io/index.ts";
import { knnParameters, roleParameters, validationParameters } from "../../graph/parameters/learning.ts";
import { modelPieces } from "../../models/file/model.ts";
import { tuneMeasures } from "../../models/validation/index.ts";
import {
  Device,
  KNeighborsClassifier,
  KNeighborsRegressor,
  Pipeline,
  Table,
  crossValidate,
  metricNames,
  tune,
} from "../../node.ts";
import type { MetricName, TuneMeasure, TuneResult, TuneScaling, Weights } from "../../node.ts";
import { DASH, inputSource } from "../files.ts";
import { trainHints } from "../inputs/hints.ts";
import { classTexts, notesOf } from "../inputs/labelColumn.ts";
import { hintsOn, nameOf, readTrain } from "../inputs/tables.ts";
import {
  foldOptions,
  foldsOption,
  groupOption,
  sampleWeightOption,
  ignoredBy,
  imputeOption,
  preparationOf,
  type ModelOptions,
} from "../options/model.ts";
import { metricAliases, scalingAliases } from "../options/aliases.ts";
import { listMetrics, unknownMetric } from "../options/metricList.ts";
import { optionOf } from "../options/parameter.ts";
import { addKindOptions, addReadingOptions } from "../options/reading.ts";
import { addDeviceOptions, deviceOptions, reportOption, threadsFor } from "../options/shared.ts";
import { choices, numbers } from "../options/lists.ts";
import { outputTarget, reportTarget, writeOutput } from "../output.ts";
import { cellsOf, validationOf, weightsIn } from "../performance.ts";
import { noProgress, progressOn } from "../progress.ts";
import { Stopwatch, report } from "../report.ts";
import { tuneText, type TuneSummary } from "../results/tuned.ts";

interface TuneCommandOptions extends Omit<
  ModelOptions,
  "k" | "weights" | "cv" | "metric" | "out" | "normalize"
> {
  readonly task?: "classify" | "regress";
  readonly k?: readonly number[];
  readonly metric?: readonly MetricName[];
  readonly weights?: readonly Weights[];
  readonly scaling?: readonly TuneScaling[];
  readonly measure?: TuneMeasure;
  readonly cv: number | "leave-one-out";
  readonly group?: string;
  readonly out?: string;
}

const help = `
Every combination of --k, --metric, --weights and --scaling is cross-validated in the same folds; one search with the
largest k serves all smaller ones. The best ones are shown with the mean and the deviation over the folds, the measure
over k, and how well the best one predicts rows it was not fitted on. --out writes all of them as a table.

Examples:
  nearfield tune --train train.csv --label species
  nearfield tune --train flats.csv --label rent --k 1:31:2 --metric euclidean,manhattan --scaling z,range --measure mae
  nearfield tune --train scans.csv --label finding --group patient --cv 5 --save-model finding.nfm`;

export function tuneCommand(signal: AbortSignal): Command {
  const measures = [...tuneMeasures.classes, ...tuneMeasures.numbers];
  const command = new Command("tune")
    .description("Finds by cross-validation which k, metric, weights and scaling predict a label best.")
    .usage("--train FILE --label COLUMN [options]")
    .requiredOption("--train <file>", "file of rows with the label; - is stdin")
    .addOption(optionOf("--label <column>", roleParameters.label).makeOptionMandatory())
    .addOption(optionOf("--task <name>", knnParameters.task))
    .option("-k, --k <numbers>", "numbers of neighbours, such as 1,3,5 or 1:31:2 (default: 1 to 31)", numbers)
    .option("--metric <names>", "metrics, such as euclidean,manhattan; list prints all", (text: string) => {
      listMetrics(text);
      const unknown = (name: string) => unknownMetric(name, `${JSON.stringify(name)} is not a metric. `);
      return choices(metricNames, metricAliases, unknown)(text);
    })
    .option("--weights <names>", "uniform, distance (default: both)", choices(["uniform", "distance"]))
    .option(
      "--scaling <names>",
      "none, z, range, proportion, interquartile (default: none,z)",
      choices(["none", "z", "range", "proportion", "interquartile"], scalingAliases),
    )
    .option(
      "--measure <name>",
      `what decides: ${measures.join(", ")} (default: accuracy or rmse)`,
      (text: string) => choices(measures)(text)[0],
    )
    .addOption(imputeOption())
    .addOption(optionOf("--ignore <names>", roleParameters.ignore))
    .addOption(optionOf("--features <names>", roleParameters.features))
    .option("--id <column>", "column with the names of the rows; not compared")
    .addOption(foldsOption(`${validationParameters.folds.says}, or leave-one-out`).default(10))
    .addOption(groupOption())
    .addOption(sampleWeightOption())
    .addOption(optionOf("--seed <number>", validationParameters.seed))
    .option("--out <file>", "write all combinations as a table")
    .option("--save-model <file>", "write the best model, fitted on all rows, for nearfield predict")
    .addOption(reportOption())
    .option("--force", "replace the files of --out, --save-model and --report if they exist");
  addDeviceOptions(addKindOptions(addReadingOptions(command)));
  return command
    .option("--json", "print one JSON object")
    .option("--quiet", "print nothing but errors and what --json asks for")
    .showHelpAfterError("(nearfield tune --help shows every option)")
    .addHelpText("after", help)
    .action((options: TuneCommandOptions) => run(options, signal));
}

async function run(options: TuneCommandOptions, signal: AbortSignal): Promise<void> {
  const { label, out, saveModel, force = false, json, quiet } = options;
  if (quiet && !json && out === undefined && saveModel === undefined && options.report === undefined)
    throw new InvalidInputError(
      "--quiet leaves nothing to do; add --json, --out FILE, --report FILE or --save-model FILE",
    );
  const format = out === undefined ? undefined : tableFormatOf(out, "--out");
  const target = out === undefined ? undefined : await outputTarget(out, [options.train], force);
  const modelTarget =
    saveModel === undefined
      ? undefined
      : await outputTarget(saveModel, [options.train], force, "--save-model");
  const others = [target, modelTarget].filter((each) => each !== undefined);
  const page = await reportTarget(options, [options.train], others);
  const progress = quiet ? noProgress : progressOn(process.stderr, noProgress);
  const watch = new Stopwatch();
  let device: Device | undefined;
  try {
    const found = await recognise(await inputSource(options.train, signal), options.inputFormat, signal);
    const special = { label, ignore: ignoredBy(options), anyK: true };
    const { metric, weights, ...rest } = options;
    const reading = { ...rest, out: DASH, k: 1 };
    const { train, features } = await readTrain(found, reading, special, signal, progress);
    const classes =
      (options.task ?? (train.column(label).kind === "nominal" ? "classify" : "regress")) === "classify";
    watch.lap("read");

    const size = { rows: train.rows, queries: train.rows, cols: features.length };
    device = await Device.create(
      deviceOptions({ ...options, threads: threadsFor(options.threads, metric ?? [], size) }),
    );
    const base = { features, device };
    const steps = preparationOf(options.impute === undefined ? {} : { impute: options.impute });
    const tuned = await tune(
      new Pipeline(steps, classes ? new KNeighborsClassifier(base) : new KNeighborsRegressor(base)),
      train,
      label,
      {
        k: options.k,
        metrics: metric,
        weights,
        scalings: options.scaling,
        measure: options.measure,
        ...foldOptions(options),
        sampleWeights: options.sampleWeight,
        signal,
        onProgress: ({ phase, done, total }) => progress.show({ phase, unit: "search", done, total }),
      },
    );
    watch.lap("tune");

    if (target && format) await writeOutput(target, writeTable(format.name, candidateTable(tuned)), signal);
    const texts = classTexts(train, label);
    if (modelTarget) {
      await tuned.model.fit(train, label);
      await writeOutput(modelTarget, modelPieces(tuned.model, notesOf(texts)), signal);
    }
    if (target ?? modelTarget) watch.lap("write");
    progress.clear();
    const also = trainHints(train, features, {
      preparation: [...tuned.model.steps],
      ...(classes ? { classes: label } : {}),
    });
    const summary: TuneSummary = {
      command: "tune",
      backend: device.info.kind,
      device: device.info.name,
      task: classes ? "classify" : "regress",
      train: { file: nameOf(train), rows: train.rows },
      features,
      featuresAreChosen: [
        options.features,
        options.id,
        options.ignore,
        options.group,
        options.sampleWeight,
      ].some((given) => given !== undefined),
      label,
      measure: tuned.measure,
      smallestIsBest: tuned.smallestIsBest,
      searches: tuned.searches,
      best: listed(tuned.best),
      candidates: tuned.candidates.map(listed),
      crossValidation: validationOf(
        tuned.validation,
        cellsOf(train.column(label), train.rows),
        options,
        texts,
        weightsIn(train, options),
      ),
      ...hintsOn({ used: [...features, label], leftOut: special.ignore, also }, train),
      ...(out === undefined ? {} : { output: out }),
      ...(saveModel === undefined ? {} : { model: saveModel }),
      seconds: watch.seconds,
    };
    if (page) {
      const { tunePage } = await import("../htmlReport/tune.ts");
      const { predictions: predicted, neighbors } = await crossValidate(tuned.model, train, label, {
        ...foldOptions(options),
        neighbors: true,
        signal,
      });
      const truth = cellsOf(train.column(label), train.rows);
      const text = tunePage(summary, { predicted, truth, neighbors }, { train, features });
      await writeOutput(page, [text], signal);
    }
    tuned.model.dispose();
    await report(summary, tuneText, { json, quiet, out: undefined });
  } finally {
    progress.clear();
    device?.dispose();
  }
}

function listed({ scores, ...candidate }: TuneResult["best"]): TuneSummary["best"] {
  return { ...candidate, scores: Array.from(scores) };
}

function candidateTable({ candidates, measure }: TuneResult): Table {
  return Table.fromRows(
    candidates.map(({ metric, scaling, weights, k, mean, deviation }) => ({
      metric,
      scaling,
      weights,
      k,
      [measure]: mean,
      deviation,
    })),
  );
}
