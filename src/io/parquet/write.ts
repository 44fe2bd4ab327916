/**
 * This module writes tables to a Parquet file, row group by row group, by hyparquet-writer. Numbers are
 * DOUBLE, stored as they are; dates and times are microseconds; texts are STRING; missing cells are null.
 * Pages are compressed with Snappy.
 */
import type { ByteWriter } from "hyparquet-writer";
import { InvalidInputError } from "../../core/errors.ts";
import { cellOf, isMissing, type Column, type NumericColumn } from "../../table/column.ts";
import type { Table } from "../../table/table.ts";
import { wellFormed } from "../bytes/utf8.ts";

/** A row group has so many rows, as many as DuckDB and Arrow write. */
const GROUP_ROWS = 122_880;

/**
 * Writes the file in pieces. Chunks of a stream become row groups; larger tables are split.
 * @throws InvalidInputError when there is no table, or tables differ in their columns.
 */
export async function* writeParquet(
  tables: Iterable<Table> | AsyncIterable<Table>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
  const bytes = new ByteWriter();
  let writer: InstanceType<typeof ParquetWriter> | undefined;
  let schema = "";
  for await (const table of tables) {
    for (const column of table.columns) {
      wellFormed(column.name);
      if (column.kind === "nominal") column.dictionary.values.forEach(wellFormed);
    }
    const columns = table.columns.map(elementOf);
    const found = JSON.stringify(columns);
    if (writer === undefined) {
      const root = { name: "root", num_children: columns.length };
      writer = new ParquetWriter({ writer: bytes, schema: [root, ...columns], createdBy: "nearfield" });
      schema = found;
    }
    if (found !== schema)
      throw new InvalidInputError("tables of other columns cannot be written to one file");
    await writer.write({ columnData: table.columns.map(columnData), rowGroupSize: GROUP_ROWS });
    yield taken(bytes);
  }
  if (writer === undefined)
    throw new InvalidInputError("a Parquet file needs columns, but there is no table to write");
  await writer.finish();
  yield taken(bytes);
}

/** Takes what was written since the last call; the writer goes on counting from the start of the file. */
function taken(writer: ByteWriter): Uint8Array<ArrayBuffer> {
  const piece = writer.getBytes().slice();
  writer.index = 0;
  return piece;
}

function elementOf(column: Column) {
  const { name, kind, type } = column;
  const repetition = { name, repetition_type: "OPTIONAL" } as const;
  if (kind === "numeric" && (type === "date" || type === "time")) {
    const isAdjustedToUTC = column.zone !== undefined;
    const logical = {
      type: type === "date" ? "TIMESTAMP" : "TIME",
      isAdjustedToUTC,
      unit: "MICROS",
    } as const;
    return { ...repetition, type: "INT64", logical_type: logical } as const;
  }
  return kind === "numeric"
    ? ({ ...repetition, type: "DOUBLE" } as const)
    : ({
        ...repetition,
        type: "BYTE_ARRAY",
        converted_type: "UTF8",
        logical_type: { type: "STRING" },
      } as const);
}

/** Returns the data of a column. Numbers go without a dictionary, where -0 would become 0. */
function columnData(column: Column) {
  const { name } = column;
  if (column.kind === "numeric" && (column.type === "date" || column.type === "time"))
    return { name, data: micros(column), encoding: "PLAIN" as const };
  if (column.kind === "numeric") {
    if (column.valid === undefined) return { name, data: column.values, encoding: "PLAIN" as const };
    return { name, data: cells(column, column.values.length), encoding: "PLAIN" as const };
  }
  return { name, data: cells(column, column.codes.length) };
}

function micros(column: NumericColumn): (bigint | null)[] {
  return Array.from(column.values, (ms, row) =>
    isMissing(column, row) ? null : BigInt(Math.round(ms * 1000)),
  );
}

function cells(column: Column, rows: number): (number | string | null)[] {
  return Array.from({ length: rows }, (_, row) => cellOf(column, row));
}
