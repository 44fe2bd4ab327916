/**
 * These tests read CSV files as people have them: what stands above, beside and between the rows is no part
 * of any cell.
 */
import { describe, expect, it } from "vitest";
import { readCsv } from "../../../../src/io/csv/read.ts";
import { openCsv } from "../../../../src/io/csv/stream.ts";
import { collectTable } from "../../../../src/table/collect.ts";
import { chooseFeatures } from "../../../../src/models/preparation/roles.ts";
import { everyWay, failure, inPieces, pipe, plain, read } from "./helpers.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe("a column without a name", () => {
  it("in front names the rows, as pandas and R's write.csv write it", async () => {
    for (const name of ["", '""', " "]) {
      const table = await everyWay(`${name},a,b\n0,1,x\n1,2,y\n`);
      expect(plain(table)).toEqual({ "column 1": [0, 1], a: [1, 2], b: ["x", "y"] });
      expect(table.origin?.rowNames).toBe("column 1");
      expect(table.take([1]).origin?.rowNames).toBe("column 1");
    }
  });

  it("is no feature where it names the rows, unless it is named as one", async () => {
    const table = await read(",a\nx,1\ny,2\n");
    expect(chooseFeatures(table, {})).toEqual(["a"]);
    expect(chooseFeatures(table, { features: ["column 1", "a"] })).toEqual(["column 1", "a"]);
    expect(() => chooseFeatures(table, {}, "a")).toThrow(
      "has no columns to compare besides the label and the names of the rows",
    );
  });

  it("is not in the header at all where R's write.table writes it", async () => {
    const table = await everyWay('"a" "b"\n"r 1" 1 "x y"\n"r2" 2 "z"\n');
    expect(plain(table)).toEqual({ "column 1": ["r 1", "r2"], a: [1, 2], b: ["x y", "z"] });
    expect(table.origin?.rowNames).toBe("column 1");
    expect(table.origin?.header).toEqual(["column 1", "a", "b"]);
  });

  it("within the file is called by its number", async () => {
    const table = await everyWay("a,,b,\n1,2,3,\n4,5,6,7\n");
    expect(plain(table)).toEqual({ a: [1, 4], "column 2": [2, 5], b: [3, 6], "column 4": [null, 7] });
    expect(table.origin?.rowNames).toBeUndefined();
  });

  it("and without cells is none: delimiters at the ends of lines", async () => {
    const expected = { a: [1, 3], b: [2, 4] };
    for (const text of [
      "a,b,\n1,2,\n3,4,\n",
      "a,b,,\n1,2,,\n3,4,,\n",
      "a,b,\n1,2\n3,4\n",
      "a,b\n1,2,\n3,4,\n",
    ]) {
      const table = await everyWay(text);
      expect(plain(table)).toEqual(expected);
      expect(table.origin?.header).toEqual(["a", "b"]);
    }
  });

  it("of a pipe that has a cell later on is an error", async () => {
    const rows = "1,2,\n".repeat(20);
    const stream = await openCsv(pipe(bytesOf(`a,b,\n${rows}3,4,x\n`), 7), {}, 40);
    await expect(collectTable(stream)).rejects.toThrow(
      'x.csv, line 22, column 3: has "x" in a column without a name that was empty in the rows looked at',
    );
  });

  it("is not guessed where rows contradict each other", async () => {
    const error = await failure("a,b\nr1,1,\nr2,3,4\n");
    expect(error.place).toEqual({ file: "x.csv", line: 3, column: 3 });
    expect(error.message).toContain(
      'has "4" in a column without a name that is empty in the first row: either the names of the rows are in front, ' +
        "without a name in the header, or lines end with a delimiter too many; give each column a name",
    );
    const stream = await openCsv(pipe(bytesOf(`a,b\n${"r1,1,\n".repeat(20)}r2,3,4\n`), 7), {}, 40);
    await expect(collectTable(stream)).rejects.toThrow("is empty in the first row: either");
    expect(plain(await everyWay("a,b\n1,2,\n3,4, \n"))).toEqual({ a: [1, 3], b: [2, 4] });
  });

  it("must not have the name of another", async () => {
    expect((await failure(",column 1\n1,2\n")).message).toContain('is called "column 1", like column 1');
  });

  it("is not made up for a header of one name", async () => {
    expect((await failure("text\nhello, world\nhi, you\n")).place).toEqual({ file: "x.csv", line: 2 });
  });
});

describe("names", () => {
  it("have no blanks around them", async () => {
    expect(plain(await everyWay("a, b\t,  c d \n1,x,3\n"))).toEqual({ a: [1], b: ["x"], "c d": [3] });
  });
});

describe("blank lines", () => {
  it("are no rows, wherever they stand", async () => {
    const table = await everyWay("\n \na,b\n\n1,2\n\n  \n\t\n3,4\r\n\r\n");
    expect(plain(table)).toEqual({ a: [1, 3], b: [2, 4] });
    expect([0, 1].map((row) => table.origin?.placeOf(row))).toEqual([{ line: 5 }, { line: 9 }]);
  });

  it("are empty cells below the header of a file of one column", async () => {
    expect(plain(await everyWay("\na\n1\n\n3\n"))).toEqual({ a: [1, null, 3] });
  });
});

describe("lines of comment", () => {
  it("above the header are found", async () => {
    const table = await everyWay('# made by hand, on Monday; "5\n#units: cm\na,b\n1,2\n3,4\n');
    expect(plain(table)).toEqual({ a: [1, 3], b: [2, 4] });
    expect(table.origin?.placeOf(0)).toEqual({ line: 4 });
  });

  it("are the header where they have its cells, as numpy and many instruments write it", async () => {
    expect(plain(await everyWay("# x y\n1 2\n3 4\n"))).toEqual({ x: [1, 3], y: [2, 4] });
    expect(plain(await everyWay("# by me\n#id\tname\nu\tv\n"))).toEqual({ id: ["u"], name: ["v"] });
    expect(plain(await everyWay("# x\n1\n2\n"))).toEqual({ x: [1, 2] });
    expect(plain(await everyWay("# note\nx\n1\n2\n"))).toEqual({ x: [1, 2] });
    expect(plain(await everyWay("#a,b\nx,NA\ny,2\n"))).toEqual({ a: ["x", "y"], b: [null, 2] });
  });

  it("are no header above one, nor where there is none", async () => {
    expect(plain(await everyWay("#Created by X, 2024\nname,value\na,1\nb,2\n"))).toEqual({
      name: ["a", "b"],
      value: [1, 2],
    });
    expect(plain(await everyWay("# x, y\n1,2\n3,4\n", { header: false }))).toEqual({ 0: [1, 3], 1: [2, 4] });
  });

  it("may have blank lines above and between them, and a line for Excel below", async () => {
    const expected = { a: [1], b: [2] };
    const table = await everyWay("\n# c\n \n# d\na,b\n1,2\n");
    expect(plain(table)).toEqual(expected);
    expect(table.origin?.placeOf(0)).toEqual({ line: 6 });
    expect(plain(await everyWay("\r\n# a;b\r\n\r\n1;2\r\n"))).toEqual(expected);
    for (const comment of [undefined, "#"]) {
      const divided = await everyWay("# c\nsep=;\na;b\n1;2\n", comment === undefined ? {} : { comment });
      expect(plain(divided)).toEqual(expected);
      expect(divided.origin?.placeOf(0)).toEqual({ line: 4 });
    }
    expect(plain(await everyWay("sep=;\ra;b\r1;2\r"))).toEqual(expected);
  });

  it("may hold carriage returns and odd quotes, whatever ends lines", async () => {
    const expected = { a: [1, 3], b: [2, 4] };
    expect(plain(await everyWay("# c\rd\n# e\rf\na,b\n1,2\n3,4\n"))).toEqual(expected);
    expect(plain(await everyWay("# c\rd\n# a,b\n1,2\n3,4\n"))).toEqual(expected);
    expect(plain(await everyWay('# don"t\ra,b\r1,2\r3,4\r'))).toEqual(expected);
    expect(plain(await everyWay('%don"t\ra,b\r1,2\r3,4\r', { comment: "%" }))).toEqual(expected);
  });

  it("must not start with the delimiter, and are not taken to", async () => {
    const both = "the delimiter and the start of lines of comment are both";
    expect((await failure("a;b\n1;2\n", { comment: ";", delimiter: ";" })).message).toContain(both);
    expect((await failure("a b\n1 2\n", { comment: "\t", delimiter: "blanks" })).message).toContain(both);
    expect((await failure("sep=;\na;b\n1;2\n", { comment: ";" })).message).toContain("the line sep=; names");
    expect(plain(await everyWay(";c\na;b\n1;2\n", { comment: ";" }))).toEqual({ "a;b": ["1;2"] });
    expect((await failure("\tc\na b\n1 2\n3\t4\n", { comment: "\t", numeric: ["a b"] })).place?.line).toBe(3);
  });

  it("anywhere are left out where it is said how they start", async () => {
    const text = '%a "quote\na,b\n1,"x\n% y"\n%,,,\n% z\n2,"u"\n3,w\n%end';
    const table = await everyWay(text, { comment: "%" });
    expect(plain(table)).toEqual({ a: [1, 2, 3], b: ["x\n% y", "u", "w"] });
    expect([0, 1, 2].map((row) => table.origin?.placeOf(row))).toEqual([
      { line: 3 },
      { line: 7 },
      { line: 8 },
    ]);
  });

  it("are left out beside records that are unusual, and where lines end with CR", async () => {
    const table = await everyWay('//x\na\n1\n//y,\n"2" \n//z\n3\r\n', { comment: "//", delimiter: "," });
    expect(plain(table)).toEqual({ a: [1, 2, 3] });
    expect(table.origin?.placeOf(2)).toEqual({ line: 7 });
    expect(plain(await everyWay("#x\ra,b\r1,2\r#y\r3,4\r", { comment: "#" }))).toEqual({
      a: [1, 3],
      b: [2, 4],
    });
  });

  it("are cells where the caller says that there are none", async () => {
    expect(plain(await everyWay("# a,b\nx,1\n", { comment: "" }))).toEqual({ "# a": ["x"], b: [1] });
    expect((await failure("a\n1\n", { comment: '"' })).message).toContain("comment lines start with");
  });
});

describe("the first lines", () => {
  it.each(["\n", "\r\n", "\r"])("are left out as many as are said (%j)", async (end) => {
    const table = await everyWay(["506,13,,", 'a "title', "a,b", "1,2", "3,4", ""].join(end), { skip: 2 });
    expect(plain(table)).toEqual({ a: [1, 3], b: [2, 4] });
    expect(table.origin?.placeOf(0)).toEqual({ line: 4 });
  });

  it("may be more than are looked at", async () => {
    const text = `${"title;\n".repeat(20_000)}a;b\n1;2\n`;
    const source = inPieces(bytesOf(text), 1000);
    expect(plain(await readCsv(source, { skip: 20_000 }))).toEqual({ a: [1], b: [2] });
    const chunks = await openCsv(source, { skip: 20_000 });
    expect(plain(await collectTable(chunks))).toEqual({ a: [1], b: [2] });
  });

  it("may be all", async () => {
    expect((await failure("a\n1\n", { skip: 2 })).message).toContain("is empty");
    expect((await failure("a\n1\n", { skip: -1 })).message).toContain(
      "skip is -1; expected the number of lines",
    );
  });

  it("name the delimiter for Excel", async () => {
    expect(plain(await everyWay("sep=;\r\na;b\r\n1;2\r\n"))).toEqual({ a: [1], b: [2] });
    expect(plain(await everyWay("SEP=^\na^b\n1,5^2\n"))).toEqual({ a: ["1,5"], b: [2] });
  });
});

describe("runs of blanks", () => {
  it("divide cells where each line has as many and some are numbers", async () => {
    expect(plain(await everyWay("  x   y\tz\n 1  2.5 a \n10 3   b\n"))).toEqual({
      x: [1, 10],
      y: [2.5, 3],
      z: ["a", "b"],
    });
    expect(plain(await everyWay(" 5  162 60\n 2  110 60\n", { header: false }))).toEqual({
      "0": [5, 2],
      "1": [162, 110],
      "2": [60, 60],
    });
  });

  it("do not divide words", async () => {
    expect(plain(await everyWay("full name\nJohn Smith\nJane Doe\n"))).toEqual({
      "full name": ["John Smith", "Jane Doe"],
    });
  });

  it("can be asked for, and keep what is quoted together", async () => {
    const table = await everyWay('n v\n"a  ""b"" c"   x\'y\n\n"d\te" 1"2\n', { delimiter: "blanks" });
    expect(plain(table)).toEqual({ n: ['a  "b" c', "d\te"], v: ["x'y", '1"2'] });
  });

  it("divide no lines of comment, which are found by their blanks too", async () => {
    for (const comment of ["# ", "#", "#  "]) {
      const text = '#  by "me\n x  y\n 1 2\n#  "z\n\n3   4\n#  end';
      const table = await everyWay(text, { comment, delimiter: "blanks" });
      expect(plain(table)).toEqual({ x: [1, 3], y: [2, 4] });
      expect([0, 1].map((row) => table.origin?.placeOf(row))).toEqual([{ line: 3 }, { line: 6 }]);
    }
    const padded = await everyWay('x y\n1 2\n  // "z\n/ 4\n/', { comment: "//", delimiter: "blanks" }).catch(
      String,
    );
    expect(padded).toContain("line 5: has 1 cell, but the header has 2");
    expect(plain(await everyWay('x y\n1 2\n  // "z\n/ 4\n', { comment: "//", delimiter: "blanks" }))).toEqual(
      {
        x: ["1", "/"],
        y: [2, 4],
      },
    );
  });

  it("are told from one column, where nothing divides", async () => {
    const guess = async (text: string) => {
      const { guesses } = await openCsv(inPieces(bytesOf(text), 5));
      return guesses.find(({ what }) => what === "delimiter")?.value;
    };
    expect(await guess("a\n1\n")).toBe("none found, so that a line is a cell");
    expect(await guess("a b\n1 2\n")).toBe("runs of blanks, found in the first lines");
    expect(await guess("a;b\n1;2\n")).toBe('";", found in the first lines');
  });
});

it("what was found above the rows is among the guesses", async () => {
  const { guesses } = await openCsv(inPieces(bytesOf("# c\n,a\nx,1\n"), 5));
  expect(guesses.slice(0, 3).map(({ what, value, option }) => [what, value, option])).toEqual([
    ["lines above the header", "1 left out", "--comment, --skip"],
    ["column names", "from line 2", "--no-header"],
    ["row names", '"column 1", which the header has no name for', "--features"],
  ]);
});
