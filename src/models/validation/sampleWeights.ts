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
      `${plural(sampleWeights.length, "sample weight")} for ${plural(rows, "row")}; pass one a row`,
    );
  const wrong = Array.from(sampleWeights).findIndex((weight) => !isWeight(weight));
  if (wrong < 0) return (row) => sampleWeights[row];
  throw new InvalidInputError(`the sample weight of row ${wrong} is ${sampleWeights[wrong]}; ${expected}`);
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
  return Float64Array.from({ length: table.rows }, (_, row) => {
    if (isMissing(truth, row)) return NaN;
    const cell = cellOf(column, row);
    if (typeof cell === "number" && isWeight(cell)) return cell;
    const { origin } = table;
    const place = origin === undefined ? { row } : { file: origin.file, ...origin.placeOf(row) };
    const is = cell === null ? "is missing" : `is ${JSON.stringify(cell)}`;
    throw new InvalidInputError(`the sample weight ${is}; ${expected}`, { ...place, column: name });
  });
}

function isWeight(weight: number): boolean {
  return weight >= 0 && weight < Infinity;
}
