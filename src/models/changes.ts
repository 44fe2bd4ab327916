/**
 * Adds rows to fitted ones and removes some: what an estimator knows of its rows before and after. It is
 * loaded by the first change. Which index holds which rows is decided in ops/knn/changes.
 */
import { InvalidInputError } from "../core/errors.ts";
import { NumberedRows, type KnnIndex, type LaterSearches } from "../ops/knn/index.ts";
import { Bitset } from "../table/bitset.ts";
import { MISSING_CODE, withType, type Column } from "../table/column.ts";
import { Dictionary } from "../table/dictionary.ts";
import { Table } from "../table/table.ts";
import type { Features, Rows } from "./features.ts";

/** A search is among these rows, which became rows of numbers so. */
export type FittedNeighbors = UnchangedRows | ChangedRows;

/** These rows are as they were fitted. */
interface UnchangedRows {
  readonly features: Features;
  readonly index: KnnIndex;
  readonly later: LaterSearches;
  readonly rows: Rows;
  /** Changes begin with the same rows in this form, which then frees the index. */
  numbered?: NumberedRows;
}

/** These rows have changed since. */
interface ChangedRows {
  readonly features: Features;
  readonly numbered: NumberedRows;
  /** Returns the rows, for model files. */
  left(): Left;
}

type Left =
  | { readonly table: Table; readonly features: readonly string[] }
  | { readonly matrix: NumberedRows["matrix"] };

/** A change adds rows, or removes those of some numbers. */
export type Change = { readonly added: Rows } | { readonly removed: Iterable<number> };

/** @throws InvalidInputError for rows that cannot be compared with those there are, or a number of no row */
export async function changedRows(fitted: FittedNeighbors, change: Change): Promise<ChangedRows> {
  if ("index" in fitted) fitted.numbered ??= NumberedRows.of(fitted.index);
  const { features } = fitted;
  const numbered = fitted.numbered!;
  if ("added" in change) return withRows(features, numbered, change.added);
  const given: unknown = change.removed;
  if (typeof given === "object" && given !== null && Symbol.iterator in given)
    return changed(features, await numbered.without(change.removed));
  throw new InvalidInputError(`remove takes a list of numbers of rows, not ${String(given)}`);
}

async function withRows(features: Features, numbered: NumberedRows, added: Rows): Promise<ChangedRows> {
  const { columns } = features;
  const now =
    columns && added instanceof Table ? features.like(columns.map((each) => coding(each, added))) : features;
  const matrix = await now.queryMatrix(added, undefined, "the rows to add");
  return changed(now, await numbered.with(matrix));
}

function changed(features: Features, numbered: NumberedRows): ChangedRows {
  const left = () => {
    const { matrix } = numbered;
    const { names, columns } = features;
    if (!names || !columns) return { matrix };
    const { data, rows, cols } = matrix;
    const values = (j: number) => Float64Array.from({ length: rows }, (_, row) => data[row * cols + j]);
    const table = new Table(columns.map((column, j) => columnOf(column, values(j))));
    return { table, features: names };
  };
  return { features, numbered, left };
}

/** Returns a column without cells, which has codes for the values of an added one too. */
function coding(column: Column, added: Table): Column {
  if (column.kind === "numeric") return columnOf(column, new Float64Array(0));
  const other = added.has(column.name) ? added.column(column.name) : column;
  const more = other.kind === "nominal" ? other.dictionary.values : [];
  const isKnown = more.every((value) => column.dictionary.codeOf(value) !== undefined);
  const dictionary = isKnown ? column.dictionary : Dictionary.from([...column.dictionary.values, ...more]);
  const { type } = column;
  const empty = columnOf({ ...column, dictionary }, new Float64Array(0));
  return type ? withType(empty, type) : empty;
}

/** Returns a column like another, of numbers or codes where NaN is missing. */
function columnOf({ valid: _, ...like }: Column, values: Float64Array): Column {
  const valid = new Bitset(values.length);
  values.forEach((value, row) => {
    if (!Number.isNaN(value)) valid.set(row);
  });
  const gaps = values.includes(NaN) ? { valid } : {};
  if (like.kind === "numeric") return { ...like, values, ...gaps };
  return {
    ...like,
    codes: Uint32Array.from(values, (code) => (Number.isNaN(code) ? MISSING_CODE : code)),
    ...gaps,
  };
}
