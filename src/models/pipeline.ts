/**
 * `Pipeline` puts steps of preparation before an estimator and fits them together on a table. The steps learn
 * from the training rows alone, and change only the feature columns, never the label.
 */
import { InvalidInputError } from "../core/errors.ts";
import { Table } from "../table/table.ts";
import { KNeighborsClassifier } from "./classifier.ts";
import type { Rows } from "./features.ts";
import type { KneighborsCallOptions } from "./nearestNeighbors.ts";
import { fitSteps, snapshotIfFitted, snapshotOf } from "./preparation/index.ts";
import type { Snapshot } from "./preparation/index.ts";
import { chooseFeatures } from "./preparation/roles.ts";
import type { Preparation } from "./preparation/preparation.ts";
import type { KNeighborsRegressor } from "./regressor.ts";

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
 * A pipeline fits and applies steps of preparation and an estimator together.
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
 */
export class Pipeline<Model extends Estimator = Estimator> {
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
   * Fits the steps, one on what the others made, then the model. Until that is done, and where it fails, rows
   * are prepared and predicted as before; where a step is of a class of your own without `copy`, they are
   * refused.
   * @returns this
   */
  async fit(train: Table, label: string): Promise<this> {
    return this.fitThen(train, label, () => this);
  }

  /**
   * Does what `fit` does, and something in the same turn in which steps and model take the place of those
   * before.
   * @internal
   */
  async fitThen<T>(train: Table, label: string, then: () => T | Promise<T>): Promise<T> {
    const features = chooseFeatures(train, this.model.options, label);
    this.#applied ??= snapshotIfFitted(this.steps);
    const table = fitSteps(this.steps, train, features);
    const applied = snapshotOf(this.steps);
    return this.model.fitThen(table, label, () => {
      this.#applied = applied;
      return then();
    });
  }

  /**
   * The steps that prepare rows for the model as it is fitted; `steps` may be learning for the next one.
   * @internal
   */
  get applied(): readonly Preparation[] {
    return this.#applied?.() ?? this.steps;
  }

  /**
   * Applies every step and returns rows for the model's other methods, such as classify.
   * @throws InvalidInputError for a matrix, and where a step has learnt for another model (see `fit`)
   */
  prepare(rows: Table): Table;
  prepare(rows: Rows): Rows;
  prepare(rows: Rows): Rows {
    if (this.steps.length === 0) return rows;
    if (rows instanceof Table) return this.applied.reduce((made, step) => step.transform(made), rows);
    throw new InvalidInputError(
      "preparation needs the names of columns, but queries are a matrix; pass a table",
    );
  }

  /** Predicts a label or a number for each row. */
  predict(queries: Rows, options?: KneighborsCallOptions): ReturnType<Model["predict"]> {
    return this.model.predict(this.prepare(queries), options) as ReturnType<Model["predict"]>;
  }

  /** Frees the model, once predictions that run have ended. */
  dispose(): void {
    this.model.dispose();
  }

  /** Calls `dispose` where `using` ends. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Returns a pipeline as it is, and an estimator as a pipeline without steps. */
export function pipelineOf<Model extends Estimator>(model: Model | Pipeline<Model>): Pipeline<Model> {
  return model instanceof Pipeline ? model : new Pipeline([], model);
}

export function isClassification(pipeline: Pipeline): pipeline is Pipeline<KNeighborsClassifier> {
  return pipeline.model instanceof KNeighborsClassifier;
}
