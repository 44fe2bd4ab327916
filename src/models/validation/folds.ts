/**
 * Draws the folds of a validation: which rows are tested together. Rows without a label are in none. How
 * equal parts are drawn from classes is in partition.ts; groups of rows are kept together here.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { cellOf, isMissing } from "../../table/column.ts";
import type { Table } from "../../table/table.ts";
import { DEFAULT_SEED, partition } from "./partition.ts";
import type { Sampling } from "./partition.ts";
import { classNames } from "./split.ts";

/** A row that has no label is in this fold. */
export const NO_FOLD = 0xffffffff;

/**
 * These options say how folds are drawn.
 * @example
 * const options: FoldOptions = { folds: 2, groups: "patient" };
 * const table = Table.fromColumns({ patient: ["p", "p", "q", "q"], x: [1, 2, 3, 4], y: [0, 1, 0, 1] });
 * const model = new KNeighborsRegressor({ nNeighbors: 1 });
 * (await crossValidate(model, table, "y", options)).foldOf; // => [0, 0, 1, 1]
 * model.dispose();
 */
export interface FoldOptions {
  /**
   * There are this many folds, from 2 to the number of rows with a label (or of groups); default 10.
   * "leave-one-out" tests every row, or every group, alone.
   */
  readonly folds?: number | "leave-one-out" | undefined;
  /** It is "stratified" for classes and "shuffled" for numbers by default; not allowed with `groups`. */
  readonly sampling?: Sampling | undefined;
  /** It is a whole number from 0 to 2^48 - 1; default 2001; not allowed with `groups`. */
  readonly seed?: number | undefined;
  /**
   * Rows with equal values of this column, such as a patient's number, stay in one fold. It is not a feature.
   * Groups are placed, the largest first, in the fold with the fewest rows, as in scikit-learn's GroupKFold;
   * equally large groups go in order of appearance.
   */
  readonly groups?: string | undefined;
}

export const foldNames = { folds: 1, sampling: 1, seed: 1, groups: 1 } as const;

/** A table's rows are in these folds. */
export interface Folds {
  /** It has the fold of each row, NO_FOLD where the row has no label. */
  readonly foldOf: Uint32Array;
  readonly folds: number;
  /** So many rows have no label. */
  readonly unlabelled: number;
}

/** @throws InvalidInputError for folds that cannot be drawn, or rows without a group */
export function drawFolds(table: Table, label: string, classes: boolean, options: FoldOptions): Folds {
  const column = table.column(label);
  const rows = Array.from({ length: table.rows }, (_, row) => row).filter((row) => !isMissing(column, row));
  const groups = options.groups === undefined ? undefined : groupsOf(table, label, options.groups, rows);
  const most = groups?.length ?? rows.length;
  const { folds: wanted = 10 } = options;
  const folds = wanted === "leave-one-out" ? most : wanted;
  if (!Number.isInteger(folds) || folds < 2 || folds > most) {
    const what = groups === undefined ? "rows with a label" : `groups of ${JSON.stringify(options.groups)}`;
    throw new InvalidInputError(
      `${folds} folds of ${most} ${what}; expected a whole number from 2 to the number of ` +
        `${groups === undefined ? "rows" : "groups"}`,
    );
  }
  const foldOf = new Uint32Array(table.rows).fill(NO_FOLD);
  const unlabelled = table.rows - rows.length;
  if (groups !== undefined) {
    const drawn = (["sampling", "seed"] as const).find((name) => options[name] !== undefined);
    if (drawn !== undefined)
      throw new InvalidInputError(`groups are dealt by size; leave out (option ${drawn})`);
    dealGroups(groups, folds, foldOf);
    return { foldOf, folds, unlabelled };
  }
  const { sampling = classes ? "stratified" : "shuffled", seed = DEFAULT_SEED } = options;
  const names = classNames(column, table.rows);
  const parts = partition(
    rows.length,
    new Array<number>(folds).fill(1),
    rows.map((row) => names[row]),
    { sampling: wanted === "leave-one-out" ? "linear" : sampling, seed },
  );
  rows.forEach((row, i) => (foldOf[row] = parts[i]));
  return { foldOf, folds, unlabelled };
}

/** Returns the rows of each group, in order of first appearance. */
function groupsOf(table: Table, label: string, name: string, rows: readonly number[]): number[][] {
  if (name === label)
    throw new InvalidInputError(
      `column ${JSON.stringify(name)} is both the label and the groups; choose one`,
    );
  const column = table.column(name);
  const groups = new Map<number | string, number[]>();
  for (const row of rows) {
    const value = cellOf(column, row);
    if (value === null) {
      const place =
        table.origin === undefined ? { row } : { file: table.origin.file, ...table.origin.placeOf(row) };
      throw new InvalidInputError("the group is missing; fill it in or remove the row", {
        ...place,
        column: name,
      });
    }
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

function dealGroups(groups: readonly number[][], folds: number, foldOf: Uint32Array): void {
  const sizes = new Float64Array(folds);
  for (const rows of [...groups].sort((a, b) => b.length - a.length)) {
    const fold = sizes.indexOf(Math.min(...sizes));
    sizes[fold] += rows.length;
    for (const row of rows) foldOf[row] = fold;
  }
}
