/**
 * Runs `classify` and `regress`, which differ in the estimator alone: both train, validate, predict and save.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { recognise, tableFormatOf } from "../../io/index.ts";
import type { Pieces } from "../../io/index.ts";
import {
  Device,
  KNeighborsClassifier,
  KNeighborsRegressor,
  Pipeline,
  ReplaceMissingValues,
  crossValidate,
} from "../../node.ts";
import type { ClassifierOptions, KnnExplanation } from "../../node.ts";
import { checkEstimatorOptions } from "../../models/estimatorOptions.ts";
import type { Table } from "../../table/index.ts";
import { inputSource } from "../files.ts";
import {
  checkNamed,
  hintsOn,
  nameOf,
  namesInDoubt,
  openInputs,
  readInputs,
  readTrain,
} from "../inputs/tables.ts";
import type { Trained } from "../inputs/tables.ts";
import { classText, classTexts, notesOf } from "../inputs/labelColumn.ts";
import type { ClassTexts } from "../inputs/labelColumn.ts";
import { queryHints, trainHints } from "../inputs/hints.ts";
import { kindsOf, measureFacts } from "../measure.ts";
import { confidencesFor, confidencesOf } from "../options/confidence.ts";
import { checkModelOptions, foldOptions, ignoredBy, preparationOf } from "../options/model.ts";
import type { ModelOptions } from "../options/model.ts";
import { csvOutput, deviceOptions, searchOptions, tableFormat, threadsFor } from "../options/shared.ts";
import { outputTarget, reportTarget, sideTarget, writeOutput } from "../output.ts";
import {
  cellsOf,
  importanceFrom,
  importanceOf,
  measuresProbabilities,
  validationOf,
  weightsIn,
} from "../performance.ts";
import type { CrossValidation, Importance } from "../performance.ts";
import { noProgress, progressOn, showQueries, showWriting } from "../progress.ts";
import type { ProgressDisplay } from "../progress.ts";
import { Stopwatch, report } from "../report.ts";
import { confidenceNames, predictRows, resultPieces } from "../results/predictions.ts";
import type { Judgement, Result } from "../results/predictions.ts";
import { checkTested, testedPieces } from "../results/tested.ts";
import { summaryText } from "../summary.ts";
import type { Seconds, Summary } from "../summary.ts";
import { modelPieces } from "../../models/file/model.ts";

const verbs = { classify: "classified", regress: "predicted" } as const;

const phases = ["read", "validate", "fit", "search", "importance", "write"];

type Command = keyof typeof verbs;

/** A run reads these rows; `queries` are there only where there is a test file. */
type ModelInputs = Trained & { readonly queries?: Table };

export async function runModel(command: Command, options: ModelOptions, signal: AbortSignal): Promise<void> {
  checkModelOptions(options);
  checkEstimatorOptions(estimatorOptions(options), command);
  const { train: trainFile, test: testFile, label, out, force = false } = options;
  const files = [trainFile, ...(testFile === undefined ? [] : [testFile])];
  const target = await outputTarget(out, files, force);
  const format = tableFormat(options);
  if (options.cvOut !== undefined) tableFormatOf(options.cvOut, "--cv-out");
  const beside = { inputs: files, force, others: [target] };
  const modelTarget = await sideTarget("--save-model", options.saveModel, beside);
  const others = [target, ...(modelTarget ? [modelTarget] : [])];
  const foldsTarget = await sideTarget("--cv-out", options.cvOut, { ...beside, others });
  const page = await reportTarget(options, files, [...others, ...(foldsTarget ? [foldsTarget] : [])]);
  const progress = options.quiet ? noProgress : progressOn(process.stderr, noProgress);
  const watch = new Stopwatch();
  let device: Device | undefined;
  try {
    const inputs = await readFiles(options, signal, progress);
    const { train, features, queries } = inputs;
    const texts = classTexts(train, label);
    watch.lap("read");

    const size = { rows: train.rows, queries: queries?.rows ?? train.rows, cols: features.length };
    device = await Device.create(
      deviceOptions({ ...options, threads: threadsFor(options.threads, [options.metric], size) }),
    );
    const pipeline = new Pipeline(
      preparationOf(options),
      // A process that ends after one search would wait for shaders that are being compiled for more.
      makeEstimator(command, { ...estimatorOptions(options), features, device, tiles: { ahead: false } }),
    );
    const validation = await validate(pipeline, train, texts, options, signal, progress);
    if (validation) watch.lap("validate");

    let result: Result | undefined;
    if (queries || modelTarget) {
      await pipeline.fit(train, label);
      signal.throwIfAborted();
      watch.lap("fit");
    }
    if (queries) {
      const { memory, sampleWeight } = options;
      const facts = { label, texts, confidences: confidencesOf(options), memory, sampleWeight };
      result = await predictRows(pipeline, queries, facts, { signal, onProgress: showQueries(progress) });
      watch.lap("search");
    }
    let { importance }: { importance?: Importance | undefined } = validation ?? {};
    if (options.importance && queries && result?.judged.truth) {
      importance = await importanceOf(pipeline, queries, label, result.judged.truth, {
        seed: options.seed,
        sampleWeights: options.sampleWeight,
        signal,
        onProgress: ({ phase, done, total }) => progress.show({ phase, unit: "search", done, total }),
      });
      watch.lap("importance");
    }
    showWriting(progress, target);
    if (foldsTarget && validation?.pieces) await writeOutput(foldsTarget, validation.pieces, signal);
    if (result)
      await writeOutput(
        target,
        resultPieces(result, format, csvOutput(options, queries?.origin?.delimiter)),
        signal,
      );
    if (modelTarget) await writeOutput(modelTarget, modelPieces(pipeline, notesOf(texts)), signal);
    if (result ?? foldsTarget ?? modelTarget) watch.lap("write");

    progress.clear();
    const { seconds } = watch;
    const { measures: crossValidation, explanation } = validation ?? {};
    const summary = summaryOf(
      { command, pipeline, inputs, device, seconds, crossValidation, explanation, result, importance },
      options,
    );
    if (page) {
      const { modelPage } = await import("../htmlReport/model.ts");
      const parts = { summary, validated: validation?.judged, tested: result?.judged };
      await writeOutput(page, [modelPage(parts, inputs, options)], signal);
    }
    const wording = { verb: verbs[command], phases };
    const rows = result ? out : undefined;
    await report(summary, (shown) => summaryText(shown, wording), { ...options, out: rows });
  } finally {
    progress.clear();
    device?.dispose();
  }
}

interface Run {
  readonly command: Command;
  readonly pipeline: Pipeline;
  readonly inputs: ModelInputs;
  readonly device: Device;
  readonly seconds: Seconds;
  readonly crossValidation: CrossValidation | undefined;
  /** It tells of all folds together. */
  readonly explanation: KnnExplanation | undefined;
  readonly result: Result | undefined;
  readonly importance: Importance | undefined;
}

function summaryOf(run: Run, options: ModelOptions): Summary {
  const { command, pipeline, inputs, device, seconds, crossValidation, result, importance } = run;
  const { label, out, saveModel: model, id } = options;
  const { train, features, queries } = inputs;
  const { explanation = run.explanation, classification, regression } = result ?? {};
  const leftOut = [...ignoredBy(options), ...(id === undefined ? [] : [id])];
  const { metric, missing } = pipeline.model.options;
  const also = [
    ...trainHints(train, features, {
      metric,
      missing,
      preparation: pipeline.steps,
      ...(command === "classify" ? { classes: label } : {}),
    }),
    ...(queries ? queryHints(queries, features, { preparation: pipeline.steps }) : []),
  ];
  const unfilled = pipeline.steps.flatMap((step) =>
    step instanceof ReplaceMissingValues ? step.unfilled : [],
  );
  return {
    command,
    backend: device.info.kind,
    device: device.info.name,
    ...measureFacts(pipeline.model.options, kindsOf(inputs)),
    train: { file: nameOf(train), rows: train.rows },
    ...(queries ? { queries: { file: nameOf(queries), rows: queries.rows } } : {}),
    features,
    label,
    output: out,
    ...(model === undefined ? {} : { model }),
    seconds,
    ...(queries ? { queriesPerSecond: queries.rows / (seconds.search ?? NaN) } : {}),
    ...(crossValidation ? { crossValidation } : {}),
    ...namesInDoubt(train, queries),
    ...hintsOn({ used: [...features, label], leftOut, also }, train, queries),
    ...(unfilled.length === 0 ? {} : { unfilled }),
    ...(explanation ? { explanation } : {}),
    ...(classification ? { classification } : {}),
    ...(regression ? { regression } : {}),
    ...(importance ? { importance } : {}),
  };
}

function makeEstimator(command: Command, options: ClassifierOptions) {
  return command === "classify" ? new KNeighborsClassifier(options) : new KNeighborsRegressor(options);
}

function estimatorOptions(options: ModelOptions): ClassifierOptions {
  const { k, weights, compat } = options;
  return { ...searchOptions(options), nNeighbors: k, weights, compat };
}

async function readFiles(
  options: ModelOptions,
  signal: AbortSignal,
  progress: ProgressDisplay,
): Promise<ModelInputs> {
  const { label, compat, test } = options;
  const special = { label, ignore: ignoredBy(options), anyK: compat !== undefined };
  if (test !== undefined) {
    const open = await openInputs(options, test, signal);
    const inputs = await readInputs(options, open, special, signal, progress);
    checkMeasured(inputs.queries, options);
    return inputs;
  }
  const found = await recognise(await inputSource(options.train, signal), options.inputFormat, signal);
  const trained = await readTrain(found, options, special, signal, progress);
  checkNamed(options, trained.train);
  return trained;
}

/** @throws InvalidInputError for a test file that lacks a column that options need to measure predictions */
function checkMeasured(test: Table, { label, importance = false, sampleWeight, cv }: ModelOptions): void {
  const file = nameOf(test);
  const isLabelled = test.has(label);
  if (importance && !isLabelled)
    throw new InvalidInputError("--importance needs this column in --test", { file, column: label });
  if (importance && test.column(label).valid?.count() === 0)
    throw new InvalidInputError("no row has a label; expected at least one for --importance", {
      file,
      column: label,
    });
  if (sampleWeight === undefined) return;
  if (isLabelled && !test.has(sampleWeight))
    throw new InvalidInputError(
      "--sample-weight needs this column in --test too, since its labels are measured; add the column, or leave out --sample-weight",
      { file, column: sampleWeight },
    );
  if (!isLabelled && cv === undefined)
    throw new InvalidInputError(
      "--sample-weight weights the measures of --test, which needs this column of labels; add it, or leave out --sample-weight",
      { file, column: label },
    );
}

interface Validated {
  readonly measures: CrossValidation;
  readonly judged: Judgement;
  readonly pieces: Pieces | undefined;
  readonly importance: Importance | undefined;
  readonly explanation: KnnExplanation | undefined;
}

async function validate(
  pipeline: Pipeline,
  train: Table,
  texts: ClassTexts,
  options: ModelOptions,
  signal: AbortSignal,
  progress: ProgressDisplay,
): Promise<Validated | undefined> {
  const { cv, cvOut: output, label, report: page, test, seed } = options;
  if (cv === undefined) return undefined;
  const truth = cellsOf(train.column(label), train.rows);
  const classes = [...new Set(truth.filter((each) => each !== null))].map((each) => classText(each, texts));
  const isClassifier = pipeline.model instanceof KNeighborsClassifier;
  const wanted =
    output === undefined || !isClassifier ? "none" : confidencesFor(classes.length, confidencesOf(options));
  const isMeasured = isClassifier && measuresProbabilities(train.rows, classes.length);
  if (output !== undefined) checkTested(train, options, confidenceNames(wanted, classes));
  let explanation: KnnExplanation | undefined;
  const found = await crossValidate(pipeline, train, label, {
    ...foldOptions({ ...options, cv }),
    sampleWeights: options.sampleWeight,
    probabilities: isMeasured || wanted === "all" || (wanted === "top" && "top"),
    neighbors: page !== undefined,
    importance: options.importance === true && test === undefined && { seed },
    ...(options.explain ? { onExplanation: (told) => void (explanation = told) } : {}),
    signal,
    onProgress: ({ phase, done, total }) => progress.show({ phase, unit: "fold", done, total }),
  });
  const { predictions: predicted, neighbors } = found;
  const measures = {
    ...validationOf(found, truth, options, texts, weightsIn(train, options)),
    ...(output === undefined ? {} : { output }),
  };
  const pieces =
    output === undefined
      ? undefined
      : testedPieces(found, train, { ...options, cvOut: output }, { wanted, texts });
  const importance = found.importance && importanceFrom(found.importance, options.sampleWeight);
  return { measures, judged: { predicted, truth, neighbors }, pieces, importance, explanation };
}
