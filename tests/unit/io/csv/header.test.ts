/**
 * CSV whose first line is a row: what columns are called then, and what is said where line 1 was taken for
 * names.
 */
import { describe, expect, it } from "vitest";
import { openCsv } from "../../../../src/io/csv/stream.ts";
import { readTable } from "../../../../src/io/read.ts";
import { collectTable } from "../../../../src/table/collect.ts";
import { failure, inPieces, pipe, plain, read } from "./helpers.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const rows = "5,a\n,b\n6,a\n";
const noHeader = { header: false };

describe("a file without a header", () => {
  it("has a row in line 1, and columns numbered as those of a matrix", async () => {
    const table = await read(rows, { ...noHeader, keepText: true });
    expect(plain(table)).toEqual({ "0": [5, null, 6], "1": ["a", "b", "a"] });
    expect(table.origin?.header).toEqual(["0", "1"]);
    expect(table.origin?.placeOf(0)).toEqual({ line: 1 });
    expect(table.origin?.firstText("1")).toEqual({ line: 1, text: "a" });
    expect(table.origin?.textOf?.(0)).toEqual(["5", "a"]);
  });

  it("may be a single row, and may repeat a cell or leave it empty", async () => {
    expect(plain(await read("1,1,", noHeader))).toEqual({ "0": [1], "1": [1], "2": [null] });
  });

  it("is the same in chunks, of a file and of a pipe", async () => {
    for (const source of [inPieces(bytesOf(rows), 3), pipe(bytesOf(rows), 3)]) {
      const stream = await openCsv(source, noHeader);
      expect(plain(await collectTable(stream, { maxRows: 1 }))).toEqual({
        "0": [5, null, 6],
        "1": ["a", "b", "a"],
      });
    }
  });

  it("is the same with its columns chosen by number", async () => {
    const options = { ...noHeader, nominal: ["0"], columns: ["1", "0"] };
    const table = await readTable(inPieces(bytesOf(rows), 5), options);
    expect(plain(table)).toEqual({ "1": ["a", "b", "a"], "0": ["5", null, "6"] });
    await expect(readTable(inPieces(bytesOf(rows), 5), { ...noHeader, columns: ["a"] })).rejects.toThrow(
      'there is no column "a"; the columns are "0", "1"',
    );
  });

  it("may not be empty, nor change its width", async () => {
    expect((await failure("", noHeader)).message).toBe("x.csv: is empty; expected rows");
    expect((await failure("1,2\n3\n", noHeader)).message).toContain(
      "line 2: has 1 cell, but the first line has 2; add",
    );
  });
});

describe("line 1 as column names", () => {
  const guessOf = async (text: string, options = {}) =>
    (await openCsv(inPieces(bytesOf(text), 5), options)).guesses.find(({ what }) => what === "column names");

  it("is a guess, unless it is said that there are none", async () => {
    const guess = {
      what: "column names",
      value: "from line 1",
      option: "--no-header",
      remedy: "header: false",
    };
    expect(await guessOf("width,kind\n1,a\n")).toEqual(guess);
    expect(await guessOf(rows, noHeader)).toBeUndefined();
  });

  it.each(["5.1,3.5,a\n4.9,3,a\n", "1e3,?,a\n4.9,3,b\n", "1999\n2000\n"])(
    "is doubted where columns of numbers have numbers for names (%j)",
    async (text) => {
      expect((await guessOf(text))?.value).toBe("from line 1, which looks like a row of values");
      expect((await read(text)).origin?.namesInDoubt).toBe(true);
      expect((await read(text, noHeader)).origin?.namesInDoubt).toBeUndefined();
    },
  );

  it("is doubted by the decimal separator", async () => {
    expect((await guessOf("5,1;a\n4,9;a\n", { decimal: "," }))?.value).toContain("looks like a row");
    expect((await guessOf("5,1;a\n4;a\n"))?.value).toBe("from line 1");
  });

  it.each(["0,1,2\n5,6,7\n", "5,b\nx,1\n", "a,b\nx,y\n", "?,b\n1,2\n"])(
    "is not doubted where names count the columns, or none of them is in the wrong place (%j)",
    async (text) => {
      expect((await guessOf(text))?.value).toBe("from line 1");
      expect((await read(text)).origin?.namesInDoubt).toBeUndefined();
    },
  );

  it("is named by what is wrong with it, and so is the way out", async () => {
    const remedy = "or read line 1 as a row (--no-header)";
    expect((await failure("1,2,1\n3,4,5\n")).message).toContain(remedy);
    expect((await failure("1,2\n")).message).toBe(`x.csv: has a header but no rows; add rows, ${remedy}`);
  });
});
