import { describe, expect, it } from "vitest";
import { cellsOf, writeCsv, type CsvCell, type CsvWriteOptions } from "../../../../src/io/csv/write.ts";
import { Table } from "../../../../src/table/table.ts";

const line = (cells: CsvCell[], options?: CsvWriteOptions) =>
  [
    ...writeCsv(
      cells.map((_, j) => `c${j}`),
      [cells],
      options,
    ),
  ]
    .join("")
    .split(options?.newline ?? "\n")[1];

describe("writing a cell", () => {
  it.each([
    ["plain", "plain"],
    ["a b", "a b"],
    ["a;b", "a;b"],
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["a\rb", '"a\rb"'],
    [" a", '" a"'],
    ["a\t", '"a\t"'],
    ["\uFEFFa", '"\uFEFFa"'],
    ["", ""],
  ])("quotes only where needed: %j", (text, expected) => {
    expect(line([text, "x"])).toBe(`${expected},x`);
  });

  it("prints numbers in their shortest form", () => {
    expect(line([1, 0.1, 1 / 3, 1e-7, 1e21, -0, 9007199254740992])).toBe(
      "1,0.1,0.3333333333333333,1e-7,1e+21,-0,9007199254740992",
    );
    expect(line([2 ** 64, -(2 ** 64)])).toBe("1.8446744073709552e+19,-1.8446744073709552e+19");
    expect(line([NaN, Infinity, -Infinity, null])).toBe("NaN,Infinity,-Infinity,");
  });

  it("follows the delimiter, the decimal separator and the line end asked for", () => {
    expect(line([1.5, "a;b", "a,b"], { decimal: "," })).toBe('1,5;"a;b";a,b');
    expect(line([1.5, "a\tb"], { delimiter: "\t" })).toBe('1.5\t"a\tb"');
    expect([...writeCsv(["a"], [["x"]], { newline: "\r\n" })].join("")).toBe("a\r\nx\r\n");
  });

  it("leaves no blank line when the only cell is empty", () => {
    expect([...writeCsv(["a"], [[""], [null], ["x"]])].join("")).toBe('a\n""\n""\nx\n');
  });
});

describe("writing rows", () => {
  it("gives the header alone when there are none", () => {
    expect([...writeCsv(["a", "b,c"], [])]).toEqual(['a,"b,c"\n']);
  });

  it("comes in pieces of whole lines, made as they are asked for", () => {
    let made = 0;
    function* rows() {
      for (; made < 100_000; made++) yield [made, "x".repeat(20)];
    }
    const pieces = writeCsv(["n", "x"], rows());
    const first = pieces.next().value as string;
    expect(first.length).toBeLessThan(1 << 17);
    expect(first.endsWith("\n")).toBe(true);
    expect(made).toBeLessThan(5000);
    const all = [first, ...pieces];
    expect(all.length).toBeGreaterThan(10);
    expect(all.join("").split("\n").length).toBe(100_002);
  });

  it("refuses a row that is not as wide as the header", () => {
    expect(() => [...writeCsv(["a", "b"], [["x", "y"], ["z"]])]).toThrow(
      "row 1 has 1 cell, but the header has 2",
    );
  });

  it("refuses a delimiter that could not be read back", () => {
    expect(() => [...writeCsv(["a"], [], { delimiter: "\n" })]).toThrow("the delimiter is");
    expect(() => [...writeCsv(["a"], [], { delimiter: ",", decimal: "," })]).toThrow("both");
  });

  it("says what writes a table", () => {
    const table = Table.fromColumns({ a: [1] });
    const given = writeCsv as unknown as (table: Table) => Iterable<string>;
    expect(() => [...given(table)]).toThrow('a Table is written by writeTable("csv", table)');
  });

  it("takes a table's rows", () => {
    const table = Table.fromColumns({ a: [1, null], b: ["x", "y"] });
    expect([...writeCsv(table.names, cellsOf(table))].join("")).toBe("a,b\n1,x\n,y\n");
  });
});
