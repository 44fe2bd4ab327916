/** Finds what about the rows of a run makes neighbours answer badly, for its summary. */
import { dataHints, type DataHint, type DataHintOptions } from "../../node.ts";
import type { Table } from "../../table/index.ts";
import { nameOf, type FileHint } from "./tables.ts";

/** Returns the hints on training rows. */
export function trainHints(
  train: Table,
  features: readonly string[],
  options: DataHintOptions,
): readonly FileHint[] {
  return inFile(train, dataHints(train, features, options));
}

/** Returns the hint on rows to predict, or to find neighbours of, that have nothing to compare. */
export function queryHints(
  queries: Table,
  features: readonly string[],
  { preparation }: Pick<DataHintOptions, "preparation">,
): readonly FileHint[] {
  const found = dataHints(queries, features, { preparation });
  return inFile(
    queries,
    found.filter(({ what }) => what === "nothing to compare"),
  );
}

function inFile(table: Table, hints: readonly DataHint[]): FileHint[] {
  return hints.map(({ what, columns, value, option }) => ({
    file: nameOf(table),
    ...(columns.length === 1 ? { column: columns[0] } : {}),
    what,
    value,
    option,
    mends: true,
  }));
}
