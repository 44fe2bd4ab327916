/**
 * `KNeighborsClassifier` predicts classes by the vote of the nearest training rows, after scikit-learn's
 * class of that name.
 */
import { InvalidInputError } from "../core/errors.ts";
import { checkOneOf, checkOptions } from "../core/options.ts";
import type { KnnResult } from "../ops/knn/index.ts";
import { NO_CLASS } from "../table/classes.ts";
import { confusion } from "./confusion.ts";
import { checkEstimatorOptions } from "./estimatorOptions.ts";
import type { Rows } from "./features.ts";
import { joinLabels, labelsLeft, type EncodedLabels, type Label, type Labels } from "./labels.ts";
import { NearestNeighbors, callNames, checkAllVote, numbersFrom } from "./nearestNeighbors.ts";
import type { KneighborsCallOptions, NeighborsOptions, TrainedRows } from "./nearestNeighbors.ts";
import { rapidminerVote } from "./rapidminer/vote.ts";
import { checkProbabilities } from "./tally.ts";
import { classesOf, labelValues, rowsOf } from "./target.ts";
import { vote } from "./vote.ts";
import type { Weights } from "./weights.ts";

/**
 * `KNeighborsClassifier` takes these options.
 * @example
 * const options: ClassifierOptions = { nNeighbors: 3, weights: "distance" };
 * const model = await new KNeighborsClassifier(options).fit([[0], [6], [8]], ["a", "b", "b"]);
 * await model.predict([[1]]); // => ["a"]
 * model.dispose();
 */
export interface ClassifierOptions extends NeighborsOptions {
  /** It is "uniform" by default. */
  readonly weights?: Weights | undefined;
}

/**
 * One pass over the queries gives labels, probabilities and the neighbours they come from.
 * @example
 * const model = await new KNeighborsClassifier({ nNeighbors: 3 }).fit([[0], [1], [9]], ["a", "a", "b"]);
 * const { labels, probabilities, neighbors }: Classification = await model.classify([[2]]);
 * labels; // => ["a"]
 * probabilities; // => [2 / 3, 1 / 3]
 * neighbors.indices; // => [1, 0, 2]
 * model.dispose();
 */
export interface Classification<Class extends Label = Label> {
  /**
   * Each query has a class; null only with `compat`, if a distance is NaN and RapidMiner's vote therefore
   * gives none.
   */
  readonly labels: (Class | null)[];
  /**
   * They are row-major [queries][classes]. With `compat` they are RapidMiner's confidences, which need not
   * add up to 1.
   */
  readonly probabilities: Float64Array;
  readonly neighbors: KnnResult;
}

/**
 * It classifies by a vote of the k nearest neighbours; of classes with equal votes the first in `classes`
 * wins.
 *
 * With `compat: "rapidminer"` everything is as in that tool: classes are numbered by first appearance (of a
 * table's label column, all values of its dictionary are classes), `weights: "distance"` is its weighted vote
 * and "uniform" its plain one, a missing label counts as class 0, and there may
 * be fewer rows than neighbours.
 * @typeParam Class the type of the labels, such as string; the labels given to `fit` are not checked against
 *   it
 * @example
 * const classifier = new KNeighborsClassifier({ nNeighbors: 3 });
 * const model = await classifier.fit([[0], [1], [2], [9]], ["a", "a", "a", "b"]);
 * await model.predict([[1.5]]); // => ["a"]
 * model.classes; // => ["a", "b"]
 * await model.predictProba([[8], [1]]); // => [2 / 3, 1 / 3, 1, 0]
 * await model.score([[8], [1]], ["b", "a"]); // => 0.5
 *
 * await model.add([[8], [7]], ["c", "c"]); // => [4, 5]
 * await model.predict([[8]]); // => ["c"]
 * model.dispose();
 *
 * const texts = await new KNeighborsClassifier<string>({ nNeighbors: 1 }).fit([[0], [9]], ["a", "b"]);
 * const [first]: (string | null)[] = await texts.predict([[1]]);
 * first; // => "a"
 * texts.dispose();
 */
export class KNeighborsClassifier<Class extends Label = Label> {
  readonly options: ClassifierOptions;
  readonly #neighbors: NearestNeighbors;
  #labels: (EncodedLabels & { readonly column: string | undefined }) | undefined;

  /** @throws InvalidInputError for options that are unknown or contradict each other */
  constructor(options: ClassifierOptions = {}) {
    checkEstimatorOptions(options, "KNeighborsClassifier");
    this.#neighbors = new NearestNeighbors({ ...options, weights: undefined } as NeighborsOptions);
    this.options = options;
  }

  /**
   * Takes the training rows and their labels. Predictions that are running finish on the rows and labels that
   * they began with.
   * @param train a matrix [rows, cols] or a table, kept by reference
   * @param labels one per row, or the name of the table's label column
   * @returns this
   */
  async fit(train: Rows, labels: Labels | string): Promise<this> {
    return this.fitThen(train, labels, () => this);
  }

  /**
   * Does what `fit` does, and something in the same turn in which the labels take the place of those before.
   * @internal
   */
  async fitThen<T>(train: Rows, labels: Labels | string, then: () => T | Promise<T>): Promise<T> {
    const column = typeof labels === "string" ? labels : undefined;
    const encoded = classesOf(train, labels, this.options.compat);
    return this.#neighbors.fitThen(train, column, () => {
      this.#labels = { ...encoded, column };
      return then();
    });
  }

  /**
   * Adds rows with their labels, as `NearestNeighbors.add` does: predictions are then those of a model fitted
   * on all rows. In a `Pipeline`, prepare the rows first: `chain.model.add(chain.prepare(rows), labels)`.
   * @param labels one per row, or the name of the table's label column
   * @returns the numbers of the rows
   * @throws InvalidInputError for labels that `fit` refuses, or of another kind; also as
   *   `NearestNeighbors.add`
   */
  async add(rows: Rows, labels: Labels | string): Promise<Uint32Array> {
    const added = classesOf(rows, labels, this.options.compat);
    return this.#neighbors.changeThen({ added: rows }, (numbered, first) => {
      this.#labels = { ...joinLabels(this.#fitted, added), column: undefined };
      return numbersFrom(numbered, first);
    });
  }

  /**
   * Removes rows, as `NearestNeighbors.remove` does; a class that has no rows left is dropped.
   * @throws InvalidInputError as there
   */
  async remove(ids: Iterable<number>): Promise<void> {
    return this.#neighbors.changeThen({ removed: ids }, (numbered) => {
      this.#labels = { ...labelsLeft(this.#fitted, numbered.ids), column: undefined };
    });
  }

  /** Returns the numbers of the rows, as `NearestNeighbors.ids`. */
  get ids(): Uint32Array {
    return this.#neighbors.ids;
  }

  /** Returns the classes, in the order of the columns of `predictProba`. */
  get classes(): readonly Class[] {
    return this.#fitted.classes as readonly Class[];
  }

  /** Returns the rows and labels that the model was fitted on, which model files keep. */
  get trained(): TrainedRows & { readonly labels: string | EncodedLabels } {
    const { column, classes, codes } = this.#fitted;
    const labels = column ?? { classes, codes: this.ids.map((id) => codes[id]) };
    return { ...this.#neighbors.trained, labels };
  }

  /** Returns the neighbours that vote, row-major [queries][nNeighbors], ascending by (distance, index). */
  kneighbors(queries: Rows, options?: KneighborsCallOptions): Promise<KnnResult> {
    return this.#neighbors.kneighbors(queries, options);
  }

  /**
   * Returns the class of each query; unlike `classify` it needs no memory for the probabilities of all
   * classes.
   */
  async predict(queries: Rows, options?: KneighborsCallOptions): Promise<(Class | null)[]> {
    checkOptions(options ?? {}, "predict", callNames);
    return (await this.classify(queries, { ...options, probabilities: false })).labels;
  }

  /** Returns the probabilities, row-major [queries][classes]. */
  async predictProba(queries: Rows, options?: KneighborsCallOptions): Promise<Float64Array> {
    return (await this.classify(queries, options)).probabilities;
  }

  /**
   * Returns labels, probabilities and neighbours of one pass.
   * @param options `probabilities: false` leaves them empty, for more classes than fit memory; "top" gives
   *   one per query, that of its label, or NaN if it has none
   * @throws InvalidInputError for more probabilities than the machine has memory for
   */
  async classify(
    queries: Rows,
    options: KneighborsCallOptions & { probabilities?: boolean | "top" } = {},
  ): Promise<Classification<Class>> {
    checkOptions(options, "classify", { ...callNames, probabilities: 1 });
    const { probabilities: wanted = true, ...search } = options;
    const { codes } = this.#fitted;
    const { classes } = this;
    const { weights = "uniform", compat } = this.options;
    const k = search.nNeighbors ?? this.#neighbors.nNeighbors;
    checkAllVote(search);
    checkOneOf(wanted, [true, false, "top"], "probabilities");
    const isFull = wanted === true;
    if (isFull) checkProbabilities(rowsOf(queries), classes.length);
    const neighbors = await this.kneighbors(queries, search);
    const found = compat
      ? rapidminerVote(neighbors, codes, classes.length, weights, k, !isFull)
      : vote(neighbors, codes, classes.length, weights, !isFull);
    const { winners } = found;
    const probabilities = wanted === "top" ? found.tops : found.probabilities;
    const labels = Array.from(winners, (winner) => (winner === NO_CLASS ? null : classes[winner]));
    return { labels, probabilities, neighbors };
  }

  /**
   * Returns the accuracy: the share of queries whose predicted class equals the label. Rows that lack either
   * are left out.
   * @param labels one per query, or the name of the table's column that has them
   */
  async score(queries: Rows, labels: Labels | string, options?: KneighborsCallOptions): Promise<number> {
    const truth = typeof labels === "string" ? labelValues(queries, labels) : labels;
    return confusion(truth, await this.predict(queries, options)).accuracy;
  }

  /** Frees the index, and the device if the classifier opened it, once running predictions have finished. */
  dispose(): void {
    this.#neighbors.dispose();
  }

  /** Calls `dispose` where `using` ends. */
  [Symbol.dispose](): void {
    this.dispose();
  }

  get #fitted() {
    if (!this.#labels) {
      throw new InvalidInputError("this classifier is not fitted yet; call fit(train, labels) first");
    }
    return this.#labels;
  }
}
