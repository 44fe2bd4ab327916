/**
 * Turns what `fit` is to predict into classes or numbers: one label per row of train, or the name of a column
 * of it.
 */
import { InvalidInputError } from "../core/errors.ts";
import { checkAllLabelled, labelsByAppearance, labelsOf } from "../table/classes.ts";
import { Table } from "../table/table.ts";
import type { Rows } from "./features.ts";
import { encodeLabels, encodeLabelsByAppearance } from "./labels.ts";
import type { EncodedLabels, Label, Labels } from "./labels.ts";
import type { Compat } from "./nearestNeighbors.ts";

/**
 * Each row has a number; NaN is a missing label, which only `compat: "rapidminer"` accepts.
 * @example
 * const rents: Targets = Uint16Array.of(430, 610); // or [430, 610]
 * const model = await new KNeighborsRegressor({ nNeighbors: 1 }).fit([[1], [2]], rents);
 * await model.score([[1], [2]], rents); // => 1
 * model.dispose();
 */
export type Targets = ArrayLike<number>;

/**
 * @throws InvalidInputError for an unknown column, a wrong number of labels, or
 *   labels that cannot be numbered.
 */
export function classesOf(train: Rows, labels: Labels | string, compat?: Compat): EncodedLabels {
  if (typeof labels === "string") {
    const { table, column } = labelColumn(train, labels);
    return compat ? labelsByAppearance(column, table.origin) : labelsOf(column, table.origin);
  }
  checkLength(train, labels);
  return compat ? encodeLabelsByAppearance(labels) : encodeLabels(labels);
}

/**
 * @throws InvalidInputError for an unknown or nominal column, a wrong number of labels, or one that is no
 *   finite number.
 */
export function targetsOf(train: Rows, labels: Targets | string, compat?: Compat): Float64Array {
  if (typeof labels === "string") return targetColumn(train, labels, compat);
  checkLength(train, labels);
  return Float64Array.from(labels, (label: unknown, row) => {
    if (typeof label === "number" && (Number.isFinite(label) || (compat && Number.isNaN(label))))
      return label;
    throw new InvalidInputError(
      `label of row ${row} is ${String(label)}; regression needs a finite number: remove rows without a label`,
    );
  });
}

function targetColumn(train: Rows, label: string, compat: Compat | undefined): Float64Array {
  const { table, column } = labelColumn(train, label);
  const { origin } = table;
  const file = origin === undefined ? {} : { file: origin.file };
  if (column.kind === "nominal") {
    const text = origin?.firstText(label);
    throw new InvalidInputError(
      `${text === undefined ? "" : `${JSON.stringify(text.text)} is not a number, so `}the label is nominal, and regression ` +
        `needs numbers; correct the cell, or classify instead`,
      { ...file, ...(text === undefined ? {} : { line: text.line }), column: label },
    );
  }
  if (!compat) checkAllLabelled(column, origin);
  return column.values;
}

/**
 * Returns the labels in a column of a table, null for none.
 * @throws InvalidInputError for an unknown column, and for rows that are no table
 */
export function labelValues(rows: Rows, label: string): (Label | null)[] {
  const { table } = labelColumn(rows, label, "queries are");
  return table.values(label);
}

function labelColumn(rows: Rows, label: string, what = "train is") {
  if (rows instanceof Table) return { table: rows, column: rows.column(label) };
  throw new InvalidInputError(
    `label ${JSON.stringify(label)} names a column, but ${what} not a table; pass labels`,
  );
}

/** Returns the number of rows. */
export function rowsOf(rows: Rows): number {
  return Array.isArray(rows) ? rows.length : (rows as { readonly rows: number }).rows;
}

function checkLength(train: Rows, labels: ArrayLike<unknown> | undefined): void {
  const rows = rowsOf(train);
  const { length } = labels ?? [];
  if (length === rows) return;
  throw new InvalidInputError(
    `${length} ${length === 1 ? "label" : "labels"} for ${rows} ${rows === 1 ? "row" : "rows"} of train; pass one label per row`,
  );
}
