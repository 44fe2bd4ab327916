/**
 * Arrow files and streams as pyarrow writes them (tests/fixtures/tables/arrow/make.py), and what is refused.
 */
import { readFileSync } from "node:fs";
import { tableFromArrays, tableToIPC } from "apache-arrow";
import { describe, expect, it } from "vitest";
import { unpackLz4 } from "../../../../src/io/arrow/lz4.ts";
import { openArrow } from "../../../../src/io/arrow/stream.ts";
import { bytesSource } from "../../../../src/io/bytes/source.ts";
import { recognise } from "../../../../src/io/formats.ts";
import { readTable, openTable } from "../../../../src/io/read.ts";
import { collectTable } from "../../../../src/table/collect.ts";
import { inPieces, pipe, plain } from "../csv/helpers.ts";

const file = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../../fixtures/tables/arrow/${name}`, import.meta.url)));
const at = (text: string) => Date.parse(`${text}Z`);

const expected = {
  text: ["Ada", "Zoë", null, "x".repeat(20)],
  large: ["a", null, "c", "a"],
  coded: ["red", "blue", null, "red"],
  flag: ["true", "false", null, "true"],
  int8: [1, -2, null, 127],
  uint32: [0, 4294967295, null, 7],
  int64: [1, -9007199254740992, null, 5],
  half: [1.5, null, -2, 0.25],
  float: [1.5, null, -2.25, 0],
  double: [0.1, null, -1e300, 5e-324],
  decimal: [1.25, null, -3.5, 0.1],
  day: [at("2024-01-31T00:00"), null, at("1969-12-31T00:00"), at("2000-02-29T00:00")],
  naive: [at("2024-01-31T12:30"), null, 0, at("2000-01-01T00:00")],
  zoned: [at("2024-01-31T12:30"), null, 0, null],
  clock: [45_000_000, null, 1000, 86_340_000],
  none: [null, null, null, null],
};

describe("an Arrow file", () => {
  it.each(["plain.arrow", "lz4.feather", "zstd.arrow", "chunks.arrows"])(
    "%s is read, from every source and in chunks of any size",
    async (name) => {
      const bytes = file(name);
      for (const source of [bytesSource(bytes, name), inPieces(bytes, 7, name), pipe(bytes, 1000, name)]) {
        for (const maxRows of source.once ? [1] : [1, 3, 100]) {
          const table = await collectTable(await openTable(source), { maxRows });
          expect(plain(table)).toEqual(expected);
          expect(
            ["day", "naive", "zoned", "clock", "int8"].map((column) => table.column(column).type),
          ).toEqual(["date", "date", "date", "time", undefined]);
          expect(table.column("zoned")).toHaveProperty("zone", "UTC");
        }
      }
    },
  );

  it("of long compressed buffers is read", async () => {
    const table = await readTable(bytesSource(file("long.feather"), "long.feather"));
    const { n, t } = plain(table);
    expect(n).toEqual(Array.from({ length: 20_000 }, (_, row) => row % 1000));
    expect(t).toEqual(Array.from({ length: 20_000 }, (_, row) => `row ${row % 7}`));
  });

  it("says what its columns are", async () => {
    const { schema, rows } = await openArrow(bytesSource(file("plain.arrow"), "x.arrow"));
    expect(rows).toBeUndefined();
    expect(schema.slice(2, 5)).toEqual([
      { name: "coded", kind: "nominal", stored: "Dictionary<Utf8>" },
      { name: "flag", kind: "nominal", stored: "Bool" },
      { name: "int8", kind: "numeric", stored: "Int8" },
    ]);
    expect(schema.find(({ name }) => name === "zoned")).toEqual({
      name: "zoned",
      kind: "numeric",
      stored: "Timestamp(Europe/Berlin)",
      unit: "ms since 1970",
      zone: "UTC",
    });
  });

  it("is recognised by its first bytes", async () => {
    expect((await recognise(bytesSource(file("plain.arrow"), "standard input"))).format.name).toBe("arrow");
  });

  it("is read for some columns, some of them as texts", async () => {
    const nominal = ["int64", "day", "clock", "none", "double"];
    const source = bytesSource(file("plain.arrow"), "x.arrow");
    expect(plain(await readTable(source, { columns: nominal, nominal }))).toEqual({
      int64: ["1", "-9007199254740992", null, "5"],
      day: ["2024-01-31T00:00:00", null, "1969-12-31T00:00:00", "2000-02-29T00:00:00"],
      clock: ["12:30:00", null, "00:00:01", "23:59:00"],
      none: [null, null, null, null],
      double: ["0.1", null, "-1e+300", "5e-324"],
    });
    expect(plain(await readTable(bytesSource(file("nested.arrow"), "x.arrow"), { columns: ["n"] }))).toEqual({
      n: [1, 2],
    });
  });

  it("that apache-arrow wrote is read, unless its schema stands behind it", async () => {
    const arrow = tableFromArrays({ id: Int32Array.of(7, 8), kind: ["a", "b"] });
    const table = await readTable(bytesSource(new Uint8Array(tableToIPC(arrow, "stream")), "x.arrow"));
    expect(plain(table)).toEqual({ id: [7, 8], kind: ["a", "b"] });
    const asFile = bytesSource(new Uint8Array(tableToIPC(arrow, "file")), "x.arrow");
    await expect(readTable(asFile)).rejects.toThrow(
      "byte 8: expected a schema, with which files of Arrow (IPC) begin",
    );
  });
});

describe("what is wrong", () => {
  const message = (bytes: Uint8Array, options = {}) =>
    readTable(bytesSource(bytes, "x.arrow"), options).then(
      () => "read",
      (error: Error) => `${error.name}: ${error.message}`,
    );

  it("is told with its byte or its column", async () => {
    expect(await message(new Uint8Array(0))).toContain("x.arrow: byte 0: expected a schema");
    expect(await message(new TextEncoder().encode("FEA1 and so on, for some bytes"))).toContain(
      "Feather of version 1 is not read",
    );
    expect(await message(file("plain.arrow").slice(0, 1500))).toMatch(
      /byte \d+: the file ends within the message/,
    );
    expect(await message(file("nested.arrow"))).toBe(
      'InvalidInputError: x.arrow, column "list": holds nested values, which are neither numbers nor texts; name the columns ' +
        "to read (option columns)",
    );
    expect(await message(file("plain.arrow"), { numeric: ["text"] })).toContain(
      "holds Utf8 values, not numbers",
    );
    expect(await message(file("plain.arrow"), { columns: ["texts"] })).toContain('did you mean "text"?');
    const big = tableFromArrays({ id: BigInt64Array.of(1n, 2n ** 53n + 1n) });
    expect(await message(new Uint8Array(tableToIPC(big, "stream")))).toContain(
      'x.arrow, row 1 (from 0), column "id": the integer 9007199254740993 is beyond 2^53',
    );
  });
});

describe("LZ4", () => {
  const frame = (...block: number[]) =>
    Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0, block.length, 0, 0, 0, ...block, 0, 0, 0, 0);

  it("repeats what stands before, itself included", () => {
    expect([...unpackLz4(frame(0x10, 65, 1, 0, 0x10, 66), 6)]).toEqual([65, 65, 65, 65, 65, 66]);
  });

  it.each([
    [frame(0x10, 65, 2, 0, 0x10, 66), 6, "repeats what is not there"],
    [frame(0x10, 65, 0, 0, 0x10, 66), 6, "repeats what is not there"],
    [frame(0x10, 65, 1, 0, 0x10, 66), 5, "more than its 5 bytes"],
    [frame(0x10, 65, 1, 0, 0x10, 66), 7, "6 bytes instead of 7"],
    [frame(0x50, 65), 5, "within its literals"],
    [frame(0xf0, 255), 500, "within a length"],
    [frame(0x10, 65, 1), 6, "within an offset"],
    [Uint8Array.of(1, 2, 3), 3, "does not start as LZ4 does"],
    [frame(0x10, 65), 2 ** 30, "cannot hold"],
  ])("%# is refused", (input, length, reason) => {
    expect(() => unpackLz4(input, length)).toThrow(reason);
  });
});
