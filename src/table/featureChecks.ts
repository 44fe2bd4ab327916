/**
 * These are pure checks that say why a table's columns cannot be the features asked for. Their errors name
 * file, line and column if known.
 */
import { InvalidInputError, type Place } from "../core/errors.ts";
import type { MissingPolicy } from "../core/matrix.ts";
import { columnsTaken, type MetricName } from "../distance/metric.ts";
import type { Column } from "./column.ts";
import { listNames } from "./names.ts";
import type { RowPlace, Table } from "./table.ts";

/** Errors need this part of EncodeOptions. */
interface NamedFeatures {
  readonly name?: string | undefined;
  readonly trainedOn?: string | undefined;
  readonly metric?: MetricName | undefined;
  readonly missing?: MissingPolicy | undefined;
}

export function checkSameFeatures(
  table: Table,
  features: readonly string[],
  trainedOn: string,
  name?: string,
): void {
  const lacking = features.filter((feature) => !table.has(feature));
  if (lacking.length === 0) return;
  const file = name ?? table.origin?.file;
  throw new InvalidInputError(
    `there ${lacking.length === 1 ? "is no column" : "are no columns"} ${listNames(lacking)}, ` +
      `${lacking.length === 1 ? "a feature" : "features"} of ${trainedOn}; there are ${listNames(table.names)}. ` +
      `Add what is missing, or choose features that both have (option features)`,
    { file: file ?? "the test table" },
  );
}

/**
 * Returns the kind of columns a metric takes; undefined: any. A metric that takes either kind takes that of
 * the first column.
 */
export function kindTaken(
  metric: MetricName | undefined,
  columns: readonly Column[],
): Column["kind"] | undefined {
  if (metric === undefined) return undefined;
  const taken = columnsTaken(metric);
  if (taken === "any") return undefined;
  return taken === "either" ? columns[0].kind : taken;
}

/** @throws InvalidInputError when the column is nominal in one table and numeric in the other. */
export function checkSameKind(table: Table, column: Column, model: Column, asked: NamedFeatures): void {
  if (column.kind === model.kind || column.valid?.count() === 0) return;
  const trainedOn = asked.trainedOn ?? "the training table";
  throw new InvalidInputError(
    `${textReason(table, column)}the column is ${column.kind} here but ${model.kind} in ${trainedOn}; read it the same ` +
      `way in both${column.kind === "numeric" ? ` (option nominal: ${column.name})` : ""}`,
    placeOf(table, column, asked, table.origin?.firstText(column.name)),
  );
}

/** @throws InvalidInputError for a kind that is not taken, or for a gap where `missing` is "error". */
export function checkFeature(
  table: Table,
  column: Column,
  kind: Column["kind"],
  taken: Column["kind"] | undefined,
  asked: NamedFeatures,
): void {
  if (taken !== undefined && kind !== taken) throw wrongKind(table, column, taken, asked);
  if (asked.missing !== "error") return;
  const row = column.valid?.firstClear() ?? -1;
  if (row < 0) return;
  throw new InvalidInputError(
    `the cell ${table.origin === undefined ? `of row ${row} (from 0) ` : ""}is missing; fill the gaps, leave the column ` +
      `out (option features), or pass missing: "skip"`,
    placeOf(table, column, asked, table.origin?.placeOf(row)),
  );
}

function wrongKind(
  table: Table,
  column: Column,
  taken: Column["kind"],
  asked: NamedFeatures,
): InvalidInputError {
  const text = table.origin?.firstText(column.name);
  const correct = text === undefined ? "" : "correct the cell, ";
  return new InvalidInputError(
    `${textReason(table, column)}${asked.metric} takes ${taken} columns only: ${correct}leave the column out ` +
      `(option features), or use the metric mixed_euclidean`,
    placeOf(table, column, asked, text),
  );
}

/** Says why the column is nominal, if a cell of a file made it so. */
function textReason({ origin }: Table, column: Column): string {
  const text = column.kind === "nominal" ? origin?.firstText(column.name) : undefined;
  if (text) return `${JSON.stringify(text.text)} is not a number, so the column is nominal; `;
  return "";
}

function placeOf(
  { origin }: Table,
  column: Column,
  { name }: NamedFeatures,
  at: RowPlace | undefined,
): Place {
  const file = name ?? origin?.file ?? "the table";
  return { file, column: column.name, ...(at && ("line" in at ? { line: at.line } : { row: at.row })) };
}
