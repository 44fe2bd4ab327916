/** `KNeighborsClassifier`: classes by the vote of the nearest training rows, after scikit-learn's class of that name. */
import { InvalidInputError } from "../core/errors.ts";
import { resolveMetric } from "../core/metric.ts";
import type { KnnResult } from "../operators/knn.ts";
import { labelsOf } from "../table/labels.ts";
import { Table } from "../table/table.ts";
import type { Rows } from "./features.ts";
import { encodeLabels } from "./labels.ts";
import type { EncodedLabels, Label, Labels } from "./labels.ts";
import { NearestNeighbors } from "./nearestNeighbors.ts";
import type { KneighborsCallOptions, NeighborsOptions } from "./nearestNeighbors.ts";
import { checkWeights, vote } from "./vote.ts";
import type { Votes, Weights } from "./vote.ts";

/** What `KNeighborsClassifier` takes. */
export interface ClassifierOptions extends NeighborsOptions {
  /** Default "uniform". */
  readonly weights?: Weights | undefined;
}

/** What one pass over the queries gives: labels, probabilities and the neighbours they come from. */
export interface Classification {
  readonly labels: Label[];
  /** Row-major [queries][classes]. */
  readonly probabilities: Float64Array;
  readonly neighbors: KnnResult;
}

/**
 * k-nearest-neighbour classification.
 * @example
 * const model = await new KNeighborsClassifier({ nNeighbors: 3 }).fit([[0], [1], [2], [9]], ["a", "a", "a", "b"]);
 * await model.predict([[1.5]]); // => ["a"]
 * model.classes; // => ["a", "b"]
 * await model.predictProba([[8], [1]]); // => [2 / 3, 1 / 3, 1, 0]
 * await model.score([[8], [1]], ["b", "a"]); // => 0.5
 * model.dispose();
 */
export class KNeighborsClassifier {
  readonly #neighbors: NearestNeighbors;
  readonly #weights: Weights;
  #labels: EncodedLabels | undefined;

  constructor(options: ClassifierOptions = {}) {
    this.#weights = options.weights ?? "uniform";
    checkWeights(this.#weights, resolveMetric(options));
    this.#neighbors = new NearestNeighbors(options);
  }

  /**
   * @param train a matrix [rows, cols], kept by reference, or a table
   * @param labels one per row, or the name of the table's label column
   * @returns this
   */
  async fit(train: Rows, labels: Labels | string): Promise<this> {
    const encoded = encodeTarget(train, labels);
    await this.#neighbors.fit(train, typeof labels === "string" ? labels : undefined);
    this.#labels = encoded;
    return this;
  }

  /** In the order of the columns of `predictProba`. */
  get classes(): readonly Label[] {
    return this.#fitted.classes;
  }

  /** The neighbours that vote, row-major [queries][nNeighbors], ascending by (distance, index). */
  kneighbors(queries: Rows, options?: KneighborsCallOptions): Promise<KnnResult> {
    return this.#neighbors.kneighbors(queries, options);
  }

  /** The class of each query. */
  async predict(queries: Rows, options?: KneighborsCallOptions): Promise<Label[]> {
    return (await this.classify(queries, options)).labels;
  }

  /** Row-major [queries][classes]. */
  async predictProba(queries: Rows, options?: KneighborsCallOptions): Promise<Float64Array> {
    return (await this.classify(queries, options)).probabilities;
  }

  /** Labels, probabilities and neighbours of one pass. */
  async classify(queries: Rows, options?: KneighborsCallOptions): Promise<Classification> {
    const { classes, codes } = this.#fitted;
    const neighbors = await this.kneighbors(queries, options);
    const { probabilities, winners }: Votes = vote(neighbors, codes, classes.length, this.#weights);
    return { labels: Array.from(winners, (winner) => classes[winner]), probabilities, neighbors };
  }

  /** Accuracy: the share of queries whose predicted class is the label given. */
  async score(queries: Rows, labels: Labels, options?: KneighborsCallOptions): Promise<number> {
    const predicted = await this.predict(queries, options);
    if (labels.length !== predicted.length) {
      throw new InvalidInputError(
        `${labels.length} labels for ${predicted.length} queries; pass one label per query`,
      );
    }
    const right = predicted.filter((label, i) => label === labels[i]).length;
    return right / predicted.length;
  }

  /** Frees the index, and the device where the classifier opened it. */
  dispose(): void {
    this.#neighbors.dispose();
  }

  get #fitted(): EncodedLabels {
    if (!this.#labels) {
      throw new InvalidInputError("this classifier is not fitted yet; call fit(train, labels) first");
    }
    return this.#labels;
  }
}

function encodeTarget(train: Rows, labels: Labels | string): EncodedLabels {
  if (typeof labels === "string") {
    if (train instanceof Table) return labelsOf(train.column(labels), train.origin);
    throw new InvalidInputError(
      `label ${JSON.stringify(labels)} names a column, but train is no table; pass labels`,
    );
  }
  const rows = Array.isArray(train) ? train.length : (train as { readonly rows: number }).rows;
  if (labels.length !== rows) {
    throw new InvalidInputError(`${labels.length} labels for ${rows} rows of train; pass one label per row`);
  }
  return encodeLabels(labels);
}
