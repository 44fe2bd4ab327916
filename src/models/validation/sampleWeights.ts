/** The weights of rows in measures of performance: each row counts as often as its weight says. */
import { InvalidInputError } from "../../core/errors.ts";
import { plural } from "../../core/plural.ts";
import { cellOf, isMissing } from "../../table/column.ts";
import type { Table } from "../../table/table.ts";

const expected = "expected a number of at least 0";

/** Returns the weight of each row. @throws InvalidInputError for too many or too few, or one below 0 */
export function weightsOf(
  sampleWeights: ArrayLike<number> | undefined,
  rows: number,
): (row: number) => number {
  if (sampleWeights === undefined) return () => 1;
  if (sampleWeights.length !== rows)
    throw new InvalidInputError(
      `${plural(sampleWeights.length, "sample weight")} for ${plural(rows, "row")}; pass one for each row`,
    );
  const wrong = Array.from(sampleWeights).findIndex((weight) => !isWeight(weight));
  if (wrong < 0) return (row) => sampleWeights[row];
  throw new InvalidInputError(
    `the sample weight of row ${wrong} is ${String(sampleWeights[wrong])}; ${expected}`,
  );
}

/**
 * Returns the column of weights, NaN for rows without a label, which are not measured.
 * @throws InvalidInputError for the label, texts, gaps and numbers below 0
 */
export function weightColumn(table: Table, label: string, name: string): Float64Array {
  if (name === label)
    throw new InvalidInputError(
      `column ${JSON.stringify(name)} is both the label and the sample weights; choose one`,
    );
  const column = table.column(name);
  const truth = table.column(label);
  const weights = Float64Array.from({ length: table.rows }, (_, row) => {
    if (isMissing(truth, row)) return NaN;
    const cell = cellOf(column, row);
    if (isWeight(cell)) return cell;
    const { origin } = table;
    const place = origin === undefined ? { row } : { file: origin.file, ...origin.placeOf(row) };
    const is = cell === null ? "is missing" : `is ${JSON.stringify(cell)}`;
    throw new InvalidInputError(`the sample weight ${is}; ${expected}`, { ...place, column: name });
  });
  if (weights.some((weight) => weight > 0) || weights.every(Number.isNaN)) return weights;
  throw new InvalidInputError(
    `all sample weights of column ${JSON.stringify(name)} are 0, so that no row counts; give some rows a weight above 0`,
    table.origin === undefined ? {} : { file: table.origin.file },
  );
}

/**
 * Returns how often each fold counts in means: the sum of its weights where every row, or group, is a fold,
 * as a weighted mean over one row each would be their plain mean. Undefined where folds count alike.
 */
export function foldCounts(
  weights: Float64Array | undefined,
  foldOf: ArrayLike<number>,
  folds: number,
  options: { readonly folds?: number | "leave-one-out" | undefined },
): Float64Array | undefined {
  if (weights === undefined || options.folds !== "leave-one-out") return undefined;
  const sums = new Float64Array(folds);
  weights.forEach((weight, row) => {
    if (weight > 0) sums[foldOf[row]] += weight;
  });
  return sums;
}

/** @throws InvalidInputError for a fold whose rows all have weight 0, which has no measure to choose by */
export function checkFoldWeights(weights: Float64Array, foldOf: ArrayLike<number>, folds: number): void {
  const sums = new Float64Array(folds);
  weights.forEach((weight, row) => {
    if (weight > 0) sums[foldOf[row]] += weight;
  });
  const without = sums.indexOf(0);
  if (without >= 0)
    throw new InvalidInputError(
      `the sample weights of all rows of fold ${without} are 0, so that it has no measure; take fewer folds, or leave out ` +
        "rows of weight 0",
    );
}

function isWeight(weight: unknown): weight is number {
  return typeof weight === "number" && weight >= 0 && weight < Infinity;
}
