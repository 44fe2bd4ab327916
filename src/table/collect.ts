/**
 * This module puts the chunks of a stream together again: one table of all its rows, which must fit into
 * memory.
 */
import { untilAborted } from "../core/async/aborted.ts";
import { assert } from "../core/errors.ts";
import { Bitset } from "./bitset.ts";
import { columnLength, type Column } from "./column.ts";
import { Dictionary } from "./dictionary.ts";
import { chunkRows } from "./stream.ts";
import type { ColumnSchema, TableChunkOptions, TableStream } from "./stream.ts";
import { Table, type TableOrigin } from "./table.ts";

/**
 * Collects all rows of a stream into one table.
 * @example
 * import { collectTable, openTable, textSource } from "nearfield";
 *
 * const stream = await openTable(textSource("x,y\n1,2\n3,4\n", "points.csv"));
 * const table = await collectTable(stream);
 * table.rows; // => 2
 */
export async function collectTable(stream: TableStream, options?: TableChunkOptions): Promise<Table> {
  chunkRows(options ?? {});
  const chunks: Table[] = [];
  for await (const chunk of untilAborted(stream.chunks(options), options?.signal)) chunks.push(chunk);
  if (chunks.length === 0) return new Table(stream.schema.map(emptyColumn));
  if (chunks.length === 1) return chunks[0];
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0);
  return new Table(
    stream.schema.map((_, at) =>
      joinColumn(
        chunks.map(({ columns }) => columns[at]),
        rows,
      ),
    ),
    joinOrigins(chunks),
  );
}

function emptyColumn({ name, kind }: ColumnSchema): Column {
  return kind === "numeric"
    ? { kind, name, values: new Float64Array(0) }
    : { kind, name, codes: new Uint32Array(0), dictionary: new Dictionary() };
}

function joinColumn(parts: readonly Column[], rows: number): Column {
  const [first] = parts;
  const valid = parts.some((part) => part.valid) ? { valid: joinBits(parts, rows) } : {};
  if (first.kind === "numeric") {
    const values = new Float64Array(rows);
    let at = 0;
    for (const part of parts) {
      assert(part.kind === "numeric", "chunks of a stream have the same columns");
      values.set(part.values, at);
      at += part.values.length;
    }
    const { valid: _, ...rest } = first;
    return { ...rest, values, ...valid };
  }
  const codes = new Uint32Array(rows);
  let at = 0;
  for (const part of parts) {
    assert(
      part.kind === "nominal" && part.dictionary === first.dictionary,
      "chunks of a stream share dictionaries",
    );
    codes.set(part.codes, at);
    at += part.codes.length;
  }
  const { valid: _, ...rest } = first;
  return { ...rest, codes, ...valid };
}

function joinBits(parts: readonly Column[], rows: number): Bitset {
  const valid = Bitset.full(rows);
  let begin = 0;
  for (const part of parts) {
    const length = columnLength(part);
    if (part.valid) valid.copyFrom(part.valid, begin);
    begin += length;
  }
  return valid;
}

function joinOrigins(chunks: readonly Table[]): TableOrigin | undefined {
  const [{ origin: first }] = chunks;
  if (first === undefined) return undefined;
  const begins: number[] = [];
  let rows = 0;
  for (const chunk of chunks) {
    begins.push(rows);
    rows += chunk.rows;
  }
  const origins = chunks.map(({ origin }) => origin ?? first);
  const partOf = (row: number): [TableOrigin, number] => {
    let low = 0;
    let high = begins.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (begins[middle] <= row) low = middle;
      else high = middle;
    }
    return [origins[low], row - begins[low]];
  };
  return {
    file: first.file,
    header: first.header,
    ...(first.rowNames === undefined ? {} : { rowNames: first.rowNames }),
    firstText: (column) => first.firstText(column),
    placeOf: (row) => {
      const [origin, at] = partOf(row);
      return origin.placeOf(at);
    },
    ...(first.textOf === undefined
      ? {}
      : {
          textOf: (row: number) => {
            const [origin, at] = partOf(row);
            return origin.textOf?.(at) ?? [];
          },
        }),
  };
}
