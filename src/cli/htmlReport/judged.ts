/**
 * Gives rows as a report sees them, with what was predicted of them, what is true, and the neighbours of
 * each.
 */
import type { CsvCell } from "../../io/index.ts";
import { NO_NEIGHBOR, type Label, type Matrix } from "../../node.ts";
import type { Table } from "../../table/index.ts";
import { cellsOfRows } from "../inputs/tables.ts";
import { shortNumber } from "./marks.ts";
import { markup, type Content } from "./markup.ts";

/** A view gives the compared cells of rows, and says how the rows are called. */
export interface View {
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly isText: boolean }[];
  readonly cells: (row: number) => readonly CsvCell[];
  readonly nameOf: (row: number) => string;
}

/** Rows have these neighbours, row-major [rows][k], nearest first. */
export interface NearestRows {
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
  readonly k: number;
}

export interface JudgedRows {
  readonly rows: View;
  /** The neighbours are of these rows. */
  readonly train: View;
  readonly neighbors: NearestRows;
  readonly label: string;
  /** The training rows have these labels. */
  readonly labels: ArrayLike<Label | null>;
  /** Each row has one; it is null or NaN where it is not known. */
  readonly truth: ArrayLike<Label | null>;
  readonly predicted: ArrayLike<Label | null>;
}

/** The rows to show; a search has nothing to judge, and no label. */
export type Beside = Pick<JudgedRows, "rows" | "train" | "neighbors"> & Partial<JudgedRows>;

/** Returns rows of a table, called by the id column, else by their line or number in the file. */
export function viewOf(table: Table, features: readonly string[], id?: string): View {
  const names = id !== undefined && table.has(id) ? cellsOfRows(table.select([id])) : undefined;
  return {
    rows: table.rows,
    columns: features.map((name) => ({ name, isText: table.column(name).kind === "nominal" })),
    cells: cellsOfRows(table.select(features)),
    nameOf: (row) => (names === undefined ? placeText(table, row) : String(names(row)[0] ?? "")),
  };
}

function placeText(table: Table, row: number): string {
  const place = table.origin?.placeOf(row) ?? { row };
  return "line" in place ? `line\u00a0${place.line}` : `row\u00a0${place.row}`;
}

export function viewOfMatrix({ data, rows, cols }: Matrix, features: readonly string[]): View {
  return {
    rows,
    columns: features.map((name) => ({ name, isText: false })),
    cells: (row) => Array.from(data.subarray(row * cols, (row + 1) * cols), Number),
    nameOf: (row) => `row\u00a0${row}`,
  };
}

/** A neighbour has a row of the training rows, where it stands, and a distance, which says how far it is. */
export interface Near {
  readonly row: number;
  readonly distance: number;
}

export function nearOf({ indices, distances, k }: NearestRows, row: number): Near[] {
  return Array.from({ length: k }, (_, at) => ({
    row: indices[row * k + at],
    distance: distances[row * k + at],
  })).filter((near) => near.row !== NO_NEIGHBOR);
}

/** Returns the rows that were predicted wrong, first those that the fewest neighbours vote right. */
export function wrongRows({ rows, labels, neighbors, truth, predicted }: JudgedRows): number[] {
  const right = (row: number) =>
    nearOf(neighbors, row).filter((near) => labels[near.row] === truth[row]).length;
  const wrong = rowsWhere(rows, (row) => isKnown(truth[row]) && predicted[row] !== truth[row]);
  return sortedBy(wrong, right);
}

/** Returns the rows whose number is known, first those whose error is the largest. */
export function worstRows({ rows, truth, predicted }: JudgedRows): number[] {
  const known = rowsWhere(rows, (row) => isKnown(truth[row]) && isKnown(predicted[row]));
  return sortedBy(known, (row) => -Math.abs(Number(predicted[row]) - Number(truth[row])));
}

export function isKnown(value: Label | null): value is Label {
  return value !== null && !Number.isNaN(value);
}

/** Shows the true label, and what was predicted instead. */
export function verdict({ truth, predicted }: Partial<JudgedRows>, row: number): Content {
  const [is, was] = [truth?.[row] ?? null, predicted?.[row] ?? null];
  const shown = typeof was === "number" ? shortNumber(was) : (was ?? "?");
  if (!isKnown(is)) return shown;
  return is === was ? is : markup`${is} <span class="no">not&nbsp;${shown}</span>`;
}

/** Shows the label of a neighbour, bold where it is that of the row. */
export function vote({ labels, truth }: Partial<JudgedRows>, row: number, at: number): Content {
  const label = labels?.[at] ?? null;
  if (label === null) return "–";
  return label === truth?.[row] ? markup`<b>${label}</b>` : label;
}

function rowsWhere({ rows }: View, wanted: (row: number) => boolean): number[] {
  return Array.from({ length: rows }, (_, row) => row).filter(wanted);
}

function sortedBy(rows: readonly number[], keyOf: (row: number) => number): number[] {
  const keys = new Map(rows.map((row) => [row, keyOf(row)]));
  return [...rows].sort((a, b) => keys.get(a)! - keys.get(b)! || a - b);
}
