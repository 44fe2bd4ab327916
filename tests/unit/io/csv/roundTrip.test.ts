/** Properties of writing and reading together. fast-check prints the seed of a failure. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCsv } from "../../../../src/io/csv/read.ts";
import { cellsOf, writeCsv, type CsvCell } from "../../../../src/io/csv/write.ts";
import type { NumericColumn } from "../../../../src/table/column.ts";
import { Table } from "../../../../src/table/table.ts";
import { inPieces, plain, read } from "./helpers.ts";

const awkward = fc
  .array(
    fc.constantFrom(
      '"',
      '""',
      ",",
      ";",
      "\t",
      "|",
      "\n",
      "\r",
      "\r\n",
      " ",
      "\uFEFF",
      "a",
      "1",
      ".",
      "é",
      "😀",
    ),
  )
  .map((parts) => parts.join(""));
const cell = fc.oneof(awkward, fc.string({ unit: "grapheme" })).filter((text) => !text.includes("\0"));
const numberLike = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map((value) => value.toFixed(2)),
  fc.constantFrom(
    "007",
    "+1",
    " 5",
    "5 ",
    "1e3",
    "-0.0",
    "1.",
    ".5",
    "NA",
    "?",
    "",
    " ",
    "12345678901234567890",
    "inf",
  ),
);
const delimiter = fc.constantFrom(",", ";", "\t", "|", "^", " ");

const written = (header: readonly string[], rows: readonly (readonly CsvCell[])[], options = {}) =>
  [...writeCsv(header, rows, options)].join("");
const bytesOf = (text: string) => new TextEncoder().encode(text);

describe("writing and reading again", () => {
  it("gives the same strings", async () => {
    const tables = fc.integer({ min: 1, max: 4 }).chain((cols) =>
      fc.record({
        header: fc.uniqueArray(
          cell.filter((name) => name.trim() !== "" && !/^[ \t#]|[ \t]$|^sep=/i.test(name)),
          { minLength: cols, maxLength: cols },
        ),
        rows: fc.array(fc.array(cell, { minLength: cols, maxLength: cols }), { minLength: 1, maxLength: 8 }),
        delimiter,
        newline: fc.constantFrom("\n", "\r\n"),
        size: fc.constantFrom(1, 2, 3, 7, 1 << 16),
      }),
    );
    await fc.assert(
      fc.asyncProperty(tables, async ({ header, rows, delimiter, newline, size }) => {
        const text = written(header, rows, { delimiter, newline });
        const table = await readCsv(inPieces(bytesOf(text), size), { delimiter, na: [], nominal: header });
        expect(table.names).toEqual(header);
        expect([...cellsOf(table)]).toEqual(rows);
      }),
      { numRuns: 300 },
    );
  });

  it("gives the same bits of every finite number, minus zero too", async () => {
    const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
      minLength: 1,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(numbers, fc.constantFrom(".", ","), async (values, decimal) => {
        const text = written(
          ["x"],
          values.map((value) => [value]),
          { decimal },
        );
        const column = (await read(text, { decimal, delimiter: "|" })).column("x") as NumericColumn;
        expect(column.kind).toBe("numeric");
        expect(new BigUint64Array(column.values.buffer)).toEqual(
          new BigUint64Array(Float64Array.from(values).buffer),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("gives the same table with gaps", async () => {
    const table = Table.fromColumns({ n: [1.5, null, -3], s: ["x", null, "NA "], t: [null, "a,b", "c"] });
    const again = await read(written(table.names, [...cellsOf(table)]), { na: [""] });
    expect(plain(again)).toEqual(plain(table));
  });
});

describe("type inference", () => {
  it("loses no text: the cells kept are the cells written, whatever the types turn out to be", async () => {
    const rows = fc.array(
      fc.tuple(numberLike, fc.oneof({ weight: 9, arbitrary: numberLike }, { weight: 1, arbitrary: cell })),
      {
        minLength: 1,
        maxLength: 30,
      },
    );
    await fc.assert(
      fc.asyncProperty(rows, fc.constantFrom(1, 7, 1 << 16), async (cells, size) => {
        const text = written(
          ["a", "b", "text"],
          cells.map((row) => [...row, "x"]),
        );
        const bytes = bytesOf(text);
        const read = () => readCsv(inPieces(bytes, size), { keepText: true, delimiter: "," });
        const table = await read().catch((error: Error) => error.message);
        if (typeof table === "string") {
          expect(table).toMatch(/beyond 2\^53|not a finite number/);
          return;
        }
        expect(cells.map((_, row) => table.origin!.textOf!(row))).toEqual(cells.map((row) => [...row, "x"]));
        for (const column of table.columns.slice(0, 2)) {
          if (column.kind === "numeric") continue;
          const j = column.name === "a" ? 0 : 1;
          cells.forEach((row, at) => expect([row[j], null]).toContain(plain(table)[column.name][at]));
        }
      }),
      { numRuns: 300 },
    );
  });

  it("does not depend on the pieces in which any text arrives, valid or not", async () => {
    const anyText = fc
      .array(
        fc.constantFrom('"', '""', ",", ";", "\n", "\r\n", "\r", " ", "a", "1", "2.5", "x\n", "\uFEFF", "é"),
        { maxLength: 30 },
      )
      .map((parts) => `h,k${parts.join("")}`);
    const outcome = (bytes: Uint8Array, size: number) =>
      readCsv(inPieces(bytes, size), { keepText: true }).then(
        (table) =>
          JSON.stringify([
            plain(table),
            Array.from({ length: table.rows }, (_, row) => table.origin!.placeOf(row)),
          ]),
        (error: Error) => error.message,
      );
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const bytes = bytesOf(text);
        const whole = await outcome(bytes, 1 << 16);
        for (const size of [1, 2, 3, 7]) expect(await outcome(bytes, size)).toBe(whole);
      }),
      { numRuns: 300 },
    );
  });
});
