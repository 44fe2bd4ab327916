/**
 * Measures within a cross-validation how much each column matters: the rows of each fold are predicted once
 * more for every column and repeat, with the cells of that column shuffled among the rows of all folds.
 * Scores are over all rows at once, so that folds of a single row tell as much as others.
 */
import { checkOptions } from "../../core/options.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { cellOf } from "../../table/column.ts";
import { Table } from "../../table/table.ts";
import type { Label } from "../labels.ts";
import { isClassification, predictorOf, type Pipeline } from "../pipeline.ts";
import { NO_FOLD } from "./folds.ts";
import {
  featuresOf,
  importanceFrom,
  scoreOfLabels,
  settingsOf,
  shuffles,
  type ImportanceOptions,
  type ImportanceSettings,
  type PermutationImportance,
} from "./importance.ts";
import { rowsWhere } from "./split.ts";

export class FoldImportance {
  readonly #pipeline: Pipeline;
  readonly #table: Table;
  readonly #settings: ImportanceSettings;
  /** These rows have a label. */
  readonly #rows: readonly number[];
  /** In each repeat, a row gets its cell from this row. */
  readonly #sources: readonly Uint32Array[];
  /** They are the predictions of all rows, of each repeat of each column. */
  readonly #predictions = new Map<string, (Label | null)[][]>();

  /** @throws InvalidInputError for options that mean nothing, and for a measure that labels do not tell */
  constructor(pipeline: Pipeline, table: Table, foldOf: Uint32Array, options: ImportanceOptions) {
    checkOptions(options, "importance", { repeats: 1, seed: 1, measure: 1 });
    this.#pipeline = pipeline;
    this.#table = table;
    this.#settings = settingsOf(options, isClassification(pipeline), "logLoss");
    this.#rows = rowsWhere(foldOf, (fold) => fold !== NO_FOLD);
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
        const predictions = this.#predictionsOf(name, repeat);
        tested.forEach((row, at) => (predictions[row] = found[at]));
      }
    }
  }

  /** Returns the table that the model was fitted to, another one for each fold. */
  #fittedRows(): Table | undefined {
    const { trained } = predictorOf(this.#pipeline).model;
    return "table" in trained ? trained.table : undefined;
  }

  #predictionsOf(name: string, repeat: number): (Label | null)[] {
    const own = this.#predictions.get(name) ?? [];
    this.#predictions.set(name, own);
    return (own[repeat] ??= new Array<Label | null>(this.#table.rows).fill(null));
  }

  /** @param predictions those of the rows as they are @param weights of the rows in the measure */
  result(
    label: string,
    predictions: readonly (Label | null)[],
    weights?: Float64Array,
  ): PermutationImportance {
    const { measure, repeats, seed } = this.#settings;
    const column = this.#table.column(label);
    const truth = this.#rows.map((row) => cellOf(column, row));
    const scoreOf = (found: readonly (Label | null)[]) =>
      scoreOfLabels(
        measure,
        truth,
        this.#rows.map((row) => found[row]),
        weights && this.#rows.map((row) => weights[row]),
      );
    const baseline = scoreOf(predictions);
    const columns = [...this.#predictions].map(([name, found]) =>
      importanceFrom(name, measure, baseline, found.map(scoreOf)),
    );
    return { measure, baseline, columns, rows: this.#rows.length, repeats, seed };
  }
}
