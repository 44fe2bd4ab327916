/** JSON lines: what is read, what is refused and where, and that writing and reading give the same table. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidInputError } from "../../../../src/core/errors.ts";
import { openJsonl, type JsonlOptions } from "../../../../src/io/jsonl/stream.ts";
import { writeJsonl } from "../../../../src/io/jsonl/write.ts";
import type { ByteSource } from "../../../../src/io/bytes/source.ts";
import type { WantedColumns } from "../../../../src/io/sharedDictionary.ts";
import { collectTable } from "../../../../src/table/collect.ts";
import { Table } from "../../../../src/table/table.ts";
import { inPieces, plain } from "../csv/helpers.ts";

const source = (text: string, size = 11): ByteSource =>
  inPieces(new TextEncoder().encode(text), size, "x.jsonl");

async function read(text: string, options?: JsonlOptions & WantedColumns, maxRows = 2): Promise<Table> {
  return collectTable(await openJsonl(source(text), options), { maxRows });
}

async function textOf(...tables: Table[]): Promise<string> {
  let text = "";
  for await (const piece of writeJsonl(tables)) text += piece;
  return text;
}

describe("a JSON lines file", () => {
  it("gives a column per key, with gaps where a key is absent or null", async () => {
    const table = await read('{"a": 1, "b": "x"}\n\n{"c":true,"a":-0.5e1}\r\n{"b":null, "a":2,"c":false}');
    expect(plain(table)).toEqual({ a: [1, -5, 2], b: ["x", null, null], c: [null, "true", "false"] });
    expect(table.columns.map(({ kind }) => kind)).toEqual(["numeric", "nominal", "nominal"]);
    expect([0, 1, 2].map((row) => table.origin?.placeOf(row))).toEqual([
      { line: 1 },
      { line: 3 },
      { line: 4 },
    ]);
  });

  it("holds texts where some of them are numbers or booleans, as titles and codes may be", async () => {
    const lines = ['{"t":"Up","n":1}', '{"t":1776,"n":null}', '{"t":true}', '{"t":1.50,"n":"x"}'];
    const expected = { t: ["Up", "1776", "true", "1.50"], n: ["1", null, null, "x"] };
    const table = await read(`${lines.join("\n")}\n`);
    expect(plain(table)).toEqual(expected);
    expect(table.origin?.firstText("n")).toEqual({ line: 4, text: "x" });
    expect(table.origin?.firstText("t")).toEqual({ line: 1, text: "Up" });
    expect(plain(await read('{"a":1}\n{"a":9007199254740993}\n{"a":"x"}\n'))).toEqual({
      a: ["1", "9007199254740993", "x"],
    });
  });

  it("keeps numbers as they are written when the column is declared text", async () => {
    const table = await read('{"id": 12345678901234567890}\n{"id": "a"}\n{"id": 1.50}\n', {
      nominal: ["id"],
    });
    expect(plain(table)).toEqual({ id: ["12345678901234567890", "a", "1.50"] });
  });

  it("understands every escape, and numbers as JSON.parse does", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary" }).filter((text) => !/\p{Surrogate}/u.test(text)),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        async (text, number, escaped) => {
          const literal = escaped
            ? `"${Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`
            : JSON.stringify(text);
          const numeral = Object.is(number, -0) ? "-0" : JSON.stringify(number);
          fc.pre(Math.abs(number) <= 2 ** 53 || numeral.includes("e"));
          const table = await read(`{"t":${literal}, "n" :${numeral} }\n`);
          expect(plain(table)).toEqual({ t: [text], n: [number] });
        },
      ),
      { numRuns: 200 },
    );
  });

  it("takes for a number what JSON.parse does, and nothing else", async () => {
    const parsed = (text: string): unknown => {
      try {
        return (JSON.parse(`{"a": ${text}}`) as { a: unknown }).a;
      } catch {
        return "refused";
      }
    };
    const digits = fc.stringMatching(/^-?[0-9]{0,3}[.]?[0-9]{0,3}$/);
    await fc.assert(
      fc.asyncProperty(fc.oneof(digits, fc.stringMatching(/^[-+0-9.eE]{1,6}$/)), async (text) => {
        const value = parsed(text);
        fc.pre(value === "refused" || Number.isFinite(value));
        const found: unknown = await read(`{"a": ${text}}\n`).then(
          ({ columns: [column] }) => (column.kind === "numeric" ? column.values[0] : column.kind),
          (error: unknown) => (error instanceof InvalidInputError ? "refused" : error),
        );
        expect(found).toBe(value);
      }),
      { numRuns: 1000 },
    );
  });

  it("is named with line and place where it is not one flat object per line", async () => {
    const failures: Record<string, string> = {
      '{"a":1}\n[1]\n':
        'line 2: character 1: found "[1]"; expected one object per line, such as {"a": 1, "b": "x"}',
      '{"a":1}\n{"a":}\n':
        'line 2: character 6: found "}"; expected a number, a string in double quotes, true, false or null',
      '{"a":1\n': "line 1: character 7: the line ends here; expected a comma or } after the value",
      '{"a":1}{"a":2}\n':
        'line 1: character 8: found "{\\"a\\":2}"; expected the end of the line after the object',
      "{'a':1}\n": "line 1: character 2: found \"'a':1}\"; expected a key in double quotes",
      '{"a" 1}\n': 'line 1: character 6: found "1}"; expected a colon after the key',
      '{"a":"x}\n': "line 1: character 6: a string is opened here and not closed in this line",
      '{"a":"\\x"}\n':
        "line 1: character 6: a backslash in this string starts no escape that JSON knows; write \\\\ for a backslash",
      '{"a":"\t"}\n': "line 1: character 7: a control character must be escaped in a string, as \\u0009",
      '{"a":"\\ud800"}\n':
        "line 1: character 6: this string holds half of a surrogate pair, which no text file can; write the whole character",
      '{"a":NaN}\n': "line 1: character 6: NaN and infinities are not JSON; write null for a missing value",
      '{"a":01}\n': 'line 1: character 7: found "1}"; expected a comma or } after the value',
      '{"a":1,"a":2}\n': 'line 1, column "a": the key appears twice in the line; rename one of them',
      '{"":1}\n': 'line 1, column "": a key is empty; every column needs a name',
      '{"a":1}\n{"a":{"b":1}}\n':
        'line 2, column "a": holds an object; nested values do not fit a table: give each its own key, or leave the key out',
      '{"a":9007199254740993}\n':
        'line 1, column "a": the integer 9007199254740993 is beyond 2^53 and would be rounded to 9007199254740992; read the column as text (option nominal: a)',
      '{"a":1e999}\n':
        'line 1, column "a": 1e999 is beyond the numbers that float64 holds; read the column as text (option nominal: a)',
      "\n \n": 'holds no objects; expected one object per line, such as {"a": 1, "b": "x"}',
    };
    for (const [text, message] of Object.entries(failures)) {
      const place = message.startsWith("line") ? "x.jsonl, " : "x.jsonl: ";
      await expect(read(text), text).rejects.toThrow(place + message);
    }
    await expect(read('{"a":"x"}\n', { numeric: ["a"] })).rejects.toThrow(
      '"x" is a string, but the column holds numbers;',
    );
    await expect(read('{"a":1}\n', { nominal: ["b"] })).rejects.toThrow('there is no column "b"');
    expect((await read('{"a":1}\n', { nominal: ["b"], ignoreUnknown: true })).rows).toBe(1);
  });

  it("may hold objects and lists where its columns are named and theirs is not", async () => {
    const text =
      '{"a":1,"p":{"q":[1,"]}"],"r":"\\""},"b":"x"}\n{"p":[],"a":2,"b":"y"}\n{"p":[{"a":9}],"b":"z"}\n';
    const some = await read(text, { columns: ["b", "a"] });
    expect(plain(some)).toEqual({ a: [1, 2, null], b: ["x", "y", "z"] });
    const refused = 'column "p": holds an object; nested values do not fit a table: give each its own key, ';
    await expect(read(text)).rejects.toThrow(`${refused}or leave the key out, or name the columns to read`);
    await expect(read(text, { columns: ["p"] })).rejects.toThrow(refused);
    const wrong = { '{"a":1,"p":{"q":}}': 12, '{"a":1,"p":[1}': 12, '{"a":1,"p":{"q":1': 12 };
    for (const [line, character] of Object.entries(wrong))
      await expect(read(`${line}\n`, { columns: ["a"] })).rejects.toThrow(
        `character ${character}: this object or list is no JSON, or does not end here`,
      );
  });

  it("from a pipe is judged by its start, and what contradicts it is an error", async () => {
    const pipe = (text: string) => ({ ...source(text), once: true });
    const start = '{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n';
    const all = async (text: string) => collectTable(await openJsonl(pipe(text), {}, 30));
    expect(plain(await all(`${start}{"b":"z"}\n`))).toEqual({ a: [1, 2, null], b: ["x", "y", "z"] });
    await expect(all(`${start}{"c":1}\n`)).rejects.toThrow(
      'line 3, column "c": the key is in none of the first 2 rows, which decide the columns; put the input into a file',
    );
    await expect(all(`${start}{"a":"x"}\n`)).rejects.toThrow(
      'line 3, column "a": "x" is a string, but by the first 2 rows the column holds numbers; make them alike',
    );
    expect(plain(await all(`${start}{"b":5}\n`)).b).toEqual(["x", "y", "5"]);
    await expect(all(`${start}{"a":1,"a":2}\n`)).rejects.toThrow("the key appears twice");
    await expect(all(`${start}{"a":9007199254740993}\n`)).rejects.toThrow("beyond 2^53");
  });

  it("written is read back to the same bits, texts and gaps, in chunks of any size", async () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom('"', "\\", "\n", "\0", "\u2028", "x".repeat(70_000)),
    );
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(-0, 2 ** 53, 2 ** 64, 5e-324),
    );
    const row = fc.record({ n: fc.option(number), 'k"ey': fc.option(text) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        async (rows, maxRows) => {
          const table = Table.fromColumns({
            n: rows.map(({ n }) => n),
            'k"ey': ["first", ...rows.slice(1).map((each) => each['k"ey'])],
          });
          const back = await read(await textOf(table), {}, maxRows);
          expect(plain(back)).toEqual(plain(table));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("JSON lines with many keys", () => {
  it("come chunk by chunk, also those of one piece", async () => {
    const pieces = ['{"a":1}\n{"b":1}\n', '{"a":2}\n{"b":2}\n{"a":3}\n{"b":"text"}\n'];
    const stream = await openJsonl(
      {
        name: "x.jsonl",
        once: true,
        async *stream() {
          for (const piece of pieces) yield new TextEncoder().encode(piece);
        },
      },
      {},
      pieces[0].length,
    );
    const seen: number[] = [];
    const reading = async () => {
      for await (const { rows } of stream.chunks({ maxRows: 2 })) seen.push(rows);
    };
    await expect(reading()).rejects.toThrow('line 6, column "b"');
    expect(seen).toEqual([2, 2]);
  });

  it("are refused where they are too many, whatever the line", async () => {
    const keys = Array.from({ length: 2 ** 17 }, (_, i) => `"k${i}":1`).join();
    const error = openJsonl(source(`{${keys}}\n{"one":1}\n`, 2 ** 20));
    await expect(error).rejects.toThrow('line 2, column "one": the file has more than 131072 different keys');
  });
});
