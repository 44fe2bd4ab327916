/**
 * `Pipeline` puts steps of preparation before an estimator or a search and fits them together. The steps
 * learn from the training rows alone, and change only the feature columns, never the label.
 */
import { InvalidInputError } from "../core/errors.ts";
import type { KnnResult } from "../ops/knn/index.ts";
import { Table } from "../table/table.ts";
import { KNeighborsClassifier } from "./classifier.ts";
import type { Rows } from "./features.ts";
import type { Labels } from "./labels.ts";
import { asTable, isOfMatrix } from "./matrixTable.ts";
import { NearestNeighbors } from "./nearestNeighbors.ts";
import type { KneighborsCallOptions } from "./nearestNeighbors.ts";
import { fitSteps, snapshotIfFitted, snapshotOf } from "./preparation/index.ts";
import type { Snapshot } from "./preparation/index.ts";
import { chooseFeatures } from "./preparation/roles.ts";
import type { Preparation } from "./preparation/preparation.ts";
import type { KNeighborsRegressor } from "./regressor.ts";
import type { Targets } from "./target.ts";
import { plural } from "../core/plural.ts";

/**
 * A pipeline can end with this estimator.
 * @example
 * const k = { nNeighbors: 2 };
 * const models: Estimator[] = [new KNeighborsClassifier(k), new KNeighborsRegressor(k)];
 * for (const model of models) await model.fit([[0], [9]], [3, 5]);
 * const predicted = await Promise.all(models.map((model) => model.predict([[1]])));
 * predicted; // => [[3], [4]]
 * for (const model of models) model.dispose();
 */
export type Estimator = KNeighborsClassifier | KNeighborsRegressor;

/**
 * A pipeline fits and applies steps of preparation and an estimator, or a search, together, on a table or a
 * matrix.
 * @example
 * const train = Table.fromColumns({
 *   rooms: [1, null, 3, 4],
 *   area: [30, 45, 70, 95],
 *   rent: [430, 600, 880, 1150],
 * });
 * const model = new Pipeline(
 *   [new ReplaceMissingValues(), new Normalize()],
 *   new KNeighborsRegressor({ nNeighbors: 2 }),
 * );
 * await model.fit(train, "rent");
 * await model.predict(Table.fromColumns({ rooms: [4], area: [90] })); // => [1015]
 * model.dispose();
 *
 * const search = new Pipeline([new Normalize({ method: "range" })], new NearestNeighbors({ nNeighbors: 1 }));
 * await search.fit([[0, 5000], [1, 5100], [9, 5050]]);
 * (await search.kneighbors([[1, 5020]])).indices; // => [0]
 * search.dispose();
 */
export class Pipeline<Model extends Estimator | NearestNeighbors = Estimator> {
  readonly steps: readonly Preparation[];
  readonly model: Model;
  /** They are the steps as they were when the model was fitted behind them. */
  #applied: Snapshot | undefined;

  /** @param steps in the order in which they are applied */
  constructor(steps: readonly Preparation[], model: Model) {
    this.steps = steps;
    this.model = model;
  }

  /**
   * Fits the steps, each on the output of the one before, then the model. Until that is done, and if it
   * fails, rows are prepared and predicted as before, or rejected if a step of your own class has no `copy`.
   * @param labels one per row, or the name of the table's label column; a search has none, or a column that
   *   it leaves out
   * @returns this
   */
  async fit(train: Rows, labels?: Labels | Targets | string): Promise<this> {
    return this.fitThen(train, labels, () => this);
  }

  /**
   * Does what `fit` does, and something in the same turn in which steps and model take the place of those
   * before.
   * @internal
   */
  async fitThen<T>(
    train: Rows,
    labels: Labels | Targets | string | undefined,
    then: () => T | Promise<T>,
  ): Promise<T> {
    if (this.steps.length === 0) return this.#fitModel(train, labels, then);
    const table = asTable(train, "train");
    const label = typeof labels === "string" ? labels : undefined;
    const features = chooseFeatures(table, this.model.options, label);
    this.#applied ??= snapshotIfFitted(this.steps);
    const prepared = fitSteps(this.steps, table, features);
    const applied = snapshotOf(this.steps);
    return this.#fitModel(prepared, labels, () => {
      this.#applied = applied;
      return then();
    });
  }

  #fitModel<T>(
    rows: Rows,
    labels: Labels | Targets | string | undefined,
    then: () => T | Promise<T>,
  ): Promise<T> {
    const model: Estimator | NearestNeighbors = this.model;
    if (model instanceof NearestNeighbors) {
      if (labels === undefined || typeof labels === "string") return model.fitThen(rows, labels, then);
      throw new InvalidInputError("a search has no labels; leave them out");
    }
    if (labels === undefined)
      throw new InvalidInputError("labels are missing; pass one per row, or the name of the label column");
    return model instanceof KNeighborsClassifier
      ? model.fitThen(rows, labels as Labels | string, then)
      : model.fitThen(rows, labels as Targets | string, then);
  }

  /**
   * These steps prepare rows for the model as it is fitted; `steps` may be learning for the next one.
   * @internal
   */
  get applied(): readonly Preparation[] {
    return this.#applied?.() ?? this.steps;
  }

  /**
   * Applies every step and returns rows for the model's other methods, such as classify.
   * @throws InvalidInputError for a matrix where train was a table, or of another width than train, and where
   *   a step has learnt for another model (see `fit`)
   */
  prepare(rows: Table): Table;
  prepare(rows: Rows): Rows;
  prepare(rows: Rows): Rows {
    if (this.steps.length === 0) return rows;
    const table = rows instanceof Table ? rows : this.#namedLikeTrain(rows);
    return this.applied.reduce((made, step) => step.transform(made), table);
  }

  #namedLikeTrain(rows: Rows): Table {
    const { trained } = this.model;
    if (!("table" in trained && isOfMatrix(trained.table)))
      throw new InvalidInputError(
        "preparation needs the names of columns, but queries are a matrix; pass a table",
      );
    const table = asTable(rows, "queries");
    const [cols, expected] = [table.columns.length, trained.table.columns.length];
    if (cols === expected) return table;
    throw new InvalidInputError(
      `queries have ${plural(cols, "column")}, but train has ${expected}; pass as many`,
    );
  }

  /** Predicts a label or a number for each row; it is an error if the pipeline ends in a search. */
  predict(queries: Rows, options?: KneighborsCallOptions): Predicted<Model> {
    const { model } = predictorOf(this as Pipeline);
    return model.predict(this.prepare(queries), options) as Predicted<Model>;
  }

  /** Returns the neighbours of rows, which are prepared first; see `NearestNeighbors`. */
  kneighbors(queries: Rows, options?: KneighborsCallOptions): Promise<KnnResult> {
    return this.model.kneighbors(this.prepare(queries), options);
  }

  /** Frees the model, once running predictions have finished. */
  dispose(): void {
    this.model.dispose();
  }

  /** Calls `dispose` where `using` ends. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}

type Predicted<Model> = Model extends Estimator ? ReturnType<Model["predict"]> : Promise<never>;

/** Returns a pipeline as it is, and an estimator as a pipeline without steps. */
export function pipelineOf<Model extends Estimator>(model: Model | Pipeline<Model>): Pipeline<Model> {
  return model instanceof Pipeline ? model : new Pipeline([], model);
}

/** Does what `pipelineOf` does. @throws InvalidInputError for a search */
export function predictorOf<Model extends Estimator>(model: Model | Pipeline<Model>): Pipeline<Model> {
  const pipeline = pipelineOf(model);
  const end: Estimator | NearestNeighbors = pipeline.model;
  if (end instanceof NearestNeighbors)
    throw new InvalidInputError("the model ends in a search, which predicts nothing; call kneighbors");
  const given = end as Partial<Estimator> | null | undefined;
  if (typeof given?.predict !== "function")
    throw new InvalidInputError(
      `the model is ${nameOf(given)}; expected a KNeighborsClassifier, a KNeighborsRegressor or a Pipeline that ends in one`,
    );
  return pipeline;
}

function nameOf(value: object | null | undefined): string {
  if (value === null || value === undefined) return String(value);
  return value.constructor.name === "" ? typeof value : `a ${value.constructor.name}`;
}

export function isClassification(pipeline: Pipeline): pipeline is Pipeline<KNeighborsClassifier> {
  return pipeline.model instanceof KNeighborsClassifier;
}
