import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../src/core/errors.ts";
import {
  cellOf,
  isMissing,
  MISSING_CODE,
  type Column,
  type NominalColumn,
  type NumericColumn,
} from "../../../src/table/column.ts";
import type { ColumnInput } from "../../../src/table/columnInput.ts";
import { Table, type TableOrigin } from "../../../src/table/table.ts";

const cells = (table: Table) =>
  Object.fromEntries(
    table.columns.map((column) => [
      column.name,
      Array.from({ length: table.rows }, (_, row) => cellOf(column, row)),
    ]),
  );

describe("a table from columns", () => {
  it("has numeric and nominal columns in the order given", () => {
    const table = Table.fromColumns({ n: [1, 2.5, -3], s: ["x", "y", "x"] });
    expect(table.names).toEqual(["n", "s"]);
    expect(table.rows).toBe(3);
    expect(table.columns.map(({ kind }) => kind)).toEqual(["numeric", "nominal"]);
    expect(table.columns.map(({ valid }) => valid)).toEqual([undefined, undefined]);
    expect(cells(table)).toEqual({ n: [1, 2.5, -3], s: ["x", "y", "x"] });
    expect((table.column("s") as NominalColumn).codes).toEqual(Uint32Array.of(0, 1, 0));
  });

  it("takes null, undefined and NaN for missing cells", () => {
    const table = Table.fromColumns({
      n: [1, null, NaN],
      s: [null, "x", undefined],
      t: Float64Array.of(NaN, 1, 2),
    });
    expect(cells(table)).toEqual({ n: [1, null, null], s: [null, "x", null], t: [null, 1, 2] });
    expect((table.column("s") as NominalColumn).codes).toEqual(Uint32Array.of(MISSING_CODE, 0, MISSING_CODE));
    expect([...(table.column("n") as NumericColumn).values]).toEqual([1, NaN, NaN]);
    expect(isMissing(table.column("t"), 0)).toBe(true);
  });

  it("keeps a Float64Array and copies other types", () => {
    const values = Float64Array.of(1, 2);
    const table = Table.fromColumns({
      a: values,
      b: Float32Array.of(0.5, 1.5),
      c: BigInt64Array.of(-1n, 2n ** 53n),
    });
    expect((table.column("a") as NumericColumn).values).toBe(values);
    expect(cells(table)).toEqual({ a: [1, 2], b: [0.5, 1.5], c: [-1, 2 ** 53] });
  });

  it("keeps the text of labels that look like numbers", () => {
    expect(cells(Table.fromColumns({ label: ["01", "1", "1.0"] }))).toEqual({ label: ["01", "1", "1.0"] });
  });

  it("takes a column without any value for numeric", () => {
    expect(Table.fromColumns({ a: [null, null] }).column("a").kind).toBe("numeric");
  });

  it.each<[string, Record<string, ColumnInput>, string]>([
    ["unequal lengths", { a: [1, 2], b: ["x"] }, 'column "b" has 1 cell, but "a" has 2'],
    ["infinity", { a: [1, -Infinity] }, 'column "a": row 1 is -Infinity'],
    ["a string among numbers", { a: [1, "x"] }, 'column "a": row 1 is the string "x" among numbers'],
    ["a number among strings", { a: [null, "x", 5] }, 'column "a": row 2 is the number 5 among strings'],
    [
      "a date",
      { a: [new Date(0) as never] },
      'column "a": row 0 is the Date "1970-01-01T00:00:00.000Z"; cells are numbers, strings or null, such as date.getTime()',
    ],
    ["a bigint among numbers", { a: [1, 2n] as unknown as number[] }, "row 1 is the bigint 2n among numbers"],
    ["a date that is none", { a: [new Date(NaN) as never] }, "row 0 is the Date Invalid Date; cells are"],
    ["a function", { a: [Math.abs as never] }, "row 0 is the function function abs()"],
    [
      "what JSON has no text for",
      { a: [{ id: 1n } as never] },
      "row 0 is the object [object Object]; cells are",
    ],
    [
      "an integer beyond 2^53",
      { a: BigInt64Array.of(0n, 2n ** 53n + 1n) },
      "row 1 is 9007199254740993, beyond 2^53",
    ],
    ["no column", {}, "at least one column"],
    ["no array", { a: "xy" as unknown as string[] }, "neither a typed array nor an array"],
  ])("refuses %s", (_, columns, message) => {
    expect(() => Table.fromColumns(columns)).toThrow(InvalidInputError);
    expect(() => Table.fromColumns(columns)).toThrow(message);
  });
});

describe("a table from rows", () => {
  it("has all keys as columns, in order of first appearance, and gaps where a row lacks one", () => {
    const table = Table.fromRows([{ b: 1, a: "x" }, { a: "y", c: 2 }, { b: 3 }]);
    expect(table.names).toEqual(["b", "a", "c"]);
    expect(cells(table)).toEqual({ b: [1, null, 3], a: ["x", "y", null], c: [null, 2, null] });
  });

  it("may have a column called __proto__", () => {
    const table = Table.fromRows([JSON.parse('{"__proto__": 1, "a": 2}') as Record<string, number>]);
    expect(table.names).toEqual(["__proto__", "a"]);
    expect(cellOf(table.column("__proto__"), 0)).toBe(1);
  });

  it("needs a row", () => {
    expect(() => Table.fromRows([])).toThrow(InvalidInputError);
  });
});

describe("a table", () => {
  const origin: TableOrigin = {
    file: "x.csv",
    header: ["a", "b", "c"],
    placeOf: (row) => ({ line: row + 2 }),
    textOf: (row) => [`a${row}`, `b${row}`, `c${row}`],
    firstText: () => ({ line: 3, text: "y" }),
  };
  const plain = Table.fromColumns({ a: [1, null, 3, 4], b: ["x", "y", null, "x"], c: [5, 6, 7, 8] });
  const table = new Table(plain.columns, origin);

  it("names the columns there are and the nearest one when asked for an unknown one", () => {
    expect(() => plain.column("A ")).toThrow(
      'there is no column "A " (did you mean "a"?); the columns are "a", "b", "c"',
    );
    expect(() => table.column("zebra")).toThrow(
      'x.csv: there is no column "zebra"; the columns are "a", "b", "c"',
    );
    expect(table.has("a")).toBe(true);
    expect(table.has("A")).toBe(false);
  });

  it("selects columns in the order asked for and drops others, sharing them", () => {
    expect(table.select(["c", "a"]).names).toEqual(["c", "a"]);
    expect(table.drop(["b"]).names).toEqual(["a", "c"]);
    expect(table.select(["c"]).column("c")).toBe(table.column("c"));
    expect(() => table.drop(["d"])).toThrow("there is no column");
    expect(() => table.select(["a", "b", "a"])).toThrow('column "a" is named twice');
  });

  it("takes rows in the order asked for, with their gaps and their origin", () => {
    const taken = table.take([3, 1, 1]);
    expect(cells(taken)).toEqual({ a: [4, null, null], b: ["x", "y", "y"], c: [8, 6, 6] });
    expect(taken.column("b").valid).toBeUndefined();
    expect([0, 1, 2].map((row) => taken.origin!.placeOf(row))).toEqual([
      { line: 5 },
      { line: 3 },
      { line: 3 },
    ]);
    expect(taken.take([2]).origin!.textOf!(0)).toEqual(["a1", "b1", "c1"]);
    expect(taken.origin!.firstText("b")).toEqual({ line: 3, text: "y" });
    expect(table.take(Uint32Array.of()).rows).toBe(0);
    expect(cells(table)).toEqual({ a: [1, null, 3, 4], b: ["x", "y", null, "x"], c: [5, 6, 7, 8] });
  });

  it.each([-1, 4, 0.5, NaN])("has no row %d to take", (row) => {
    expect(() => table.take([0, row])).toThrow(`row ${row} does not exist; the table has 4 rows`);
  });
});

describe("column types", () => {
  const table = Table.fromColumns({ n: [1, 2.5, null], s: ["a", "b", "a"], t: ["a", "b", "c"] });

  it("are kept by select and take, and leave the cells alone", () => {
    const typed = table.withTypes({ n: "date", s: "binominal" }).select(["s", "n"]).take([2, 0]);
    expect(typed.columns.map(({ type }) => type)).toEqual(["binominal", "date"]);
    expect(typed.columns.map((column) => cellOf(column, 1))).toEqual(["a", 1]);
  });

  it("are refused for values that are not of them", () => {
    const types = (given: Parameters<Table["withTypes"]>[0]) => () => table.withTypes(given);
    expect(types({ n: "integer" })).toThrow(/row 1 \(from 0\) is 2.5, which is not an integer/);
    expect(types({ n: "binominal" })).toThrow(/is numeric, so it cannot be binominal/);
    expect(types({ s: "real" })).toThrow(/is nominal, so it cannot be real/);
    expect(types({ t: "binominal" })).toThrow(/has 3 values, but a binominal column has two/);
    expect(types({ z: "real" })).toThrow(/no column "z"/);
  });
});

describe("columns that make no table", () => {
  const column = (name: string, ...values: number[]): Column => {
    return { kind: "numeric", name, values: Float64Array.from(values) };
  };

  it("are refused as the caller's mistake", () => {
    const [x, y] = [column("x", 1), column("y", 1, 2)];
    expect(() => new Table([x, x])).toThrow(
      new InvalidInputError('two columns have the name "x"; rename one of them'),
    );
    expect(() => new Table([x, y])).toThrow(new InvalidInputError('column "y" has 2 cells, but "x" has 1'));
    for (const rows of [[{ x: 1 }], [[1, 2]], [null], { x: [1] }, "x"])
      expect(() => new Table(rows as never)).toThrow(
        "a table is made of columns; pass rows to Table.fromRows",
      );
  });
});
