/** Arrow tables: real ones of apache-arrow, and objects that only look like them. */
import * as arrow from "apache-arrow";
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../../src/core/errors.ts";
import { tableFromArrow, type ArrowTable, type ArrowVector } from "../../../../src/io/arrow/table.ts";
import { plain } from "../csv/helpers.ts";

const tableOf = (vectors: Record<string, arrow.Vector>) => new arrow.Table(vectors) as ArrowTable;
const vector = (values: readonly unknown[], type: arrow.DataType) => arrow.vectorFromArray(values, type);
/** The stored numbers as they are; the package's own builders convert, and lose digits of nanoseconds. */
const raw = (type: arrow.DataType, data: unknown, nullBitmap?: Uint8Array) =>
  arrow.makeVector(
    arrow.makeData({ type, data, length: 2, nullCount: nullBitmap ? 1 : 0, nullBitmap } as never),
  ) as arrow.Vector;

describe("an Arrow table", () => {
  it("gives numbers and texts of every type, with their gaps", () => {
    const table = tableFromArrow(
      tableOf({
        int8: vector([-1, null], new arrow.Int8()),
        uint32: vector([4294967295, null], new arrow.Uint32()),
        int64: vector([-9007199254740992n, null], new arrow.Int64()),
        uint64: vector([9007199254740992n, null], new arrow.Uint64()),
        float16: vector([1.5, null], new arrow.Float16()),
        float32: vector([0.1, NaN], new arrow.Float32()),
        float64: vector([-0, null], new arrow.Float64()),
        bool: vector([false, null], new arrow.Bool()),
        text: vector(["é😀", null], new arrow.Utf8()),
        large: vector(["", null], new arrow.LargeUtf8()),
        coded: vector(["x", null], new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8())),
        codedNumbers: vector([7, null], new arrow.Dictionary(new arrow.Int32(), new arrow.Int8())),
      }),
    );
    expect(plain(table)).toEqual({
      int8: [-1, null],
      uint32: [4294967295, null],
      int64: [-(2 ** 53), null],
      uint64: [2 ** 53, null],
      float16: [1.5, null],
      float32: [Math.fround(0.1), null],
      float64: [-0, null],
      bool: ["false", null],
      text: ["é😀", null],
      large: ["", null],
      coded: ["x", null],
      codedNumbers: [7, null],
    });
  });

  it("gives times as milliseconds, and decimals as the nearest numbers", () => {
    const gap = Uint8Array.of(1);
    const table = tableFromArrow(
      tableOf({
        day: raw(new arrow.DateDay(), Int32Array.of(-2, 3)),
        date: raw(new arrow.DateMillisecond(), BigInt64Array.of(1n, 2n)),
        s: raw(new arrow.TimestampSecond(), BigInt64Array.of(3n, -1n), gap),
        us: raw(new arrow.TimestampMicrosecond(), BigInt64Array.of(1234567n, 1n)),
        ns: raw(new arrow.TimestampNanosecond(), BigInt64Array.of(1600000000123456000n, 5n)),
        time: raw(new arrow.TimeMillisecond(), Int32Array.of(5, 6)),
        decimal: raw(new arrow.Decimal(2, 38, 128), Uint32Array.of(12345, 0, 0, 0, 0xffffffff, ~0, ~0, ~0)),
      }),
    );
    expect(plain(table)).toEqual({
      day: [-172800000, 259200000],
      date: [1, 2],
      s: [3000, null],
      us: [1234.567, 0.001],
      ns: [1600000000123.456, 0.000005],
      time: [5, 6],
      decimal: [123.45, -0.01],
    });
  });

  it("of several batches, and sliced, is the same as one", () => {
    const part = (from: number) =>
      tableOf({
        a: vector([from, null, from + 2], new arrow.Float64()),
        b: vector(["x", null, `y${from}`], new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32())),
      }) as unknown as arrow.Table;
    const both = part(1).concat(part(10));
    expect(plain(tableFromArrow(both as ArrowTable))).toEqual({
      a: [1, null, 3, 10, null, 12],
      b: ["x", null, "y1", "x", null, "y10"],
    });
    expect(plain(tableFromArrow(both.slice(2, 5) as ArrowTable))).toEqual({
      a: [3, 10, null],
      b: ["y1", "x", null],
    });
    const back = arrow.tableFromIPC(arrow.tableToIPC(both));
    expect(plain(tableFromArrow(back as ArrowTable, { columns: ["b"] }))).toEqual({
      b: ["x", null, "y1", "x", null, "y10"],
    });
  });

  it("is refused with column and row where it holds no table's values", () => {
    const only = (name: string, column: arrow.Vector) => () => tableFromArrow(tableOf({ [name]: column }));
    expect(only("a", vector([1n, 9007199254740993n], new arrow.Int64()))).toThrow(
      'row 1 (from 0), column "a": the integer 9007199254740993 is beyond 2^53 and would be rounded to 9007199254740992',
    );
    expect(only("a", vector([1, Infinity], new arrow.Float64()))).toThrow(
      'row 1 (from 0), column "a": Infinity is not a finite number',
    );
    expect(
      only("ns", raw(new arrow.TimestampNanosecond(), BigInt64Array.of(1n, 1600000000123456789n))),
    ).toThrow(
      'row 1 (from 0), column "ns": the time 1600000000123456789 in 1/1000000000 seconds is finer than milliseconds',
    );
    const list = new arrow.List(new arrow.Field("item", new arrow.Int32()));
    expect(only("list", vector([[1], [2]], list))).toThrow(
      'column "list": holds List<Int32> values, which are neither numbers nor texts; name the columns to read (columns)',
    );
    expect(() => tableFromArrow(tableOf({ a: vector([1], new arrow.Int32()) }), { columns: ["b"] })).toThrow(
      'column "b": the Arrow table has no such column',
    );
    expect(() =>
      tableFromArrow(tableOf({ a: vector([1], new arrow.Int32()) }), { columns: ["a", "a"] }),
    ).toThrow('column "a": two columns of the Arrow table have this name');
    expect(() => tableFromArrow(tableOf({}))).toThrow("the Arrow table has none");
  });

  it("may be any object of its shape, and lies are found out", () => {
    const duck = (typeId: number, cells: readonly unknown[], numRows = cells.length): ArrowTable => {
      const column: ArrowVector = {
        length: cells.length,
        nullCount: cells.filter((cell) => cell === null).length,
        get: (row) => cells[row],
        toArray: () => cells,
      };
      return { schema: { fields: [{ name: "a", type: { typeId } }] }, numRows, getChildAt: () => column };
    };
    expect(plain(tableFromArrow(duck(2, [1, null, 3])))).toEqual({ a: [1, null, 3] });
    expect(() => tableFromArrow(duck(2, [1, "x"]))).toThrow(
      'row 1 (from 0), column "a": is string, but the column is declared to hold numbers',
    );
    expect(() => tableFromArrow(duck(5, ["x", 1]))).toThrow(
      'row 1 (from 0), column "a": is number, but the column is declared to hold texts',
    );
    expect(() => tableFromArrow(duck(2, [1], 2 ** 40))).toThrow(
      'column "a": has 1 cell, but the Arrow table 1099511627776 rows',
    );
  });

  it.each([
    [{}, "an object without schema.fields and getChildAt"],
    [{ schema: { fields: [] } }, "an object without schema.fields and getChildAt"],
    [new Uint8Array(4), "bytes"],
    [5, "number"],
    [null, "null"],
    [undefined, "undefined"],
  ])("is asked for where something else is given: %j", (given, name) => {
    const read = () => tableFromArrow(given as never);
    expect(read).toThrow(InvalidInputError);
    expect(read).toThrow(
      `the Arrow table must be one of apache-arrow's, such as tableFromIPC(bytes) gives, not ${name}`,
    );
  });
});
