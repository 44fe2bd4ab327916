import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../../src/core/errors.ts";
import { loadParser, RecordReader } from "../../../../src/io/csv/records.ts";
import { failure } from "./helpers.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);
const text = (value: string) => new TextEncoder().encode(value);

describe("a file", () => {
  it("may not be empty", async () => {
    for (const empty of ["", "\uFEFF"]) expect((await failure(empty)).message).toContain("x.csv: is empty");
  });

  it("may not be a header only", async () => {
    for (const end of ["", "\n", "\r\n", "\n\n\n"]) {
      expect((await failure(`a,b${end}`)).message).toMatch(/^x\.csv: has a header but no rows;/);
    }
  });

  it("must be UTF-8, else the line is named", async () => {
    const latin1 = Uint8Array.from([...text("a,b\n1,é\r\n2,"), 0xe9, ...text(",\n")]);
    const error = await failure(latin1);
    expect(error.place).toEqual({ file: "x.csv", line: 3 });
    expect(error.message).toContain("not valid UTF-8");
  });

  it("must not end within a character", async () => {
    const cut = text("a,b\n1,x\n2,€").slice(0, -1);
    expect((await failure(cut)).place).toEqual({ file: "x.csv", line: 3 });
  });

  it("must be text", async () => {
    expect((await failure("a,b\n1,2\n3,\0\n")).place).toEqual({ file: "x.csv", line: 3 });
    expect((await failure(bytes(0x1f, 0x8b, 8, 0, 0, 0))).message).toContain("gzip");
  });
});

describe("a header", () => {
  it("needs names that differ", async () => {
    const error = await failure("a,b,a\n1,2,3\n");
    expect(error.place).toEqual({ file: "x.csv", line: 1, column: 3 });
    expect(error.message).toContain('"a", like column 1');
  });
});

describe("a row", () => {
  it("needs as many cells as the header", async () => {
    const few = await failure("a,b,c\n1,2,3\n4,5\n6,7,8\n");
    expect(few.place).toEqual({ file: "x.csv", line: 3 });
    expect(few.message).toContain("has 2 cells, but the header has 3");
    const many = await failure("a,b\n1,2\n3,4,5\n");
    expect(many.place).toEqual({ file: "x.csv", line: 3 });
    expect(many.message).toContain("has 3 cells, but the header has 2");
    expect((await failure("a,b\n1,2\n3")).message).toContain("line 3: has 1 cell, but the header has 2");
  });

  it.each(["\n", "\r\n", "\r"])(
    "is named by its true line after cells of several lines (%j)",
    async (end) => {
      const lines = ["a,b", '"1', "1", '1",2', '3,"4', '4"', "5"];
      expect((await failure(lines.join(end))).place).toEqual({ file: "x.csv", line: 7 });
    },
  );

  it("with the delimiter in an unquoted cell of a file of one column is an error, not two cells", async () => {
    expect((await failure("text\nhello\nhello, world\n")).place).toEqual({ file: "x.csv", line: 3 });
  });

  it("may not change from CR to LF", async () => {
    expect((await failure("a,b\r1,2\r\n3,4\r\n")).place).toEqual({ file: "x.csv", line: 3 });
  });
});

describe("a quote", () => {
  it("that is never closed is named by the line that opens it", async () => {
    const error = await failure('a,b\n1,"x\ny"\n"2\n\n",ok\n3,"open\n4,z\n5,w\n');
    expect(error.place).toEqual({ file: "x.csv", line: 7 });
    expect(error.message).toContain("a quote is opened here and never closed");
  });

  it("that is never closed is named within its own record", async () => {
    expect((await failure('a,b\n"1\n1","open\n')).place).toEqual({ file: "x.csv", line: 3 });
  });

  it("in the header that is never closed is named", async () => {
    expect((await failure('a,"b\n1,2\n')).place).toEqual({ file: "x.csv", line: 1 });
  });

  it("may not be followed by text", async () => {
    const error = await failure('a,b\n1,x\n2,"5" pipe"\n3,y\n');
    expect(error.place).toEqual({ file: "x.csv", line: 3 });
    expect(error.message).toContain("text after its closing quote");
    expect((await failure('a,b\n"1"x,2\n')).place).toEqual({ file: "x.csv", line: 2 });
    expect((await failure('a,b\n"1\n1","x" y\n2,3\n')).place).toEqual({ file: "x.csv", line: 3 });
  });
});

describe("an option", () => {
  it.each(["", ",,", '"', "\n", "\r", "\uFEFF"])("delimiter %j is refused", async (delimiter) => {
    expect((await failure("a\n1\n", { delimiter })).message).toContain("the delimiter is");
  });

  it("decimal must be a point or a comma that does not also delimit", async () => {
    expect((await failure("a\n1\n", { decimal: "·" as "." })).message).toContain('expected "." or ","');
    expect((await failure("a\n1\n", { decimal: ",", delimiter: "," })).message).toContain("both");
  });
});

describe("a record without end", () => {
  it("is not parsed again with every piece", async () => {
    const Parser = await loadParser();
    let parsed = 0;
    class Counting extends Parser {
      constructor(config: ConstructorParameters<typeof Parser>[0]) {
        super(config);
        const { parse } = this;
        this.parse = (input, baseIndex, ignoreLastRow) => {
          parsed += input.length;
          return parse(input, baseIndex, ignoreLastRow) as unknown;
        };
      }
    }
    const reader = new RecordReader("x.csv", { delimiter: ",", newline: "\n" }, Counting, () => {});
    for (let piece = 0; piece < 1000; piece++) reader.push('"'.repeat(piece === 0 ? 1 : 0) + "x".repeat(100));
    expect(() => reader.end()).toThrow("never closed");
    expect(parsed).toBeGreaterThan(100_000);
    expect(parsed).toBeLessThan(500_000);
  });

  it("is given up at a limit, with its first line", async () => {
    const Parser = await loadParser();
    const reader = (limit: number) =>
      new RecordReader("x.csv", { delimiter: ",", newline: "\n" }, Parser, () => {}, limit);
    expect(() => reader(10).push("a,b\n12345678901")).toThrow(InvalidInputError);
    expect(() => reader(10).push("a,b\n12345678901")).toThrow("line 2: is longer than 10 characters");
    expect(() => reader(10).push('a,b\n1,"\n45678901')).toThrow("line 2: a quote is opened here");
    expect(() => reader(11).push("a,b\n12345678901")).not.toThrow();
  });
});
