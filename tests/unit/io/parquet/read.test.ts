/**
 * Parquet: what DuckDB and hyparquet see in a file is what the reader gives, and what is written reads back
 * the same.
 */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { ByteWriter } from "hyparquet-writer";
import { deltaBinaryPack } from "hyparquet-writer/src/delta.js";
import { describe, expect, it } from "vitest";
import { decodeHybrid } from "../../../../src/io/parquet/bits.ts";
import { decodeDeltas32, decodeDeltas64 } from "../../../../src/io/parquet/delta.ts";
import { openParquet } from "../../../../src/io/parquet/stream.ts";
import type { TypedTableOptions } from "../../../../src/io/typedTable.ts";
import { writeParquet } from "../../../../src/io/parquet/write.ts";
import { bytesSource, type ByteSource } from "../../../../src/io/bytes/source.ts";
import { collectTable } from "../../../../src/table/collect.ts";
import { Table } from "../../../../src/table/table.ts";
import { inPieces, plain } from "../csv/helpers.ts";

const folder = new URL("../../../fixtures/tables/", import.meta.url);
const fixture = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)));
const flights = new Uint8Array(
  readFileSync(new URL("../../../../node_modules/vega-datasets/data/flights-3m.parquet", import.meta.url)),
);

type Cells = Record<string, (number | string | null)[]>;
/** Decimals and times as texts of exact numbers. */
const expected = JSON.parse(readFileSync(new URL("expected.json", folder), "utf8")) as Cells;
const numbersAsTexts = ["int64", "uint64", "decimal32", "decimal64", "decimal128"];

async function read(source: ByteSource, options?: TypedTableOptions, maxRows = 17): Promise<Table> {
  return collectTable(await openParquet(source, options), { maxRows });
}

function expectedCells(): Cells {
  const mapped = (name: string, map: (text: string) => number) =>
    expected[name].map((cell) => (cell === null ? null : map(String(cell))));
  return {
    ...expected,
    ...Object.fromEntries(numbersAsTexts.map((name) => [name, mapped(name, Number)])),
    moment: mapped("moment", (micros) => Number(micros) / 1000),
    clock: mapped("clock", (micros) => Number(micros) / 1000),
  };
}

describe("a Parquet file of DuckDB's", () => {
  const files = ["snappy", "gzip", "zstd_v2", "lz4_plain", "uncompressed_v2"];
  it.each(files)("%s gives every value of every type, and its gaps", async (name) => {
    const table = await read(bytesSource(fixture(`${name}.parquet`), name));
    expect(plain(table)).toEqual(expectedCells());
  });

  it("says what its numbers were, and what milliseconds they are now", async () => {
    const { schema, rows } = await openParquet(bytesSource(fixture("gzip.parquet"), "x"));
    expect(rows).toBe(90);
    const texts = schema.map(({ name, kind, stored, unit }) =>
      [name, kind, stored, unit ?? ""].join(" ").trim(),
    );
    expect(texts).toMatchInlineSnapshot(`
      [
        "row numeric INT_32",
        "int8 numeric INT_8",
        "uint8 numeric UINT_8",
        "int16 numeric INT_16",
        "uint32 numeric UINT_32",
        "int64 numeric INT_64",
        "uint64 numeric UINT_64",
        "float32 numeric FLOAT",
        "float64 numeric DOUBLE",
        "bool nominal BOOLEAN",
        "day numeric DATE ms since 1970",
        "moment numeric TIMESTAMP(MICROS) ms since 1970",
        "clock numeric TIME(MICROS) ms since midnight",
        "decimal32 numeric DECIMAL(6, 2)",
        "decimal64 numeric DECIMAL(18, 6)",
        "decimal128 numeric DECIMAL(38, 2)",
        "repeated nominal STRING",
        "own nominal STRING",
        "enum nominal STRING",
        "uuid nominal UUID",
      ]
    `);
  });

  it("reads whole numbers as texts where asked, to the last digit", async () => {
    const source = bytesSource(fixture("refused.parquet"), "x");
    const table = await read(source, { columns: ["beyond", "flat"], nominal: ["beyond"] });
    expect(plain(table)).toEqual({ beyond: ["9007199254740993"], flat: [1] });
    const twice = await read(bytesSource(fixture("zstd_v2.parquet"), "x"), {
      columns: ["float64", "uint64"],
      nominal: ["float64", "uint64"],
    });
    expect(plain(twice)["uint64"]).toEqual(expected["uint64"]);
    expect(plain(twice)["float64"]).toEqual(
      expected["float64"].map((cell) => (cell === null ? null : String(cell))),
    );
  });

  it("is read from a pipe within the budget, or refused", async () => {
    const bytes = fixture("gzip.parquet");
    const { name, stream } = inPieces(bytes, 1000, "pipe");
    expect(plain(await read({ name, stream }))).toEqual(expectedCells());
    await expect(read({ name, stream }, { memory: 5000 })).rejects.toThrow(
      "pipe: its format is read from its end, so it must be held in memory, but it is larger than 5000 bytes",
    );
  });

  const refused: Record<string, string> = {
    list: 'column "list": holds nested values; name the columns to read (option columns)',
    struct: 'column "struct": holds nested values; name the columns to read (option columns)',
    map: 'column "map": holds nested values; name the columns to read (option columns)',
    bytes: 'row 0 (from 0), column "bytes": the text is not valid UTF-8; columns of bytes are not supported',
    beyond:
      'row 0 (from 0), column "beyond": the integer 9007199254740993 is beyond 2^53 and would be rounded to 9007199254740992; read the column as text (option nominal)',
    infinite: 'row 0 (from 0), column "infinite": Infinity is not a finite number',
    nanos:
      'row 0 (from 0), column "nanos": the time 981173106123456789 in 1/1000000000 seconds is finer than milliseconds',
    interval:
      'column "interval": holds INTERVAL values, which are neither numbers nor texts; name the columns',
    other: 'there is no column "other"; the columns are "flat", "list"',
  };
  it.each(Object.entries(refused))(
    "is refused where a column holds no table's values: %s",
    async (name, message) => {
      const file = bytesSource(fixture("refused.parquet"), "x.parquet");
      const separator = message.startsWith("there") ? ": " : ", ";
      await expect(read(file, { columns: [name] })).rejects.toThrow(`x.parquet${separator}${message}`);
    },
  );

  it("is refused where its metadata do not say where a column's pages are", async () => {
    const bytes = fixture("uncompressed_v2.parquet");
    // Of the first column, in Thrift: the compressed size (field 7), the offset (field 9) and the header of
    // field 12.
    const at = 12824;
    expect([...bytes.subarray(at, at + 5)]).toEqual([0x16, 0x4e, 0x26, 0x08, 0x3c]);
    const refusal = (fields: readonly number[]) => {
      const damaged = bytes.slice();
      damaged.set(fields, at);
      return expect(openParquet(bytesSource(damaged, "x"))).rejects;
    };
    const where = 'x, column "row": byte 12423: the metadata is damaged: row group 0: ';
    await refusal([0x16, 0x4e, 0x36, 0x08, 0x2c]).toThrow(
      `${where}at which byte its pages begin is not said`,
    );
    await refusal([0x36, 0x88, 0x80, 0x00, 0x3c]).toThrow(
      `${where}how many bytes its pages take is not said`,
    );
  });

  it("keeps its promises about kinds that the caller declares", async () => {
    const file = bytesSource(fixture("gzip.parquet"), "x");
    await expect(read(file, { numeric: ["own"] })).rejects.toThrow(
      'column "own": holds STRING values, not numbers',
    );
    await expect(read(file, { numeric: ["Own"] })).rejects.toThrow('did you mean "own"?');
    expect((await read(file, { numeric: ["Own"], ignoreUnknown: true })).rows).toBe(90);
  });
});

describe("the three million flights", () => {
  it("are all there, as hyparquet reads them", async () => {
    const slices: number[] = [];
    const counted: ByteSource = {
      ...bytesSource(flights, "flights"),
      slice: (begin, end) => {
        slices.push(end - begin);
        return Promise.resolve(flights.subarray(begin, end));
      },
    };
    const stream = await openParquet(counted);
    expect(stream.schema[0]).toEqual({
      name: "date",
      kind: "numeric",
      stored: "TIMESTAMP(MICROS)",
      unit: "ms since 1970",
    });
    let rows = 0;
    let delays = 0;
    let first: Table | undefined;
    for await (const chunk of stream.chunks()) {
      first ??= chunk;
      rows += chunk.rows;
      const [, delay] = chunk.columns;
      if (delay.kind === "numeric") for (const value of delay.values) delays += value;
    }
    expect([rows, delays]).toEqual([3_000_000, 20_003_603]);
    const objects = await parquetReadObjects({
      file: { byteLength: flights.length, slice: (begin, end) => flights.slice(begin, end).buffer },
      compressors,
      rowEnd: 500,
    });
    const cells = plain(first!.take(objects.map((_, row) => row)));
    expect(cells["date"]).toEqual(objects.map(({ date }) => (date as Date).getTime()));
    expect(cells["delay"]).toEqual(objects.map(({ delay }) => Number(delay)));
    expect(cells["origin"]).toEqual(objects.map(({ origin }) => origin as string));
    // Nothing is read twice, but the ends of what was read ahead.
    expect(slices.reduce((sum, length) => sum + length, 0)).toBeLessThan(1.2 * flights.length);
  });
});

describe("a table written to Parquet", () => {
  it("is read back to the same bits, texts and gaps", async () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(-0, 0, 5e-324, 2 ** 64),
    );
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("", "\0", ",", '"', "\n", "x".repeat(50_000)),
    );
    const columns = fc.integer({ min: 1, max: 30 }).chain((rows) => {
      const of = <T>(cell: fc.Arbitrary<T>) => fc.array(cell, { minLength: rows, maxLength: rows });
      return fc.record({ n: of(number), gaps: of(fc.option(number)), t: of(fc.option(text)) });
    });
    await fc.assert(
      fc.asyncProperty(columns, fc.integer({ min: 1, max: 31 }), async ({ n, gaps, t }, maxRows) => {
        const table = Table.fromColumns({ n: [...n, 0], gaps: [1, ...gaps], t: ["a text", ...t] });
        const pieces: Uint8Array[] = [];
        for await (const piece of writeParquet([table, table])) pieces.push(piece);
        const bytes = new Uint8Array(await new Blob(pieces.map((piece) => piece.slice())).arrayBuffer());
        const back = plain(await read(bytesSource(bytes, "x"), {}, maxRows));
        for (const [name, cells] of Object.entries(plain(table)))
          expect(back[name]).toEqual([...cells, ...cells]);
      }),
      { numRuns: 40 },
    );
  });

  it("needs tables of the same columns", async () => {
    const write = async (...tables: Table[]) => {
      for await (const piece of writeParquet(tables)) expect(piece).toBeInstanceOf(Uint8Array);
    };
    const a = Table.fromColumns({ a: [1] });
    await expect(write()).rejects.toThrow("there is no table to write");
    await expect(write(a, Table.fromColumns({ b: [1] }))).rejects.toThrow("tables of other columns");
  });
});

describe("runs of small numbers", () => {
  it("take no memory before there are as many as a page claims", () => {
    const before = process.memoryUsage().arrayBuffers;
    expect(() => decodeHybrid(Uint8Array.of(16, 7), 0, 2, 8, 2 ** 28)).toThrow("its runs end early");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
    expect(decodeHybrid(Uint8Array.of(16, 7, 3, 0b10_01_00_11, 0b00_11_01_10), 0, 5, 2, 12)).toEqual(
      Uint32Array.of(7, 7, 7, 7, 7, 7, 7, 7, 3, 0, 1, 2),
    );
  });
});

/** Numbers as a run of bits, the lowest first, or as one number for all. */
function runBytes(width: number, numbers: readonly number[], packed: boolean): number[] {
  const padded = packed
    ? [...numbers, ...new Array<number>(-numbers.length & 7).fill(0)]
    : numbers.slice(0, 1);
  const bytes = [packed ? (padded.length / 8) * 2 + 1 : numbers.length * 2];
  const bits = packed ? width : Math.ceil(width / 8) * 8;
  const all = padded.flatMap((number) =>
    Array.from({ length: bits }, (_, bit) => Math.floor(number / 2 ** bit) % 2),
  );
  for (let at = 0; at < all.length; at += 8)
    bytes.push(all.slice(at, at + 8).reduce((sum, bit, place) => sum + bit * 2 ** place, 0));
  return bytes;
}

describe("runs of any width, length and end", () => {
  it("are the numbers that were packed", () => {
    const run = (most: number) =>
      fc.record({
        packed: fc.boolean(),
        numbers: fc.array(fc.integer({ min: 0, max: most }), { minLength: 1, maxLength: 40 }),
      });
    const file = fc.integer({ min: 1, max: 32 }).chain((width) =>
      fc.record({
        width: fc.constant(width),
        runs: fc.array(run(2 ** width - 1), { minLength: 1, maxLength: 5 }),
      }),
    );
    fc.assert(
      fc.property(file, fc.nat(7), fc.boolean(), ({ width, runs }, unwanted, unpadded) => {
        // All but the last fill their bytes; the last may be longer than what is wanted, or lack its padding.
        const whole = runs.map(({ packed, numbers }, at) => ({
          packed,
          numbers:
            packed && at < runs.length - 1 ? numbers.flatMap((n) => new Array<number>(8).fill(n)) : numbers,
        }));
        const values = whole.flatMap(({ packed, numbers }) => numbers.map((n) => (packed ? n : numbers[0])));
        let bytes = whole.flatMap(({ packed, numbers }) => runBytes(width, numbers, packed));
        const last = whole[whole.length - 1];
        const count = Math.max(1, values.length - unwanted);
        if (unpadded && last.packed && unwanted === 0) {
          const padding = Math.floor(((-last.numbers.length & 7) * width) / 8);
          bytes = bytes.slice(0, bytes.length - padding);
        }
        const around = Uint8Array.from([255, 255, 255, ...bytes, 255]);
        const found = decodeHybrid(around, 3, 3 + bytes.length, width, count);
        expect([...found]).toEqual(values.slice(0, count));
      }),
      { numRuns: 500 },
    );
  });

  it("cost no time for numbers that are not wanted", () => {
    const cpu = process.cpuUsage();
    const endless = Uint8Array.of(0xfe, 0xff, 0xff, 0xff, 0x0f, 5);
    expect([...decodeHybrid(endless, 0, 6, 8, 3)]).toEqual([5, 5, 5]);
    expect(process.cpuUsage(cpu).user).toBeLessThan(200_000);
  });
});

describe("whole numbers stored as differences", () => {
  const packed = (values: Int32Array | BigInt64Array) => {
    const writer = new ByteWriter();
    deltaBinaryPack(writer, values, values instanceof Int32Array ? "INT32" : "INT64");
    return writer.getBytes().slice();
  };

  it("are those that were stored, of any size", () => {
    const long = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.bigInt({ min: -1000n, max: 1000n }),
    );
    fc.assert(
      fc.property(fc.array(long, { minLength: 1, maxLength: 300 }), (numbers) => {
        const longs = BigInt64Array.from(numbers);
        const bytes = packed(longs);
        expect(decodeDeltas64(bytes, longs.length)).toEqual({ values: longs, end: bytes.length });
        const ints = Int32Array.from(numbers, (number) => Number(BigInt.asIntN(32, number)));
        expect(decodeDeltas32(packed(ints), ints.length).values).toEqual(ints);
        // Writers that count in 64 bits mean the same modulo 2^32.
        expect(decodeDeltas32(bytes, longs.length).values).toEqual(ints);
      }),
      { numRuns: 300 },
    );
  });

  it("may lack the padding of their last part, and nothing more", () => {
    const longs = BigInt64Array.of(0n, 5n, 300n);
    const bytes = packed(longs);
    // Two differences of 9 bits are 3 bytes of the 36 that 32 take.
    expect(decodeDeltas64(bytes.subarray(0, bytes.length - 33), 3).values).toEqual(longs);
    expect(() => decodeDeltas64(bytes.subarray(0, bytes.length - 34), 3)).toThrow("its values end early");
  });

  it("take no memory for blocks and counts that are made up", () => {
    const before = process.memoryUsage().arrayBuffers;
    expect(() => decodeDeltas64(Uint8Array.of(128, 1, 4, 255, 255, 255, 127, 0), 2 ** 28 - 1)).toThrow(
      "end early",
    );
    expect(() => decodeDeltas64(Uint8Array.of(128, 1, 255, 255, 255, 127, 2, 0, 0), 2)).toThrow(
      "differences in",
    );
    expect(() => decodeDeltas32(packed(Int32Array.of(1, 2, 3)), 4)).toThrow("it holds 3 values instead of 4");
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
  });
});
