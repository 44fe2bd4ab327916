/**
 * JSON files: a list of flat objects, or such objects one after the other; streamed, however they are laid
 * out.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesSource, textSource } from "../../../../src/io/bytes/source.ts";
import { recognise } from "../../../../src/io/formats.ts";
import { openJson } from "../../../../src/io/jsonl/stream.ts";
import { openTable, readTable } from "../../../../src/io/read.ts";
import { writeTable } from "../../../../src/io/write.ts";
import { collectTable } from "../../../../src/table/collect.ts";
import { Table } from "../../../../src/table/table.ts";
import { inPieces, pipe, plain } from "../csv/helpers.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const rows = [
  { a: 1, b: 'x"]},{[' },
  { a: -2.5, b: "\\" },
  { a: null, b: "two\nlines, é😀" },
];
const expected = { a: [1, -2.5, null], b: rows.map(({ b }) => b) };
const layouts = {
  "in one line": JSON.stringify(rows),
  indented: JSON.stringify(rows, undefined, 2),
  "one object a line": `[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`,
  "with blanks": ` \r\n[ ${rows.map((row) => JSON.stringify(row)).join(" \r\n , ")} ] \n`,
  "one after the other": rows.map((row) => JSON.stringify(row, undefined, 2)).join("\n"),
  "as JSON lines": rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
};

async function read(text: string, size = 5): Promise<Table> {
  return collectTable(await openJson(inPieces(bytesOf(text), size, "x.json")), { maxRows: 2 });
}

describe("objects", () => {
  it.each(Object.entries(layouts))("%s are read, in pieces of any size and from a pipe", async (_, text) => {
    for (const size of [1, 2, 3, 7, 1 << 16]) {
      expect(plain(await read(text, size))).toEqual(expected);
      const piped = await openJson(pipe(bytesOf(text), size, "x.json"));
      expect(plain(await collectTable(piped, { maxRows: 1 }))).toEqual(expected);
    }
    expect(plain(await readTable(textSource(text, "x.json")))).toEqual(expected);
  });

  it("have the lines that they start in", async () => {
    const { origin } = await read('[\n  {"a": 1},\n\n  {"a":\n 2}, {"a": 3}]');
    expect([0, 1, 2].map((row) => origin?.placeOf(row))).toEqual([{ line: 2 }, { line: 4 }, { line: 5 }]);
  });

  it("come in chunks, before the list is over", async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield bytesOf("[");
      for (let row = 0; row < 2000; row++) yield bytesOf(`{"a":${row}},\n`);
      throw new Error("was read to its end");
    }
    const stream = await openJson({ name: "x.json", once: true, stream: () => endless() }, {}, 100);
    for await (const chunk of stream.chunks({ maxRows: 10 })) {
      expect(chunk.rows).toBe(10);
      break;
    }
  });

  it("are those that JSON.parse reads", async () => {
    const cell = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("{", "]", '"', "\\", ",", '\\"'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ s: cell, n: fc.integer() }), { minLength: 1, maxLength: 5 }),
        fc.nat(3),
        fc.integer({ min: 1, max: 20 }),
        async (list, indent, size) => {
          const table = await collectTable(
            await openJson(inPieces(bytesOf(JSON.stringify(list, undefined, indent)), size), {
              nominal: ["s"],
            }),
          );
          expect(plain(table)).toEqual({ s: list.map(({ s }) => s), n: list.map(({ n }) => n) });
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("what is wrong", () => {
  it.each([
    ["[1, 2]", 'line 1: character 2: found "1"; expected an object, such as {"a": 1, "b": "x"}'],
    ["[[1]]", 'line 1: character 2: found "["; expected an object'],
    ['[{"a":1} {"a":2}]', 'line 1: character 10: found "{"; expected a comma or ]'],
    ['[{"a":1},]', 'line 1: character 10: found "]"; expected an object'],
    ['[,{"a":1}]', 'line 1: character 2: found ","; expected an object'],
    ['[\n{"a":1}\n', "line 3: the file ends here, within its list; expected a comma or ]"],
    ['[\n{"a":1},\n{"a":', "line 3: the file ends here, within an object"],
    ['[{"a":1}] x', 'line 1: character 11: found "x"; expected the end of the file after the list'],
    ['[{"a":1},\n {"a":1,\n  "b" 2}]', 'line 3: character 7: found "2}"; expected a colon after the key'],
    ['[{"a":1}, {"a" 2}]', 'line 1: character 16: found "2}"; expected a colon'],
    ['{"a":1},{"a":2}', 'line 1: character 8: found ","; expected an object'],
    ['{"a":{"0":1}}', 'line 1, column "a": holds an object; nested values do not fit a table'],
    [
      "[{},{}]",
      "the objects from row 1 on have no keys, and a table needs at least one column; expected a list of flat objects",
    ],
    ["[]", "holds no objects; expected a list of flat objects, such as"],
    ['"x"', 'line 1: character 1: found "\\""; expected an object'],
  ])("in %j is told with its place", async (text, message) => {
    const place = message.startsWith("line") ? "x.json, " : "x.json: ";
    for (const size of [1, 1 << 16]) await expect(read(text, size)).rejects.toThrow(place + message);
  });
});

describe("JSON", () => {
  it("is recognised by its name, and by its start where there is no name", async () => {
    const formatOf = async (text: string, name: string) =>
      (await recognise(textSource(text, name))).format.name;
    expect(await formatOf("[]", "x.json")).toBe("json");
    expect(await formatOf(" [{", "-")).toBe("json");
    expect(await formatOf("{", "-")).toBe("jsonl");
    expect((await openTable(textSource('[{"a":1}]', "-"))).schema).toEqual([{ name: "a", kind: "numeric" }]);
  });

  it("is written as a list, and read back", async () => {
    const table = Table.fromColumns({ a: [1, null], b: ["x", "y"] });
    const pieces: (string | Uint8Array<ArrayBuffer>)[] = [];
    for await (const piece of writeTable("json", table)) pieces.push(piece);
    const bytes = new Uint8Array(await new Blob(pieces).arrayBuffer());
    expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual([
      { a: 1, b: "x" },
      { a: null, b: "y" },
    ]);
    expect(plain(await readTable(bytesSource(bytes, "x.json")))).toEqual({ a: [1, null], b: ["x", "y"] });
  });
});
