/** Dates and times in CSV and JSON lines: read as milliseconds, told from words, written back as dates. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesSource, textSource } from "../../../src/io/bytes/source.ts";
import { cellsOf } from "../../../src/io/csv/write.ts";
import { openTable, readTable } from "../../../src/io/read.ts";
import { writeTable } from "../../../src/io/write.ts";
import { encode } from "../../../src/table/encode.ts";
import { collectTable } from "../../../src/table/collect.ts";
import type { Column } from "../../../src/table/column.ts";
import { Table } from "../../../src/table/table.ts";
import { everyWay, failure, plain, read } from "./csv/helpers.ts";

const typeOf = ({ columns: [column] }: Table) => column.type;
const column = (...cells: string[]) => `t,n\n${cells.map((cell) => `${cell},x\n`).join("")}`;

async function written(format: "csv" | "jsonl" | "parquet", table: Table): Promise<Uint8Array> {
  const pieces: (string | Uint8Array<ArrayBuffer>)[] = [];
  for await (const piece of writeTable(format, table)) pieces.push(piece);
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

describe("a column of CSV", () => {
  it.each([
    ["2024-01-31", Date.UTC(2024, 0, 31)],
    ["2024/01/31", Date.UTC(2024, 0, 31)],
    ["2024-01-31 12:30", Date.UTC(2024, 0, 31, 12, 30)],
    ["2024-01-31T12:30:05", Date.UTC(2024, 0, 31, 12, 30, 5)],
    ["2024-01-31 12:30:05.125", Date.UTC(2024, 0, 31, 12, 30, 5, 125)],
    ["2024-01-31T12:30:05.000250", Date.UTC(2024, 0, 31, 12, 30, 5) + 0.25],
    ["2024-01-31T12:30:05Z", Date.UTC(2024, 0, 31, 12, 30, 5)],
    ["2024-01-31 12:30:05 UTC", Date.UTC(2024, 0, 31, 12, 30, 5)],
    ["2024-01-31 12:30:05+02:00", Date.UTC(2024, 0, 31, 10, 30, 5)],
    ["2024-01-31 12:30:05-0330", Date.UTC(2024, 0, 31, 16, 0, 5)],
    ["2024-01-31 12:30:05+00", Date.UTC(2024, 0, 31, 12, 30, 5)],
    ["0001-01-01", -62135596800000],
    ["2000-02-29", Date.UTC(2000, 1, 29)],
  ])("reads %s as a date", async (cell, value) => {
    const table = await everyWay(column(cell, "", cell));
    expect(plain(table).t).toEqual([value, null, value]);
    expect(typeOf(table)).toBe("date");
    expect(table.origin?.textOf?.(0)[0]).toBe(cell);
    expect(encode(table, ["t"]).data[0]).toBe(value);
  });

  it.each([
    ["12:30", 45_000_000],
    ["7:05:01", 25_501_000],
    ["23:59:59.999", 86_399_999],
  ])("reads %s as a time of day", async (cell, value) => {
    const table = await everyWay(column(cell));
    expect(plain(table).t).toEqual([value]);
    expect(typeOf(table)).toBe("time");
  });

  it.each([
    "2024-02-30",
    "2023-02-29",
    "2024-13-01",
    "2024-00-10",
    "2024-1-5",
    "2024-01/05",
    "24-01-05",
    "01/02/2024",
    "31.12.2024",
    "Oct 11 2002",
    "2024-01-31 24:00",
    "2024-01-31 12:60",
    "2024-01-31 12:30:60",
    "2024-01-31 12:30:05.1234567",
    "2024-01-31 12:30:05+99:00",
    "24:00",
    "12:60",
    "1:2",
    "12:30:05 PM",
  ])("takes %s for a word", async (cell) => {
    expect(plain(await everyWay(column(cell, "2024-01-31"))).t).toEqual([cell, "2024-01-31"]);
  });

  it("is one of words where some cell is no date, wherever that is, and keeps every text", async () => {
    for (const other of ["x", "2024", "12:30", "2024-01-31T12:30Z", "1e3"]) {
      const cells = ["2024-01-31 12:30:00", "", "2024-02-01 00:00:00.5", "NA", " 2024-03-01 ", other];
      const table = await everyWay(column(...cells));
      expect(plain(table).t).toEqual(cells.map((cell) => (["", "NA"].includes(cell) ? null : cell)));
      expect(table.origin?.firstText("t")).toEqual({ line: 7, text: other });
    }
    expect(plain(await everyWay(column("1", "2024-01-31"))).t).toEqual(["1", "2024-01-31"]);
  });

  it("has dates with times and without, as R and Excel print midnight", async () => {
    const table = await everyWay(column("2024-01-31", "2024-01-31 12:30:00"));
    expect(plain(table).t).toEqual([Date.UTC(2024, 0, 31), Date.UTC(2024, 0, 31, 12, 30)]);
    expect(table.origin?.textOf?.(0)[0]).toBe("2024-01-31");
  });

  it("has gaps where others have dashes", async () => {
    expect(plain(await everyWay(column("2024-01-31", "-"))).t).toEqual([Date.UTC(2024, 0, 31), null]);
  });

  it("is one of texts, or must be one of dates, where the caller says so", async () => {
    expect(plain(await everyWay(column("2024-01-31"), { nominal: ["t"] })).t).toEqual(["2024-01-31"]);
    expect((await failure(column("2024-01-31", "soon"), { dates: ["t"] })).message).toBe(
      'x.csv, line 3, column "t": "soon" is not a date or time as the cells above are; expected such as 2024-01-31, ' +
        "2024-01-31T12:30:00 or 12:30:00, all of a column alike",
    );
    expect((await failure(column("2024"), { dates: ["t"] })).message).toContain(
      '"2024" is not a date or time',
    );
    expect((await failure(column("2024-01-31"), { numeric: ["t"] })).message).toContain("is not a number");
    expect((await failure(column("2024-01-31"), { numeric: ["t"], dates: ["t"] })).message).toContain(
      "choose one",
    );
  });
});

describe("dates written", () => {
  const times = (name: string, type: "date" | "time", ...values: number[]): Column => ({
    kind: "numeric",
    name,
    type,
    values: Float64Array.from(values),
  });
  const table = Table.fromColumns({
    day: [Date.UTC(2024, 0, 31), null],
    at: [Date.UTC(2024, 0, 31, 12, 30, 0, 250), Date.UTC(1969, 11, 31)],
    fine: [0.25, -0.75],
    clock: [45_000_000, 1],
  }).withTypes({ day: "date", at: "date", fine: "date", clock: "time" });

  it("are those of ISO 8601, all of a column alike", async () => {
    expect([...cellsOf(table)]).toEqual([
      ["2024-01-31", "2024-01-31T12:30:00.250", "1970-01-01T00:00:00.000250", "12:30:00.000"],
      [null, "1969-12-31T00:00:00.000", "1969-12-31T23:59:59.999250", "00:00:00.001"],
    ]);
    const text = new TextDecoder().decode(await written("jsonl", table));
    expect(text.split("\n")[1]).toBe(
      '{"day":null,"at":"1969-12-31T00:00:00.000","fine":"1969-12-31T23:59:59.999250","clock":"00:00:00.001"}',
    );
  });

  it.each(["csv", "jsonl", "parquet"] as const)("as %s are read back to the same", async (format) => {
    const again = await readTable(bytesSource(await written(format, table), `x.${format}`));
    expect(plain(again)).toEqual(plain(table));
    expect(again.columns.map(({ type }) => type)).toEqual(["date", "date", "date", "time"]);
  });

  it("keep their zone", async () => {
    for (const format of ["csv", "jsonl", "parquet"] as const) {
      const zoned = await read("t,n\n2024-01-31T12:30:00+02:00,1\n2024-02-01T00:00:00Z,2\n");
      const bytes = await written(format, zoned);
      const again = await readTable(bytesSource(bytes, `x.${format}`));
      expect([...cellsOf(again)]).toEqual([
        ["2024-01-31T10:30:00Z", 1],
        ["2024-02-01T00:00:00Z", 2],
      ]);
    }
  });

  it("of any microsecond are read back to the same bits", async () => {
    const micros = fc.bigInt({ min: -9_007_199_254_740_991n, max: 9_007_199_254_740_991n });
    await fc.assert(
      fc.asyncProperty(fc.array(micros, { minLength: 1, maxLength: 5 }), async (times) => {
        const ms = times.map((time) => Number(time) / 1000);
        const given = Table.fromColumns({ t: ms }).withTypes({ t: "date" });
        const exact = ms.every((value, at) => BigInt(Math.round(value * 1000)) === times[at]);
        fc.pre(exact);
        for (const format of ["csv", "jsonl"] as const) {
          const again = await readTable(bytesSource(await written(format, given), `x.${format}`));
          expect(plain(again).t).toEqual(ms);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("beyond the years and the hours that are read are numbers", async () => {
    const far = new Table([times("t", "date", 1e15, NaN), times("c", "time", -1, 86_400_000)]);
    expect([...cellsOf(far)]).toEqual([
      [1e15, -1],
      [NaN, 86_400_000],
    ]);
    const text = new TextDecoder().decode(await written("jsonl", far));
    expect(text).toBe('{"t":1000000000000000,"c":-1}\n{"t":null,"c":86400000}\n');
    const again = await readTable(textSource(text, "x.jsonl"));
    expect(plain(again)).toEqual({ t: [1e15, null], c: [-1, 86_400_000] });
  });

  it("are refused by JSON where they are infinite, as other numbers are", async () => {
    const endless = new Table([times("t", "date", 0, Infinity)]);
    await expect(written("jsonl", endless)).rejects.toThrow(
      'column "t": JSON has no number for Infinity; write csv or parquet',
    );
  });

  it("are rounded to microseconds, before midnight to the next day", () => {
    const late = Table.fromColumns({
      at: [86_399_999.9999, -0.0001],
      clock: [86_399_999.999, -0.0001],
    }).withTypes({ at: "date", clock: "time" });
    expect([...cellsOf(late)]).toEqual([
      ["1970-01-02T00:00:00.000000", "23:59:59.999999"],
      ["1970-01-01T00:00:00.000000", "00:00:00.000000"],
    ]);
    const over = Table.fromColumns({ clock: [86_399_999.9999] }).withTypes({ clock: "time" });
    expect([...cellsOf(over)]).toEqual([[86_399_999.9999]]);
  });
});

describe("JSON lines", () => {
  const jsonl = (...values: unknown[]) =>
    textSource(values.map((t) => `${JSON.stringify({ t })}\n`).join(""), "x.jsonl");

  it("have dates where all strings of a key are", async () => {
    const stream = await openTable(jsonl("2024-01-31T00:00:00.000Z", null, "2024-02-01T12:00:00Z"));
    expect(stream.schema).toEqual([{ name: "t", kind: "numeric", unit: "ms since 1970", zone: "UTC" }]);
    const table = await collectTable(stream, { maxRows: 1 });
    expect(plain(table).t).toEqual([Date.UTC(2024, 0, 31), null, Date.UTC(2024, 1, 1, 12)]);
    expect(typeOf(table)).toBe("date");
  });

  it("have texts where one is not, or the caller says so", async () => {
    const texts = ["2024-01-31", "soon", "2024-02-01"];
    expect(plain(await readTable(jsonl(...texts))).t).toEqual(texts);
    expect(plain(await readTable(jsonl("2024-01-31", 2024))).t).toEqual(["2024-01-31", "2024"]);
    expect(plain(await readTable(jsonl("2024-01-31"), { nominal: ["t"] })).t).toEqual(["2024-01-31"]);
    await expect(readTable(jsonl("2024-01-31", "x"), { dates: ["t"] })).rejects.toThrow(
      'x.jsonl, line 2, column "t": "x" is not a date or time as the cells above are',
    );
    await expect(readTable(jsonl("2024-01-31"), { numeric: ["t"] })).rejects.toThrow("is a string");
  });

  it("from a pipe are settled by their start", async () => {
    const { stream } = jsonl("2024-01-31", "soon");
    const source = { name: "pipe", once: true, stream };
    await expect(collectTable(await openTable(source, { format: "jsonl" }))).resolves.toBeDefined();
  });
});
