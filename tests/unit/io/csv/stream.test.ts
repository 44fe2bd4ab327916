/** CSV in chunks: the same tables as all at once, however the file arrives, and what a pipe cannot tell. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCsv } from "../../../../src/io/csv/read.ts";
import type { CsvOptions } from "../../../../src/io/csv/options.ts";
import { openCsv } from "../../../../src/io/csv/stream.ts";
import type { ByteSource } from "../../../../src/io/bytes/source.ts";
import { collectTable } from "../../../../src/table/collect.ts";
import type { NominalColumn } from "../../../../src/table/column.ts";
import type { Table } from "../../../../src/table/table.ts";
import { inPieces, plain } from "./helpers.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** As a pipe: a second reading is a failure of the test. */
function pipe(text: string, size = 7): ByteSource {
  const { name, stream } = inPieces(bytesOf(text), size, "pipe");
  let read = false;
  return {
    name,
    once: true,
    stream: () => {
      expect(read).toBe(false);
      read = true;
      return stream();
    },
  };
}

async function chunksOf(
  source: ByteSource,
  maxRows: number,
  options?: CsvOptions,
  lookChars?: number,
): Promise<Table[]> {
  const stream = await openCsv(source, options, lookChars);
  const chunks: Table[] = [];
  for await (const chunk of stream.chunks({ maxRows })) chunks.push(chunk);
  return chunks;
}

/** Everything that a user sees of a table. */
function facts(table: Table): unknown {
  return {
    columns: plain(table),
    kinds: table.columns.map(({ kind }) => kind),
    texts: table.columns.map(({ name }) => table.origin?.firstText(name)),
    places: Array.from({ length: table.rows }, (_, row) => table.origin?.placeOf(row)),
    cells: Array.from({ length: table.rows }, (_, row) => table.origin?.textOf?.(row)),
  };
}

const cell = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value.toExponential()),
  fc.constantFrom("", "NA", "1", "-0", "007", " 5", "x", "a longer text than thirteen", "é", '"q,""\n"'),
);
const file = fc
  .tuple(fc.array(fc.tuple(cell, cell, fc.constantFrom("1", "2.5", "")), { minLength: 1, maxLength: 20 }))
  .map(([rows]) => `a,b,c\n${rows.map((row) => row.join(",")).join("\n")}\n`);

describe("a CSV file in chunks", () => {
  it("is the table that reading at once gives, for chunks and pieces of every size", async () => {
    await fc.assert(
      fc.asyncProperty(
        file,
        fc.integer({ min: 1, max: 25 }),
        fc.integer({ min: 1, max: 40 }),
        async (text, maxRows, size) => {
          const source = inPieces(bytesOf(text), size);
          const whole = await readCsv(source, { keepText: true });
          const stream = await openCsv(source, { keepText: true });
          expect(stream.rows).toBe(whole.rows);
          expect(facts(await collectTable(stream, { maxRows }))).toEqual(facts(whole));
          const chunks = await chunksOf(pipe(text, size), maxRows, { keepText: true });
          expect(chunks.every(({ rows }, at) => rows === maxRows || at === chunks.length - 1)).toBe(true);
          expect(chunks.flatMap((chunk) => plain(chunk)["b"])).toEqual(plain(whole)["b"]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("shares one dictionary, also between two readings at the same time", async () => {
    const stream = await openCsv(inPieces(bytesOf("a\nx\ny\nx\nz\n"), 3));
    const codes = async () => {
      const all: number[] = [];
      for await (const { columns } of stream.chunks({ maxRows: 1 })) {
        all.push(...(columns[0] as NominalColumn).codes);
        await Promise.resolve();
      }
      return all;
    };
    expect(await Promise.all([codes(), codes()])).toEqual([
      [0, 1, 0, 2],
      [0, 1, 0, 2],
    ]);
  });

  it("says what it found out and how to say otherwise", async () => {
    const stream = await openCsv(inPieces(bytesOf("a;b\n1;x\n;2\n"), 5), { na: ["", "-"] });
    expect(stream.schema).toEqual([
      { name: "a", kind: "numeric" },
      { name: "b", kind: "nominal", firstText: { line: 2, text: "x" } },
    ]);
    expect(stream.guesses.map(({ what, value }) => `${what}: ${value}`)).toEqual([
      "column names: from line 1",
      'delimiter: ";", found in the first lines',
      'decimal separator: "."',
      "missing values: empty cells, -",
    ]);
  });

  it("keeps the texts of all columns within the budget", async () => {
    const rows = Array.from({ length: 100 }, (_, row) => `name ${row}`);
    const source = inPieces(bytesOf(`id\n${rows.join("\n")}\n`), 64);
    await expect(chunksOf(source, 10, { memory: 5000 })).rejects.toThrow(
      /^x\.csv, column "id": has \d\d different texts so far, .* 5000 bytes; leave columns out .* \(option memory\)$/,
    );
    expect(await chunksOf(source, 10, { memory: 50_000 })).toHaveLength(10);
  });

  it("refuses chunks of no rows", async () => {
    const stream = await openCsv(inPieces(bytesOf("a\n1\n"), 5));
    expect(() => stream.chunks({ maxRows: 0 })).toThrow(
      "maxRows is 0; expected a whole number of at least 1",
    );
  });
});

describe("a CSV file from a pipe, longer than what is looked at", () => {
  const numbers = Array.from({ length: 50 }, (_, row) => `${row},1.5`).join("\n");

  it("reads to the end when the rest is like the start", async () => {
    const stream = await openCsv(pipe(`a,b\n${numbers}\n`), {}, 40);
    expect(stream.rows).toBeUndefined();
    const table = await collectTable(stream, { maxRows: 7 });
    expect(plain(table)["a"]).toEqual(Array.from({ length: 50 }, (_, row) => row));
  });

  it("names the cell that contradicts the start, and the option", async () => {
    await expect(chunksOf(pipe(`a,b\n${numbers}\n7,oak\n`), 7, {}, 40)).rejects.toThrow(
      /^pipe, line 52, column "b": "oak" is not a number; the first \d rows made the column numeric; read it as text \(option nominal: b\)/,
    );
    const chunks = await chunksOf(pipe(`a,b\n${numbers}\n7,oak\n`), 100, { nominal: ["b"] }, 40);
    expect(plain(chunks[0])["b"].at(-1)).toBe("oak");
  });

  it("cannot be read twice", async () => {
    const stream = await openCsv(pipe("a\n1\n"));
    expect(stream.once).toBe(true);
    await collectTable(stream);
    await expect(collectTable(stream)).rejects.toThrow("pipe: can be read only once; put it into a file");
  });
});
