/** What the CSV tests share: reading text, in pieces if wanted, and looking at the result as plain values. */
import { expect } from "vitest";
import { InvalidInputError } from "../../../../src/core/errors.ts";
import { openCsv } from "../../../../src/io/csv/stream.ts";
import { readCsv } from "../../../../src/io/csv/read.ts";
import type { CsvOptions } from "../../../../src/io/csv/options.ts";
import type { ByteSource } from "../../../../src/io/bytes/source.ts";
import { cellOf } from "../../../../src/table/column.ts";
import { collectTable } from "../../../../src/table/collect.ts";
import type { Table } from "../../../../src/table/table.ts";

/** The bytes in pieces of `size`. */
export function inPieces(bytes: Uint8Array, size: number, name = "x.csv"): ByteSource {
  return {
    name,
    byteLength: bytes.length,
    async *stream() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
    },
  };
}

/** A source that is a pipe: neither its size is known, nor can it be read twice. */
export function pipe(bytes: Uint8Array, size: number, name = "x.csv"): ByteSource {
  return { name, once: true, stream: () => inPieces(bytes, size).stream() };
}

export function read(text: string, options?: CsvOptions): Promise<Table> {
  return readCsv(inPieces(new TextEncoder().encode(text), 1 << 16), options);
}

/** The error of a read that must fail, the same for pieces of every size. */
export async function failure(input: string | Uint8Array, options?: CsvOptions): Promise<InvalidInputError> {
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  const errors: InvalidInputError[] = [];
  for (const size of [1 << 16, 1, 2, 3, 7]) {
    const error: unknown = await readCsv(inPieces(bytes, size), options).then(
      () => "no error",
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(InvalidInputError);
    errors.push(error as InvalidInputError);
  }
  for (const error of errors) expect(error.message).toBe(errors[0].message);
  return errors[0];
}

/** Column by column; null for missing cells. */
export function plain(table: Table): Record<string, (number | string | null)[]> {
  return Object.fromEntries(
    table.columns.map((column) => [
      column.name,
      Array.from({ length: table.rows }, (_, row) => cellOf(column, row)),
    ]),
  );
}

/**
 * Reads a text with all readers, whole, in chunks, from a pipe, in pieces of any size, and expects the same
 * table of each.
 */
export async function everyWay(text: string, options: CsvOptions = {}): Promise<Table> {
  const kept = { keepText: true, ...options };
  const whole = await read(text, kept);
  const bytesOf = (all: string) => new TextEncoder().encode(all);
  const facts = (table: Table) => ({
    cells: plain(table),
    types: table.columns.map(({ kind, type }) => [kind, type]),
    lines: Array.from({ length: table.rows }, (_, row) => table.origin?.placeOf(row)),
    texts: Array.from({ length: table.rows }, (_, row) => table.origin?.textOf?.(row)),
    header: table.origin?.header,
    rowNames: table.origin?.rowNames,
  });
  for (const size of [1, 2, 3, 7]) {
    expect(facts(await readCsv(inPieces(bytesOf(text), size), kept))).toEqual(facts(whole));
    for (const source of [inPieces(bytesOf(text), size), pipe(bytesOf(text), size)]) {
      const table = await collectTable(await openCsv(source, kept), { maxRows: 1 });
      expect(facts(table)).toEqual(facts(whole));
    }
  }
  return whole;
}
