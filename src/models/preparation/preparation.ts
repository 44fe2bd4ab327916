/**
 * These are the steps of preparation. Each is fitted on training rows and then applied to any table with the
 * same columns, so that nothing of a test row leaks into it. Steps are pure apart from what `fit` remembers.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { Bitset } from "../../table/bitset.ts";
import { MISSING_CODE } from "../../table/column.ts";
import type { Column, NominalColumn, NumericColumn } from "../../table/column.ts";
import { Dictionary } from "../../table/dictionary.ts";
import { Table } from "../../table/table.ts";

/**
 * A preparation step learns from training rows, and is then applied to any table before it reaches a model.
 * @example
 * const steps: Preparation[] = [new ReplaceMissingValues(), new Normalize({ method: "range" })];
 * let table = Table.fromColumns({ x: [0, null, 10] });
 * for (const step of steps) table = step.fit(table).transform(table);
 * encode(table, ["x"]).data; // => [0, 0.5, 1]
 */
export interface Preparation {
  /**
   * Learns from the rows given; fitting again forgets what was learnt before.
   * @param columns the columns to change; default all, so name them to leave out a label
   * @returns this
   */
  fit(table: Table, columns?: readonly string[]): this;
  /**
   * Returns a table with changed columns; rows, other columns and origin stay.
   * @throws InvalidInputError before `fit`, or for a table that lacks a column or has one of another kind
   */
  transform(table: Table): Table;
  /**
   * Returns what a model file keeps of the step, and what `preparationOf` makes into a step again: plain
   * data, all numbers finite.
   */
  toState(): PreparationState;
  /**
   * Returns a step that prepares as this one does now, whatever this one learns later. While a pipeline is
   * fitted again, it prepares rows with such copies. If a step of your own class lacks this method, the
   * pipeline rejects rows during a fit and after one that failed; `Normalize` and `ReplaceMissingValues` need
   * none.
   */
  copy?(): Preparation;
}

/**
 * It has what a step has learnt, as plain data.
 * @example
 * const fitted = new Normalize({ method: "range" }).fit(Table.fromColumns({ x: [0, 10] }));
 * const state = JSON.parse(JSON.stringify(fitted.toState())) as PreparationState;
 * const step = Normalize.fromState(state);
 * encode(step.transform(Table.fromColumns({ x: [5] })), ["x"]).data; // => [0.5]
 */
export interface PreparationState {
  readonly step: string;
  readonly options: object;
  /** Each changed column has an entry. */
  readonly columns: readonly (readonly [name: string, learnt: unknown])[];
}

/** Returns a table in which `change` has replaced the columns of these names. */
export function changeColumns<Learnt>(
  table: Table,
  learnt: ReadonlyMap<string, Learnt>,
  change: (column: Column, learnt: Learnt) => Column,
): Table {
  for (const name of learnt.keys()) table.column(name);
  const columns = table.columns.map((column) => {
    const known = learnt.get(column.name);
    return known === undefined ? column : change(column, known);
  });
  return new Table(columns, table.origin);
}

/**
 * Returns a column as the kind it had in training. Only a column without any value changes, whose kind cannot
 * be told from its cells.
 * @throws InvalidInputError for a column that is numeric in one table and nominal in the other
 */
export function asNumeric(column: Column, table: Table): NumericColumn {
  if (column.kind === "numeric") return column;
  if (hasValue(column)) throw kindDiffers(column, table);
  const { name, codes } = column;
  return {
    kind: "numeric",
    name,
    values: new Float64Array(codes.length).fill(NaN),
    valid: new Bitset(codes.length),
  };
}

/** Does for a nominal column what asNumeric does for a numeric one. */
export function asNominal(column: Column, table: Table): NominalColumn {
  if (column.kind === "nominal") return column;
  if (hasValue(column)) throw kindDiffers(column, table);
  const { name, values } = column;
  const codes = new Uint32Array(values.length).fill(MISSING_CODE);
  return { kind: "nominal", name, codes, dictionary: new Dictionary(), valid: new Bitset(values.length) };
}

function hasValue({ valid }: Column): boolean {
  return valid === undefined || valid.count() > 0;
}

function kindDiffers({ name, kind }: Column, { origin }: Table): InvalidInputError {
  const text = kind === "nominal" ? origin?.firstText(name) : undefined;
  const why = text === undefined ? "" : ` (${JSON.stringify(text.text)} is not a number)`;
  return new InvalidInputError(
    `is ${kind} here${why} but ${kind === "numeric" ? "nominal" : "numeric"} in training; read it the same way in both`,
    {
      ...(origin === undefined ? {} : { file: origin.file }),
      ...(text === undefined ? {} : { line: text.line }),
      column: name,
    },
  );
}

/** @throws InvalidInputError unless the step was fitted */
export function learntBy<Learnt>(step: string, learnt: ReadonlyMap<string, Learnt> | undefined) {
  if (learnt) return learnt;
  throw new InvalidInputError(`${step} is not fitted yet; call fit(table) first`);
}
