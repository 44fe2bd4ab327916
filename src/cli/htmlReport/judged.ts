/** Rows with what was predicted of them, what is true, and the neighbours that it was predicted from. */
import { NO_NEIGHBOR, type Label } from "../../node.ts";
import { cellOf, type Table } from "../../table/index.ts";
import { cellsOfRows } from "../inputs/tables.ts";

/** The neighbours of rows, row-major [rows][k], nearest first. */
export interface Nearest {
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
  readonly k: number;
}

export interface Judged {
  readonly rows: Table;
  /** The rows that the neighbours are of. */
  readonly train: Table;
  readonly label: string;
  readonly features: readonly string[];
  /** The column that names the rows, if there is one. */
  readonly id?: string | undefined;
  readonly neighbors: Nearest;
  /** One per row; null or NaN where it is not known. */
  readonly truth: ArrayLike<Label | null>;
  readonly predicted: ArrayLike<Label | null>;
}

/** A neighbour of a row: where it stands in the training rows, and how far it is. */
export interface Near {
  readonly row: number;
  readonly distance: number;
}

export function nearOf({ indices, distances, k }: Nearest, row: number): Near[] {
  return Array.from({ length: k }, (_, at) => ({
    row: indices[row * k + at],
    distance: distances[row * k + at],
  })).filter((near) => near.row !== NO_NEIGHBOR);
}

/** Returns the rows that were predicted wrong, first those that the fewest neighbours vote right. */
export function wrongRows({ rows, train, label, neighbors, truth, predicted }: Judged): number[] {
  const labels = train.column(label);
  const right = (row: number) =>
    nearOf(neighbors, row).filter((near) => cellOf(labels, near.row) === truth[row]).length;
  return rowsOf(rows)
    .filter((row) => isKnown(truth[row]) && predicted[row] !== truth[row])
    .map((row) => ({ row, right: right(row) }))
    .sort((a, b) => a.right - b.right || a.row - b.row)
    .map(({ row }) => row);
}

export function isKnown(value: Label | null): value is Label {
  return value !== null && !Number.isNaN(value);
}

export function rowsOf({ rows }: Table): number[] {
  return Array.from({ length: rows }, (_, row) => row);
}

/** Returns how rows of a table are called: by the id column, else by the line or the number in the file. */
export function namesOfRows(table: Table, id: string | undefined): (row: number) => string {
  if (id !== undefined && table.has(id)) {
    const cells = cellsOfRows(table.select([id]));
    return (row) => String(cells(row)[0] ?? "");
  }
  return (row) => {
    const place = table.origin?.placeOf(row) ?? { row };
    return "line" in place ? `line\u00a0${place.line}` : `row\u00a0${place.row}`;
  };
}
