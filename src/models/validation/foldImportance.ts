/**
 * Measures within a cross-validation how much each column matters: the rows of each fold are predicted once
 * more for every column and repeat, with the cells of that column shuffled among the rows of all folds.
 * Scores are over all rows at once, so that folds of a single row tell as much as others; of the predictions,
 * the sums of the score alone are kept.
 */
import { checkOptions } from "../../core/options.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { cellOf } from "../../table/column.ts";
import { Table } from "../../table/table.ts";
import { isMissing, type Label } from "../labels.ts";
import { isClassification, predictorOf, type Pipeline } from "../pipeline.ts";
import { NO_FOLD } from "./folds.ts";
import {
  featuresOf,
  importanceFrom,
  settingsOf,
  shuffles,
  type ImportanceOptions,
  type ImportanceSettings,
  type PermutationImportance,
} from "./importance.ts";
import { runningScores, type RunningScore } from "./runningScore.ts";
import { rowsWhere } from "./split.ts";

/** The rows of a table with a label are tested in folds, and count by weights where there are any. */
export interface TestedRows {
  readonly table: Table;
  readonly label: string;
  readonly foldOf: Uint32Array;
  readonly weights: Float64Array | undefined;
}

export class FoldImportance {
  readonly #pipeline: Pipeline;
  readonly #table: Table;
  readonly #settings: ImportanceSettings;
  /** These rows have a label. */
  readonly #rows: readonly number[];
  readonly #truth: readonly (Label | null)[];
  readonly #weights: Float64Array | undefined;
  /** In each repeat, a row gets its cell from this row. */
  readonly #sources: readonly Uint32Array[];
  readonly #newScore: () => RunningScore;
  readonly #baseline: RunningScore;
  /** There is one of each repeat of each column. */
  readonly #scores = new Map<string, readonly RunningScore[]>();

  /** @throws InvalidInputError for options that mean nothing, and for a measure that labels do not tell */
  constructor(
    pipeline: Pipeline,
    { table, label, foldOf, weights }: TestedRows,
    options: Pick<ImportanceOptions, "repeats" | "seed" | "measure">,
  ) {
    checkOptions(options, "importance", { repeats: 1, seed: 1, measure: 1 });
    this.#pipeline = pipeline;
    this.#table = table;
    this.#weights = weights;
    this.#settings = settingsOf(options, isClassification(pipeline), "logLoss");
    const column = table.column(label);
    this.#truth = Array.from({ length: table.rows }, (_, row) => cellOf(column, row));
    this.#rows = rowsWhere(foldOf, (fold) => fold !== NO_FOLD);
    this.#newScore = runningScores(
      this.#settings.measure,
      this.#truth.filter((each) => !isMissing(each)),
    );
    this.#baseline = this.#newScore();
    this.#sources = shuffles(this.#rows.length, this.#settings).map((order) => {
      const sources = new Uint32Array(table.rows);
      this.#rows.forEach((row, at) => (sources[row] = this.#rows[order[at]]));
      return sources;
    });
  }

  /**
   * Predicts rows of one fold, by the model that was fitted for it.
   * @param tested where they stand
   * @throws InvalidInputError where the model is fitted anew meanwhile
   */
  async test(tested: readonly number[], signal: AbortSignal | undefined): Promise<void> {
    const own = this.#table.take(tested).columns;
    const fitted = this.#fittedRows();
    for (const name of featuresOf(this.#pipeline)) {
      const column = this.#table.select([name]);
      for (const [repeat, sources] of this.#sources.entries()) {
        signal?.throwIfAborted();
        const [shuffled] = column.take(tested.map((row) => sources[row])).columns;
        const permuted = new Table(own.map((each) => (each.name === name ? shuffled : each)));
        if (this.#fittedRows() !== fitted)
          throw new InvalidInputError(
            "the model was fitted anew while the importance of its columns was measured; give each validation a model of its own",
          );
        const found = await this.#pipeline.predict(permuted, { signal });
        this.#count(this.#scoresOf(name)[repeat], tested, found);
      }
    }
  }

  /** Counts predictions of the rows of one fold as they are. */
  testedAsIs(tested: readonly number[], predictions: ArrayLike<Label | null>): void {
    this.#count(this.#baseline, tested, predictions);
  }

  #count(score: RunningScore, tested: readonly number[], predictions: ArrayLike<Label | null>): void {
    tested.forEach((row, at) => score.add(this.#truth[row]!, predictions[at], this.#weights?.[row] ?? 1));
  }

  /** Returns the table that the model was fitted to, another one for each fold. */
  #fittedRows(): Table | undefined {
    const { trained } = predictorOf(this.#pipeline).model;
    return "table" in trained ? trained.table : undefined;
  }

  #scoresOf(name: string): readonly RunningScore[] {
    const own = this.#scores.get(name) ?? this.#sources.map(this.#newScore);
    this.#scores.set(name, own);
    return own;
  }

  result(): PermutationImportance {
    const { measure, repeats, seed } = this.#settings;
    const baseline = this.#baseline.value();
    const columns = [...this.#scores].map(([name, scores]) =>
      importanceFrom(
        name,
        measure,
        baseline,
        scores.map((score) => score.value()),
      ),
    );
    return { measure, baseline, columns, rows: this.#rows.length, repeats, seed };
  }
}
