/** Writes neighbours as a file: a table of them all, or a matrix of their indices. */
import { writeGroundTruth, writeMatrix, writeTable } from "../../io/index.ts";
import type { CsvWriteOptions, FormatName, Pieces } from "../../io/index.ts";
import { neighbourTable } from "../../models/neighbourTable.ts";
import { InvalidInputError } from "../../node.ts";
import type { KnnResult } from "../../node.ts";
import { Table, type Column, type TableStream } from "../../table/index.ts";

/** These columns are written beside each pair; the tables have them. */
export interface CarriedColumns {
  readonly names: readonly string[];
  readonly train: Table;
  readonly queries: Table;
}

export function neighbourPieces(
  result: Omit<KnnResult, "explanation">,
  format: FormatName,
  csv: CsvWriteOptions,
  carried?: CarriedColumns,
): Pieces {
  const { indices, queries, k } = result;
  if (format === "ibin") return writeGroundTruth(result);
  if (format !== "csv" && format !== "jsonl" && format !== "json" && format !== "parquet")
    return writeMatrix(format, { data: indices, rows: queries, cols: k });
  const pairs = neighbourTable(result);
  return writeTable(format, carried === undefined ? pairs : withColumns(pairs, carried), csv);
}

/**
 * Adds columns of both rows to each pair, where their tables have them: NAME of the query and nearest(NAME)
 * of its neighbour.
 * @throws InvalidInputError where two columns would have one name
 */
function withColumns(pairs: TableStream, { names, train, queries }: CarriedColumns): TableStream {
  const own = names.filter((name) => queries.has(name)).map((name) => queries.column(name));
  const nearest = names
    .filter((name) => train.has(name))
    .map((name) => ({ ...train.column(name), name: `nearest(${name})` }));
  const added = [...own, ...nearest];
  const all = [...pairs.schema.map(({ name }) => name), ...added.map(({ name }) => name)];
  const twice = all.find((name, at) => all.indexOf(name) < at);
  if (twice !== undefined)
    throw new InvalidInputError(
      `the result would have two columns ${JSON.stringify(twice)}; rename the one of the files, or leave it out of --id and --carry`,
    );
  return {
    ...pairs,
    schema: [...pairs.schema, ...added.map(({ name, kind }) => ({ name, kind }))],
    async *chunks(options) {
      for await (const chunk of pairs.chunks(options)) {
        const taken = (columns: readonly Column[], rows: "query" | "index") =>
          columns.length === 0 ? [] : new Table(columns).take(numbersOf(chunk, rows)).columns;
        yield new Table([...chunk.columns, ...taken(own, "query"), ...taken(nearest, "index")]);
      }
    },
  };
}

function numbersOf(table: Table, name: string): ArrayLike<number> {
  const column = table.column(name);
  return column.kind === "numeric" ? column.values : [];
}
