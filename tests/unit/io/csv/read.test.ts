import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readCsv } from "../../../../src/io/csv/read.ts";
import { bytesSource } from "../../../../src/io/bytes/source.ts";
import { Random, printedSeed } from "../../../oracle/random.ts";
import { inPieces, plain, read } from "./helpers.ts";

const vega = (name: string) => bytesSource(readFileSync(`node_modules/vega-datasets/data/${name}`), name);

describe("records", () => {
  it("reads a header and rows", async () => {
    const table = await read("a,b\n1,x\n2.5,y\n");
    expect(table.names).toEqual(["a", "b"]);
    expect(plain(table)).toEqual({ a: [1, 2.5], b: ["x", "y"] });
  });

  it("does not need a line end after the last row", async () => {
    expect(plain(await read("a,b\n1,x\n2,y"))).toEqual({ a: [1, 2], b: ["x", "y"] });
    expect(plain(await read('a,b\n1,x\n2,"y"'))).toEqual({ a: [1, 2], b: ["x", "y"] });
  });

  it.each([
    ["LF", "\n"],
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ])("reads lines that end with %s", async (_, end) => {
    const text = ["a,b", '1,"x"', '2,"y, z" ', '"3",w', ""].join(end);
    expect(plain(await read(text))).toEqual({ a: [1, 2, 3], b: ["x", "y, z", "w"] });
    expect(plain(await read(text.slice(0, -end.length)))).toEqual({ a: [1, 2, 3], b: ["x", "y, z", "w"] });
  });

  it("reads CRLF and LF in one file", async () => {
    expect(plain(await read("a,b\n1,x\r\n2,y\n"))).toEqual({ a: [1, 2], b: ["x", "y"] });
    expect(plain(await read('a,b\r\n1,x\n"2",y\r\n'))).toEqual({ a: [1, 2], b: ["x", "y"] });
  });

  it("knows the line of every row where some rows take several, and line ends change", async () => {
    const random = new Random(printedSeed());
    const records = Array.from({ length: 400 }, (_, row) => {
      const kind = random.int(0, 40);
      const cell =
        kind === 0 ? `"a\n${row}"` : kind === 1 ? `"a\r\n\n${row}"` : random.pick(["a", '"b,"', "c d"]);
      return { text: `${row},${cell}`, lines: kind === 0 ? 2 : kind === 1 ? 3 : 1 };
    });
    for (const ends of [["\n"], ["\r\n"], ["\n", "\r\n"]]) {
      const text = `id,cell${ends[0]}${records.map((record) => record.text + random.pick(ends)).join("")}`;
      for (const size of [60, 700, 1 << 16]) {
        const table = await readCsv(inPieces(new TextEncoder().encode(text), size));
        let line = 2;
        records.forEach(({ lines }, row) => {
          expect(table.origin?.placeOf(row)).toEqual({ line });
          line += lines;
        });
        expect(plain(table).id).toEqual(records.map((_, row) => row));
      }
    }
  });

  it("keeps a carriage return that is quoted, whatever ends the line", async () => {
    const text = 'a,b\n1,"x\r"\r\n2,"\r"\r\n3,",\r"\n4,"""\r"\r\n5,z\r\n';
    expect(plain(await read(text))).toEqual({ a: [1, 2, 3, 4, 5], b: ["x\r", "\r", ",\r", '"\r', "z"] });
  });

  it("takes delimiters, doubled quotes and line ends inside quotes as text", async () => {
    const table = await read('a,b\n"x,1","say ""hi"""\n"two\nlines","two\r\nmore"\n"",""""\n', { na: [] });
    expect(plain(table)).toEqual({ a: ["x,1", "two\nlines", ""], b: ['say "hi"', "two\r\nmore", '"'] });
  });

  it("takes a quote inside an unquoted cell as text", async () => {
    expect(plain(await read('a,b\n5" pipe,1\nx"y"z,2\n'))).toEqual({ a: ['5" pipe', 'x"y"z'], b: [1, 2] });
  });

  it("keeps spaces in nominal cells", async () => {
    expect(plain(await read("a,b\nx , y\nz,w\n"))).toEqual({ a: ["x ", "z"], b: [" y", "w"] });
  });

  it("ignores blank lines after the last row", async () => {
    expect(plain(await read("a,b\n1,2\n\n\r\n\n"))).toEqual({ a: [1], b: [2] });
  });

  it("strips a byte-order mark, also before a quoted name", async () => {
    expect((await read("\uFEFFa,b\n1,2\n")).names).toEqual(["a", "b"]);
    expect((await read('\uFEFF"a",b\n1,2\n')).names).toEqual(["a", "b"]);
  });

  it("reads a record longer than its pieces", async () => {
    const long = "line\n".repeat(40_000);
    const table = await readCsv(inPieces(new TextEncoder().encode(`a,b\n"${long}",1\nx,2\n`), 1000));
    expect(plain(table)).toEqual({ a: [long, "x"], b: [1, 2] });
    expect(table.origin!.placeOf(1)).toEqual({ line: 40_003 });
  });

  it("reads one column, where a blank line is an empty cell", async () => {
    expect(plain(await read("a\n1\n\n3\n"))).toEqual({ a: [1, null, 3] });
    expect(plain(await read("a\r\nx\r\n\r\ny\r\n", { na: [] }))).toEqual({ a: ["x", "", "y"] });
  });
});

describe("the delimiter", () => {
  it.each([",", ";", "\t", "|"])("is found: %j", async (delimiter) => {
    const text = ["a,b;c\td|e,f", "1,2;3\t4|5,6"].join("\n");
    const table = await read(
      ["name", `"${text}"`, "z"].join(delimiter) + "\n" + ["1", "2", "3"].join(delimiter),
    );
    expect(table.names).toEqual(["name", text, "z"]);
  });

  it("is the one that divides all first lines alike, not the most frequent one", async () => {
    const table = await read("a;b\n1,5;x\n2,25,0;y\n");
    expect(plain(table)).toEqual({ a: ["1,5", "2,25,0"], b: ["x", "y"] });
  });

  it("is not judged by blank lines at the end", async () => {
    expect(plain(await read("a,b;c;d\n1,2\n\n"))).toEqual({ a: [1], "b;c;d": [2] });
  });

  it("can be given", async () => {
    expect(plain(await read("a;b,c;d\n1;2,3;4\n", { delimiter: "," }))).toEqual({
      "a;b": ["1;2"],
      "c;d": ["3;4"],
    });
    expect(plain(await read("a^b\n1^2\n", { delimiter: "^" }))).toEqual({ a: [1], b: [2] });
  });

  it("is not the comma where the comma is the decimal separator", async () => {
    const table = await read("x;y\n1,5;2\n-,25;1,0e2\n", { decimal: "," });
    expect(plain(table)).toEqual({ x: [1.5, -0.25], y: [2, 100] });
    expect(plain(await read("x\n1,5\n2,5\n", { decimal: "," }))).toEqual({ x: [1.5, 2.5] });
  });

  it("is found in a header longer than the sample", async () => {
    const names = Array.from({ length: 20_000 }, (_, j) => `column${j}`);
    const table = await read(`${names.join(";")}\n${names.map((_, j) => j).join(";")}\n`);
    expect(table.names).toEqual(names);
    expect(plain(table)["column19999"]).toEqual([19_999]);
  });
});

describe("what is remembered of the file", () => {
  it("is the line of each row, also after cells of several lines and for rows taken", async () => {
    const table = await read('a,b\n1,x\n2,"y\ny\ny"\n3,z\n4,w\n');
    const lines = (t: typeof table) =>
      Array.from({ length: t.rows }, (_, row) => Object.values(t.origin!.placeOf(row))[0]);
    expect(lines(table)).toEqual([2, 3, 6, 7]);
    expect(lines(table.take([3, 0, 3]).select(["b"]))).toEqual([7, 2, 7]);
    expect(table.origin!.file).toBe("x.csv");
  });

  it("is the order of the file's columns", async () => {
    const table = (await read("z,a,m\n1,2,3\n")).select(["m", "z"]);
    expect(table.origin!.header).toEqual(["z", "a", "m"]);
  });

  it("is the text of every cell when asked for", async () => {
    const rows = [
      ["1.50", "x", "NA", "+1", "007", ""],
      [" 2", "", " N/A ", "1e3", "a", "?"],
      ["-0.0", "?", "-0", "1E3", "0.10", "NaN"],
      ["1", " y ", "5", ".5", "é", "nan"],
    ];
    const text = "a,b,c,d,e,f\n" + rows.map((row) => row.join(",")).join("\n");
    const table = await read(text, { keepText: true });
    expect(rows.map((_, row) => table.origin!.textOf!(row))).toEqual(rows);
    expect(table.take([2]).drop(["a"]).origin!.textOf!(0)).toEqual(rows[2]);
    expect(table.columns.map(({ kind }) => kind).join()).toBe(
      "numeric,nominal,numeric,numeric,nominal,numeric",
    );
  });

  it("is no text unless asked for", async () => {
    expect((await read("a\n1.50\n")).origin!.textOf).toBeUndefined();
  });
});

describe("reading", () => {
  it("gives the same table whatever the pieces are", async () => {
    const text = '\uFEFFa;b;é\r\n1;"x;""é""\r\n";😀\r\n2,50;\r;"z"\n"3";;€\r\n\r\n';
    const bytes = new TextEncoder().encode(text);
    const whole = await readCsv(inPieces(bytes, bytes.length), { decimal: ",", keepText: true });
    expect(plain(whole)).toEqual({ a: [1, 2.5, 3], b: ['x;"é"\r\n', "\r", null], é: ["😀", "z", "€"] });
    for (const size of [1, 2, 3, 7]) {
      const table = await readCsv(inPieces(bytes, size), { decimal: ",", keepText: true });
      expect(plain(table)).toEqual(plain(whole));
      for (let row = 0; row < 3; row++) {
        expect(table.origin!.placeOf(row)).toEqual(whole.origin!.placeOf(row));
        expect(table.origin!.textOf!(row)).toEqual(whole.origin!.textOf!(row));
      }
    }
  });

  it("reports progress in bytes", async () => {
    const seen: [number, number | undefined][] = [];
    const bytes = new TextEncoder().encode("a,b\n1,2\n");
    await readCsv(inPieces(bytes, 3), { onProgress: (done, all) => seen.push([done, all]) });
    expect(seen).toEqual([
      [3, 8],
      [6, 8],
      [8, 8],
    ]);
  });

  it("stops with the signal's reason", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const bytes = new TextEncoder().encode("a,b\n1,2\n");
    const done = readCsv(inPieces(bytes, 1), {
      signal: controller.signal,
      onProgress: (count) => count === 4 && controller.abort(reason),
    });
    await expect(done).rejects.toBe(reason);
  });

  it("reads real files", async () => {
    const stocks = await readCsv(vega("stocks.csv"));
    expect(stocks.names).toEqual(["symbol", "date", "price"]);
    expect(stocks.columns.map(({ kind }) => kind)).toEqual(["nominal", "nominal", "numeric"]);
    expect(stocks.rows).toBe(560);

    const unemployment = await readCsv(vega("unemployment.tsv"));
    expect(unemployment.names).toEqual(["id", "rate"]);
    expect(unemployment.columns.map(({ kind }) => kind)).toEqual(["numeric", "numeric"]);
  });
});
