/** `splitTable` divides the rows of a table into tables, such as one to train on and one to test with. */
import { InvalidInputError } from "../../core/errors.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { cellOf } from "../../table/column.ts";
import type { Column } from "../../table/column.ts";
import type { Table } from "../../table/table.ts";
import { DEFAULT_SEED, partition } from "./partition.ts";
import type { Sampling } from "./partition.ts";

/**
 * `splitTable` takes these options.
 * @example
 * const options: SplitOptions = { ratios: [1, 1], label: "species" };
 * const table = Table.fromColumns({ species: ["poppy", "poppy", "thistle", "thistle"] });
 * const halves = splitTable(table, options);
 * halves.map((half) => [...encode(half, ["species"]).data]); // => [[0, 1], [0, 1]]
 */
export interface SplitOptions<Ratios extends readonly number[] = readonly number[]> {
  /** They are the relative sizes of the parts, which are scaled to sum to 1. */
  readonly ratios: Ratios;
  /** It is "stratified" by default when `label` is nominal, else "shuffled". */
  readonly sampling?: Sampling | undefined;
  /** "stratified" divides by the classes of this column. */
  readonly label?: string | undefined;
  /** It is a whole number from 0 to 2^48 - 1; default 2001. */
  readonly seed?: number | undefined;
}

const optionNames: OptionNames<SplitOptions> = { ratios: 1, sampling: 1, label: 1, seed: 1 };

/**
 * Returns one table per ratio, each with its rows in their order in `table`; they share its dictionaries. A
 * missing label counts as a class of its own. The rule and the generator are those of RapidMiner's Split Data
 * with a local seed.
 * @example
 * const table = Table.fromColumns({
 *   height: [91, 87, 94, 89, 42, 40, 44, 41],
 *   species: ["thistle", "thistle", "thistle", "thistle", "poppy", "poppy", "poppy", "poppy"],
 * });
 * const [train, test] = splitTable(table, { ratios: [0.75, 0.25], label: "species" });
 * train.rows; // => 6
 * test.rows; // => 2
 * @throws InvalidInputError for invalid ratios or an invalid seed, or "stratified" without a label
 */
export function splitTable<const Ratios extends readonly number[]>(
  table: Table,
  options: SplitOptions<Ratios>,
): { -readonly [Part in keyof Ratios]: Table } {
  checkOptions(options, "splitTable", optionNames);
  const { ratios, label, seed = DEFAULT_SEED } = options;
  const column = label === undefined ? undefined : table.column(label);
  const { sampling = column?.kind === "nominal" ? "stratified" : "shuffled" } = options;
  if (sampling === "stratified" && !column) {
    throw new InvalidInputError("stratified sampling needs a label; name the column of the classes");
  }
  const parts = partition(table.rows, ratios, column ? classNames(column, table.rows) : [], {
    sampling,
    seed,
  });
  const tables = ratios.map((_, part) => table.take(rowsWhere(parts, (own) => own === part)));
  return tables as { -readonly [Part in keyof Ratios]: Table };
}

/** Returns the class of each row as a text; "" where it is missing. */
export function classNames(column: Column, rows: number): string[] {
  return Array.from({ length: rows }, (_, row) => String(cellOf(column, row) ?? ""));
}

export function rowsWhere(parts: Uint32Array, wanted: (part: number) => boolean): number[] {
  const rows: number[] = [];
  parts.forEach((part, row) => {
    if (wanted(part)) rows.push(row);
  });
  return rows;
}
