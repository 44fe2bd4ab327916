/**
 * Numbers as people write them in CSV: with thousands separators, units and leading zeros; read right, or
 * hinted.
 */
import { describe, expect, it } from "vitest";
import { openCsv } from "../../../../src/io/csv/stream.ts";
import type { CsvOptions } from "../../../../src/io/csv/options.ts";
import { everyWay, failure, inPieces, plain, read } from "./helpers.ts";

const hintsOf = async (text: string, options?: CsvOptions) =>
  (await read(text, options)).origin?.hints?.map(
    ({ what, value, option }) => `${what}: ${value} (${option})`,
  );

const remediesOf = async (text: string) =>
  (await read(text)).origin?.hints?.map(({ remedy }) => remedy).join("; ");

describe("leading zeros", () => {
  it("make a column text, wherever they come", async () => {
    const table = await everyWay("zip,n\n10001,1\n00501,0\n+07,-0\n");
    expect(plain(table)).toEqual({ zip: ["10001", "00501", "+07"], n: [1, 0, -0] });
    expect(table.origin?.firstText("zip")).toEqual({ line: 3, text: "00501" });
  });

  it("are numbers before a decimal separator, and where the caller says so", async () => {
    expect(plain(await everyWay("a\n00.5\n0.5\n0\n-0\n"))).toEqual({ a: [0.5, 0.5, 0, -0] });
    expect(plain(await everyWay("a\n007\n -010 \n", { numeric: ["a"] }))).toEqual({ a: [7, -10] });
    expect(plain(await everyWay("a\n00,5\n0,5\n", { decimal: "," }))).toEqual({ a: [0.5, 0.5] });
  });

  it("are hinted", async () => {
    expect(await hintsOf("zip,n\n10001,1\n00501,2\n")).toEqual([
      'words: column "zip" is read as text, since "00501" in line 3 has leading zeros (--numeric zip)',
    ]);
    expect(await hintsOf("a,b\n007,1\nx,2\n")).toBeUndefined();
  });
});

describe("thousands", () => {
  it("are read with the separator given, in groups of three alone", async () => {
    const table = await everyWay("a;b\n1,200;x\n1,234,567.5;y\n-12;z\n", { thousands: "," });
    expect(plain(table)).toEqual({ a: [1200, 1234567.5, -12], b: ["x", "y", "z"] });
    expect(table.origin?.textOf?.(1)).toEqual(["1,234,567.5", "y"]);
    expect(plain(await everyWay("a;b\n1.200,5;x\n3;y\n", { thousands: ".", decimal: "," }))).toEqual({
      a: [1200.5, 3],
      b: ["x", "y"],
    });
    for (const cell of ["1,20", "12,3456", "1,2000", ",200", "1234,567", "1,200,", "0,200"])
      expect(plain(await read(`a;b\n"${cell}";x\n`, { thousands: "," })).a).toEqual([cell]);
  });

  it("are hinted, and never taken for decimals", async () => {
    const text = 'price,n\n"1,200",1\n"12,345.50",2\n950,3\n';
    expect(plain(await everyWay(text)).price).toEqual(["1,200", "12,345.50", "950"]);
    expect(await hintsOf(text)).toEqual([
      'words: column "price" is read as text, but "1,200" in line 2 looks like a number (--thousands ,)',
    ]);
    expect(await hintsOf("a;b\n1.200,5;1\n1.300;2\n", { decimal: "," })).toEqual([
      'words: column "a" is read as text, but "1.200,5" in line 2 looks like a number (--thousands .)',
    ]);
    expect(await hintsOf("a;b\n1 200;1\n1 300;2\n")).toEqual([
      `words: column "a" is read as text, but "1 200" in line 2 looks like a number (--thousands ' ')`,
    ]);
  });

  it("need a separator of their own", async () => {
    for (const thousands of [".", "", ",,", "1", "-"])
      expect((await failure("a\n1\n", { thousands })).message).toContain("separator of thousands is");
  });
});

describe("prefixes of units", () => {
  it.each(["k", "K", "M", "G", "B", "T", "mio", "Mio", "Mrd", "bn"])(
    "such as %s get no hint",
    async (unit) => {
      const cells = [5, 6, 7, 8, 9].map((number) => `${number}${unit}`).join("\n");
      expect((await read(`p\n${cells}\n900\n`)).origin?.hints).toBeUndefined();
    },
  );

  it.each(["m", "g", "t", "mm", "kg"])("are told from %s", async (unit) => {
    expect((await read(`p\n5${unit}\n6${unit}\n`)).origin?.hints?.[0].option).toBe(`--units ${unit}`);
  });
});

describe("units", () => {
  it("stand before or behind numbers, where they are named", async () => {
    const table = await everyWay("a,b,c\n$3.50,12%,5 kg\n-$1,0.5%,7\n$-2,-100 %,8kg\n", {
      units: ["$", "%", "kg"],
    });
    expect(plain(table)).toEqual({ a: [3.5, -1, -2], b: [0.12, 0.005, -1], c: [5, 7, 8] });
  });

  it("go with thousands and decimals", async () => {
    const options = { units: ["€"], thousands: ".", decimal: "," } as const;
    expect(plain(await everyWay("a;b\n1.200,50 €;x\n3 €;y\n", options)).a).toEqual([1200.5, 3]);
  });

  it("are hinted with all that is needed", async () => {
    expect(await hintsOf("p,q\n12%,$3.50\n7%,$4\n0%,$12\n")).toEqual([
      'words: column "p" is read as text, but "12%" in line 2 looks like a number (--units %)',
      `words: column "q" is read as text, but "$3.50" in line 2 looks like a number (--units '$')`,
    ]);
    expect(await hintsOf('p\n"$1,200"\n"$900"\n')).toEqual([
      `words: column "p" is read as text, but "$1,200" in line 2 looks like a number (--units '$' --thousands ,)`,
    ]);
    expect(await hintsOf("a;b\n1,5;1\n2;2\n")).toEqual([
      'words: column "a" is read as text, but "1,5" in line 2 looks like a number (--decimal ,)',
    ]);
  });

  it("are hinted in the words of the library, too", async () => {
    expect(await remediesOf("zip,n\n10001,1\n00501,2\n")).toBe('numeric: ["zip"]');
    expect(await remediesOf('p\n"$1,200"\n"$900"\n')).toBe('units: ["$"], thousands: ","');
    expect(await remediesOf("a;b\n1,5;1\n2;2\n")).toBe('decimal: ","');
    expect(await remediesOf(",a\nx,1\n")).toBe("its name among the features");
  });

  it("are not seen in words, nor where numbers are few", async () => {
    for (const text of ["a\nA1\nB2\nC3\n", "a\n12%\nlow\nhigh\n", "a\nx\n12%\n", "a\n1st\n2nd\n3rd\n"])
      expect(await hintsOf(text)).toBeUndefined();
    expect(await hintsOf("a\n12%\n", { nominal: ["a"] })).toBeUndefined();
  });

  it("must be something", async () => {
    expect((await failure("a\n1\n", { units: [""] })).message).toContain("a unit is empty");
    expect((await failure("a\n1\n", { units: ["m2"] })).message).toContain('the unit "m2" ends with a digit');
  });
});

it("row names are hinted", async () => {
  expect(await hintsOf(",a\nx,1\n")).toEqual([
    'row names: "column 1" has no name in the header, so it names the rows and is not compared (--features)',
  ]);
});

it("a pipe's column of leading zeros is settled by its start", async () => {
  const source = { ...inPieces(new TextEncoder().encode("a\n1\n2\n003\n"), 2), once: true };
  const stream = await openCsv(source, {}, 4);
  const read = async () => {
    for await (const chunk of stream.chunks()) expect(chunk.rows).toBe(0);
  };
  await expect(read()).rejects.toThrow('"003" has leading zeros, as words have; the first');
});
