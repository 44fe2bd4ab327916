/**
 * `tune` finds by cross-validation which k, metric, weights and scaling predict best. Per fold, metric and
 * scaling there is one search, with the largest k: its first neighbours are those of every smaller k.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOneOf, checkOptions, type OptionNames } from "../../core/options.ts";
import { resolveMetric } from "../../distance/anyMetric.ts";
import { metricNameOf, type MetricName } from "../../distance/metric.ts";
import { Device } from "../../runtime/device.ts";
import { executeNames, type ExecuteOptions } from "../../runtime/execute.ts";
import type { Table } from "../../table/table.ts";
import { KNeighborsClassifier } from "../classifier.ts";
import { isClassification, predictorOf, Pipeline, type Estimator } from "../pipeline.ts";
import type { Rows } from "../features.ts";
import type { Labels } from "../labels.ts";
import { labelledTable } from "../matrixTable.ts";
import { NearestNeighbors } from "../nearestNeighbors.ts";
import type { Targets } from "../target.ts";
import { chooseFeatures, fitSteps, Normalize, normalizeMethods } from "../preparation/index.ts";
import type { NormalizeMethod, Preparation } from "../preparation/index.ts";
import { KNeighborsRegressor } from "../regressor.ts";
import type { Neighborhoods } from "../tally.ts";
import { weightNames, type Weights } from "../weights.ts";
import { crossValidate, spreadOf, type Spread } from "./crossValidate.ts";
import type { ClassificationValidation, RegressionValidation } from "./crossValidate.ts";
import { drawFolds, foldNames, NO_FOLD, type FoldOptions, type Folds } from "./folds.ts";
import { scorerFor, tuneMeasures, type Scorer, type TuneMeasure } from "./score.ts";
import { checkFoldWeights, foldCounts, weightColumn } from "./sampleWeights.ts";
import { rowsWhere } from "./split.ts";

/**
 * A candidate is scaled by a method of `Normalize`, or "none".
 * @example
 * const scaling: TuneScaling = "z";
 * const table = Table.fromColumns({ mass: [3700, 5200, 3600, 5100], bill: [1, 9, 2, 8], kind: [1, 9, 2, 8] });
 * const model = new KNeighborsRegressor();
 * const found = await tune(model, table, "kind", { k: [1], folds: 2, scalings: [scaling], weights: ["uniform"] });
 * found.best.scaling; // => "z"
 * model.dispose();
 */
export type TuneScaling = NormalizeMethod | "none";

/**
 * `tune` takes these options.
 * @example
 * const options: TuneOptions = { k: [1, 3], weights: ["uniform"], scalings: ["none"], folds: 2 };
 * const table = Table.fromColumns({ x: [0, 1, 2, 8, 9, 10], kind: ["a", "a", "a", "b", "b", "b"] });
 * const model = new KNeighborsClassifier({ metric: "manhattan" });
 * const { candidates } = await tune(model, table, "kind", options);
 * candidates.map(({ k, metric }) => [k, metric]); // => [[1, "manhattan"], [3, "manhattan"]]
 * model.dispose();
 */
export interface TuneOptions extends ExecuteOptions, FoldOptions {
  /**
   * It tries these numbers of neighbours; default 1, 3, 5, 7, 9, 11, 15, 21 and 31, as far as the training
   * folds have that many rows.
   */
  readonly k?: readonly number[] | undefined;
  /**
   * It tries these metrics; default that of the model or, where it has none and all features are numbers,
   * euclidean and manhattan.
   */
  readonly metrics?: readonly MetricName[] | undefined;
  /** The default is "uniform" and "distance", the latter only for metrics that are never negative. */
  readonly weights?: readonly Weights[] | undefined;
  /**
   * These scalings follow the model's other steps; default "none" and "z", or those of the model's own steps
   * alone where these scale already.
   */
  readonly scalings?: readonly TuneScaling[] | undefined;
  /**
   * This measure decides: "accuracy" (default of classes), "balancedAccuracy", "logLoss"; "rmse" (default of
   * numbers), "mae", "r2".
   */
  readonly measure?: TuneMeasure | undefined;
  /**
   * This column has the weight of each row in all measures, like scikit-learn's sample_weight; it is not a
   * feature and does not change how neighbours vote. Means over folds count every fold once; with
   * "leave-one-out" a fold counts by the weight of its row, since the measure of a single row does not depend
   * on it. By default each row weighs 1.
   */
  readonly sampleWeights?: string | undefined;
}

const optionNames: OptionNames<TuneOptions> = {
  k: 1,
  metrics: 1,
  weights: 1,
  scalings: 1,
  measure: 1,
  sampleWeights: 1,
  ...foldNames,
  ...executeNames,
};

/**
 * A candidate is a combination that was tried, and says how well it predicts rows it was not fitted on.
 * @example
 * const table = Table.fromColumns({ x: [0, 1, 2, 8, 9, 10], y: [0, 1, 2, 8, 9, 10] });
 * const model = new KNeighborsRegressor();
 * const { best } = await tune(model, table, "y", { k: [1, 2], folds: 3, seed: 1 });
 * const candidate: TuneCandidate = best;
 * candidate.scores.length; // => 3
 * model.dispose();
 */
export interface TuneCandidate extends Spread {
  readonly k: number;
  readonly metric: string;
  readonly weights: Weights;
  /** It is "own" where the model's own steps alone prepare the rows. */
  readonly scaling: TuneScaling | "own";
  /** It has the measure in each fold, NaN where all rows weigh 0; `mean` and `deviation` are over these. */
  readonly scores: Float64Array;
}

/**
 * `tune` returns this.
 * @example
 * const table = Table.fromColumns({ x: [0, 1, 2, 8, 9, 10], kind: ["a", "a", "a", "b", "b", "b"] });
 * const found: TuneResult = await tune(new KNeighborsClassifier(), table, "kind", { k: [1, 3], folds: 3 });
 * found.measure; // => "accuracy"
 * found.best.k; // => 1
 * const model = await found.model.fit(table, "kind");
 * await model.predict(Table.fromColumns({ x: [3] })); // => ["a"]
 * model.dispose();
 */
export interface TuneResult {
  readonly measure: TuneMeasure;
  /** It is true if the smallest score is the best, as for errors. */
  readonly smallestIsBest: boolean;
  /** All candidates are here: by metric, then scaling, then weights, then k. */
  readonly candidates: readonly TuneCandidate[];
  /** It is the candidate with the best mean; of equal ones the first. */
  readonly best: TuneCandidate;
  /** It is the best model, not fitted yet. */
  readonly model: Pipeline;
  /**
   * It is the cross-validation of the best model in the same folds, with predictions of all rows and their
   * measures.
   */
  readonly validation: ClassificationValidation | RegressionValidation;
  /** This many searches served all candidates. */
  readonly searches: number;
}

/** A metric and the steps before it take a search of their own. */
interface Setting {
  readonly metric: MetricName | undefined;
  readonly scaling: TuneScaling | "own";
  readonly steps: readonly Preparation[];
  readonly weights: readonly Weights[];
}

/**
 * Tries every combination of k, metric, weights and scaling in the same folds. Each predicts as a model with
 * these settings would; a candidate whose score is undefined (NaN) is never the best.
 * @param model an estimator or a pipeline, whose other options and steps every candidate has
 * @param rows a table, or a matrix, whose columns are called 0, 1 and so on
 * @param labels one per row, or the name of the table's column to predict
 * @example
 * const table = Table.fromColumns({
 *   mass: [3700, 5200, 3900, 3800, 5000, 5300],
 *   bill: [1, 9, 2, 1, 8, 9],
 *   kind: ["small", "large", "small", "small", "large", "large"],
 * });
 * const { best, validation } = await tune(new KNeighborsClassifier(), table, "kind", { k: [1, 3], folds: 3 });
 * best.mean; // => 1
 * validation.predictions; // => ["small", "large", "small", "small", "large", "large"]
 * @throws InvalidInputError for a k above the rows of a training fold, invalid values, and models with
 *   `compat`, whose neighbours of a smaller k are not the first of a larger one
 */
export async function tune(
  model: Estimator | Pipeline,
  rows: Rows,
  labels: Labels | Targets | string,
  options: TuneOptions = {},
): Promise<TuneResult> {
  checkOptions(options, "tune", optionNames);
  const pipeline: Pipeline = predictorOf<Estimator>(model);
  const { table: given, label } = labelledTable(rows, labels);
  if (pipeline.model.options.compat !== undefined)
    throw new InvalidInputError("tune does not reproduce other tools; leave out compat");
  const classes = isClassification(pipeline);
  const { signal, onProgress, groups, folds: _, sampling, seed, sampleWeights } = options;
  const folds = drawFolds(given, label, classes, options);
  const weights = sampleWeights === undefined ? undefined : weightColumn(given, label, sampleWeights);
  const counts = foldCounts(weights, folds.foldOf, folds.folds, options);
  if (weights && !counts) checkFoldWeights(weights, folds.foldOf, folds.folds);
  const table = given.drop([groups, sampleWeights].filter((name) => name !== undefined));
  const ks = checkedKs(options.k, folds);
  const measure = options.measure ?? (classes ? "accuracy" : "rmse");
  checkOneOf(measure, tuneMeasures[classes ? "classes" : "numbers"], "measure");
  const scorer = scorerFor(measure, table, label, weights);
  const settings = settingsOf(pipeline, table, label, options);
  const { device: own } = pipeline.model.options;
  const device = own ?? (await Device.among(pipeline.model.options));
  const candidates: TuneCandidate[] = [];
  try {
    for (const [at, setting] of settings.entries()) {
      const show = (fold: number) =>
        onProgress?.({
          phase: "tuning",
          done: at * folds.folds + fold,
          total: settings.length * folds.folds,
        });
      candidates.push(
        ...(await tryAll(setting, {
          pipeline,
          table,
          label,
          folds,
          counts,
          ks,
          scorer,
          device,
          signal,
          show,
        })),
      );
    }
    onProgress?.({ phase: "tuning", done: 1, total: 1 });
    const smallestIsBest = scorer.smallestIsBest;
    const best = bestOf(candidates, smallestIsBest);
    const chosen = settingOf(candidates.indexOf(best), settings, ks.length);
    const made = modelOf(pipeline, chosen, best);
    const checked = modelOf(pipeline, chosen, best, device);
    const validation = await crossValidate(checked, given, label, {
      folds: options.folds,
      sampling,
      seed,
      groups,
      sampleWeights,
      probabilities: classes,
      signal,
    });
    checked.dispose();
    const searches = settings.length * folds.folds;
    return { measure, smallestIsBest, candidates, best, model: made, validation, searches };
  } finally {
    if (own === undefined) device.dispose();
  }
}

interface Trial {
  readonly pipeline: Pipeline;
  readonly table: Table;
  readonly label: string;
  readonly folds: Folds;
  /** Each fold counts so in the mean; default once. */
  readonly counts: Float64Array | undefined;
  readonly ks: readonly number[];
  readonly scorer: Scorer;
  readonly device: Device;
  readonly signal: AbortSignal | undefined;
  readonly show: (fold: number) => void;
}

/** Tries one setting with all weights and ks, by one search per fold. */
async function tryAll(
  { metric, scaling, steps, weights }: Setting,
  { pipeline, table, label, folds: { foldOf, folds }, counts, ks, scorer, device, signal, show }: Trial,
): Promise<TuneCandidate[]> {
  const { weights: _, ...options } = pipeline.model.options;
  const features = chooseFeatures(table, options, label);
  const most = ks[ks.length - 1];
  const search = new NearestNeighbors({
    ...options,
    roles: undefined,
    features,
    metric,
    nNeighbors: most,
    device,
  });
  const scores = weights.map(() => ks.map(() => new Float64Array(folds)));
  for (let fold = 0; fold < folds; fold++) {
    signal?.throwIfAborted();
    show(fold);
    const trained = rowsWhere(foldOf, (own) => own !== fold && own !== NO_FOLD);
    const tested = rowsWhere(foldOf, (own) => own === fold);
    await search.fit(fitSteps(steps, table.take(trained), features));
    const queries = steps.reduce((rows, step) => step.transform(rows), table.take(tested));
    const found = await search.kneighbors(queries, { signal });
    const scoreOf = scorer.inFold(trained, tested);
    weights.forEach((name, w) =>
      ks.forEach((k, i) => (scores[w][i][fold] = scoreOf(firstOf(found, k), name))),
    );
  }
  search.dispose();
  const name = metricNameOf(
    { ...options, metric },
    features.map((each) => table.column(each).kind),
  );
  return weights.flatMap((weight, w) =>
    ks.map((k, i) => ({
      k,
      metric: name,
      weights: weight,
      scaling,
      scores: scores[w][i],
      ...spreadOf(scores[w][i], counts),
    })),
  );
}

/** Returns the first k neighbours of each query. */
function firstOf({ indices, distances, queries, k: stride }: Neighborhoods, k: number): Neighborhoods {
  if (k === stride) return { indices, distances, queries, k };
  const few = { indices: new Uint32Array(queries * k), distances: new Float64Array(queries * k), queries, k };
  for (let q = 0; q < queries; q++) {
    few.indices.set(indices.subarray(q * stride, q * stride + k), q * k);
    few.distances.set(distances.subarray(q * stride, q * stride + k), q * k);
  }
  return few;
}

const USUAL_KS = [1, 3, 5, 7, 9, 11, 15, 21, 31];

/** Returns each k once, ascending. */
function checkedKs(wanted: readonly number[] | undefined, { foldOf, folds, unlabelled }: Folds): number[] {
  const sizes = new Float64Array(folds);
  for (const fold of foldOf) if (fold !== NO_FOLD) sizes[fold]++;
  const most = foldOf.length - unlabelled - sizes.reduce((a, b) => Math.max(a, b));
  const ks = [...new Set(wanted ?? USUAL_KS.filter((k) => k <= most))].sort((a, b) => a - b);
  const wrong = ks.find((k) => !Number.isInteger(k) || k < 1 || k > most);
  if (ks.length > 0 && wrong === undefined) return ks;
  throw new InvalidInputError(
    `k is ${wrong ?? "an empty list"}; expected whole numbers from 1 to ${most}, the rows of the smallest training fold`,
  );
}

function settingsOf(
  { steps, model: { options } }: Pipeline,
  table: Table,
  label: string,
  wanted: TuneOptions,
): Setting[] {
  const features = chooseFeatures(table, options, label);
  const isNumeric = features.every((name) => table.column(name).kind === "numeric");
  const usual: readonly MetricName[] | undefined =
    options.metric === undefined && isNumeric && options.p === undefined && options.missing === undefined
      ? ["euclidean", "manhattan"]
      : undefined;
  const metrics: readonly (MetricName | undefined)[] = wanted.metrics ?? usual ?? [options.metric];
  const weights = wanted.weights ?? weightNames;
  for (const name of weights) checkOneOf(name, weightNames, "weights");
  const isScaled = steps.some((step) => step instanceof Normalize);
  const scalings = wanted.scalings ?? (isScaled ? (["own"] as const) : (["none", "z"] as const));
  if (metrics.length === 0 || weights.length === 0 || scalings.length === 0)
    throw new InvalidInputError("a list of metrics, weights or scalings is empty; leave it out or name some");
  const others = steps.filter((step) => !(step instanceof Normalize));
  const stepsOf = (scaling: TuneScaling | "own"): readonly Preparation[] => {
    if (scaling === "own") return steps;
    checkOneOf(scaling, ["none", ...normalizeMethods], "scaling");
    return scaling === "none" ? others : [...others, new Normalize({ method: scaling })];
  };
  return [...new Set(metrics)].flatMap((metric) => {
    const { signed } = resolveMetric({ ...options, metric });
    const possible = [...new Set(weights)].filter((name) => name === "uniform" || !signed);
    if (possible.length === 0)
      throw new InvalidInputError(
        `weights "distance" need distances of at least 0, but ${metric} can be negative; add "uniform"`,
      );
    return [...new Set(scalings)].map((scaling) => ({
      metric,
      scaling,
      steps: stepsOf(scaling),
      weights: possible,
    }));
  });
}

function bestOf(candidates: readonly TuneCandidate[], smallestIsBest: boolean): TuneCandidate {
  const better = (a: number, b: number) => (smallestIsBest ? a < b : a > b);
  return candidates.reduce((best, each) =>
    better(each.mean, best.mean) || (Number.isNaN(best.mean) && !Number.isNaN(each.mean)) ? each : best,
  );
}

/** Returns the setting that a candidate is of. */
function settingOf(at: number, settings: readonly Setting[], ks: number): Setting {
  let left = at;
  for (const setting of settings) {
    left -= setting.weights.length * ks;
    if (left < 0) return setting;
  }
  return settings[settings.length - 1];
}

function modelOf(
  pipeline: Pipeline,
  { metric, steps }: Setting,
  { k, weights }: TuneCandidate,
  device = pipeline.model.options.device,
): Pipeline {
  const settings = { ...pipeline.model.options, metric, nNeighbors: k, weights, device };
  return new Pipeline(
    steps,
    isClassification(pipeline) ? new KNeighborsClassifier(settings) : new KNeighborsRegressor(settings),
  );
}
