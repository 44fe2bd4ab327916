/**
 * Keeps more than predictions of the rows that a cross-validation tested: the probabilities of classes and
 * the neighbours that voted. Both take memory, and are kept only where they are asked for.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { NO_NEIGHBOR } from "../../ops/knn/index.ts";
import type { KnnExplanation, KnnResult } from "../../ops/knn/index.ts";
import { sortedClasses } from "../../table/classes.ts";
import { cellOf } from "../../table/column.ts";
import type { Table } from "../../table/table.ts";
import { KNeighborsClassifier } from "../classifier.ts";
import type { Label } from "../labels.ts";
import type { Pipeline } from "../pipeline.ts";
import { checkProbabilities } from "../tally.ts";

/**
 * Each row was predicted from these neighbours, in the table that was cross-validated.
 * @example
 * const table = Table.fromColumns({ x: [0, 1, 8, 9], kind: ["a", "a", "b", "b"] });
 * const model = new KNeighborsClassifier({ nNeighbors: 1 });
 * const found = await crossValidate(model, table, "kind", { folds: 4, neighbors: true });
 * const near: TestedNeighbors = found.neighbors!;
 * near.indices; // => [1, 0, 3, 2]
 * near.distances; // => [1, 1, 1, 1]
 * model.dispose();
 */
export interface TestedNeighbors {
  /** They are row-major [rows][k], nearest first: rows of the table; 0xffffffff for none. */
  readonly indices: Uint32Array;
  /** They are row-major [rows][k], as `indices`; NaN for none. */
  readonly distances: Float64Array;
  readonly k: number;
}

/** These things are to be kept. */
export interface Wanted {
  readonly probabilities: boolean | "top";
  readonly neighbors: boolean;
}

export interface Kept {
  readonly classes?: readonly Label[];
  readonly probabilities?: Float64Array;
  readonly neighbors?: TestedNeighbors;
}

/** Predicts the rows of one fold after the other and keeps what is wanted of each. */
export class Keeper {
  readonly #pipeline: Pipeline;
  readonly #rows: number;
  readonly #shares: KeptShares | undefined;
  /** It has the probability of the prediction of each row, where these alone are kept. */
  readonly #tops: Float64Array | undefined;
  readonly #wantsNeighbors: boolean;
  /** They tell how the rows of each fold were searched. */
  readonly explanations: KnnExplanation[] = [];
  #neighbors: TestedNeighbors | undefined;

  /** @throws InvalidInputError for probabilities of a regressor, or more of them than there is memory for */
  constructor(pipeline: Pipeline, table: Table, label: string, { probabilities, neighbors }: Wanted) {
    this.#pipeline = pipeline;
    this.#rows = table.rows;
    this.#wantsNeighbors = neighbors;
    if (probabilities && !(pipeline.model instanceof KNeighborsClassifier))
      throw new InvalidInputError("a regressor has no probabilities; leave out probabilities");
    this.#shares = probabilities === true ? new KeptShares(table, label) : undefined;
    this.#tops = probabilities === "top" ? new Float64Array(table.rows).fill(NaN) : undefined;
  }

  /**
   * @param rows the rows to test, which stand at `tested` in the table
   * @param trained where the rows that the model was fitted on stand in the table
   */
  async predict(
    rows: Table,
    tested: readonly number[],
    trained: readonly number[],
    signal: AbortSignal | undefined,
  ): Promise<ArrayLike<Label | null>> {
    const { model } = this.#pipeline;
    const prepared = this.#pipeline.prepare(rows);
    if (!(model instanceof KNeighborsClassifier)) {
      const { predictions, neighbors } = await model.regress(prepared, { signal });
      this.#keep(neighbors, tested, trained);
      return predictions;
    }
    const { labels, probabilities, neighbors } = await model.classify(prepared, {
      signal,
      probabilities: this.#tops ? "top" : this.#shares !== undefined,
    });
    if (this.#tops) tested.forEach((place, i) => (this.#tops![place] = probabilities[i]));
    this.#shares?.keep(probabilities, model.classes, tested);
    this.#keep(neighbors, tested, trained);
    return labels;
  }

  get result(): Kept {
    const neighbors = this.#neighbors;
    const tops = this.#tops && { probabilities: this.#tops };
    return { ...(tops ?? this.#shares?.result), ...(neighbors === undefined ? {} : { neighbors }) };
  }

  #keep(found: KnnResult, tested: readonly number[], trained: readonly number[]): void {
    const { indices, distances, k, explanation } = found;
    this.explanations.push(explanation);
    if (!this.#wantsNeighbors) return;
    const kept = this.#roomFor(k);
    tested.forEach((place, i) => {
      for (let at = 0; at < k; at++) {
        const index = indices[i * k + at];
        if (index === NO_NEIGHBOR) continue;
        kept.indices[place * kept.k + at] = trained[index];
        kept.distances[place * kept.k + at] = distances[i * k + at];
      }
    });
  }

  /** RapidMiner's k is at most the rows that it was trained on, which are more in some folds. */
  #roomFor(k: number): TestedNeighbors {
    const before = this.#neighbors;
    if (before !== undefined && k <= before.k) return before;
    const indices = new Uint32Array(this.#rows * k).fill(NO_NEIGHBOR);
    const distances = new Float64Array(this.#rows * k).fill(NaN);
    before?.indices.forEach((index, at) => {
      const place = Math.floor(at / before.k) * k + (at % before.k);
      indices[place] = index;
      distances[place] = before.distances[at];
    });
    this.#neighbors = { indices, distances, k };
    return this.#neighbors;
  }
}

/**
 * Keeps the probabilities that rows were tested with, of all classes, also those that a fold did not train
 * on.
 */
class KeptShares {
  readonly #codeOf: ReadonlyMap<Label, number>;
  readonly result: { readonly classes: readonly Label[]; readonly probabilities: Float64Array };

  constructor(table: Table, label: string) {
    const column = table.column(label);
    const cells = Array.from({ length: table.rows }, (_, row) => cellOf(column, row));
    const classes = sortedClasses(cells.filter((cell) => cell !== null));
    checkProbabilities(table.rows, classes.length, { remedy: "leave out probabilities" });
    this.#codeOf = new Map(classes.map((value, code) => [value, code]));
    this.result = { classes, probabilities: new Float64Array(table.rows * classes.length).fill(NaN) };
  }

  keep(probabilities: Float64Array, classes: readonly Label[], places: readonly number[]): void {
    const codes = classes.map((value) => this.#codeOf.get(value)!);
    const size = this.result.classes.length;
    places.forEach((place, i) => {
      const own = this.result.probabilities.subarray(place * size, (place + 1) * size).fill(0);
      codes.forEach((code, c) => (own[code] = probabilities[i * codes.length + c]));
    });
  }
}
