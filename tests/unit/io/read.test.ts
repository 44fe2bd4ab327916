/** Files of any format, as openTable opens them. What each format holds is tested beside its reader. */
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { collectTable } from "../../../src/table/collect.ts";
import { openTable } from "../../../src/io/read.ts";
import { bytesSource, textSource } from "../../../src/io/bytes/source.ts";
import { Table } from "../../../src/table/table.ts";
import { tableStream } from "../../../src/table/stream.ts";
import { pipe, plain } from "./csv/helpers.ts";

const count = 1000;
const rows = Array.from({ length: count }, (_, i) => ({ id: `id${i}`, kind: i % 2 ? "odd" : "even", x: i }));
const files = {
  csv: `id,kind,x\n${rows.map(({ id, kind, x }) => `${id},${kind},${x}\n`).join("")}`,
  jsonl: rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
};

it.for(["csv", "jsonl"] as const)("%s: texts of columns that are not read take no memory", async (format) => {
  const source = textSource(files[format], `x.${format}`);
  await expect(collectTable(await openTable(source, { memory: 2000 }))).rejects.toThrow(
    /column "id": .* leave columns out that tell every row apart \(option columns\)/,
  );
  const table = await collectTable(await openTable(source, { memory: 2000, columns: ["x", "kind"] }));
  expect(plain(table)).toEqual({ x: rows.map(({ x }) => x), kind: rows.map(({ kind }) => kind) });
});

it("a stream without rows is a table of its columns, without rows", async () => {
  const none = Table.fromColumns({ x: [1], kind: ["odd"] }).take([]);
  const table = await collectTable(tableStream(none));
  expect(table.columns.map(({ name, kind }) => [name, kind])).toEqual([
    ["x", "numeric"],
    ["kind", "nominal"],
  ]);
  expect(table.rows).toBe(0);
});

it("a matrix whose header claims more columns than can be named is refused before any is", async () => {
  const idx = new DataView(new ArrayBuffer(12));
  [0x0802, 1, 2 ** 27].forEach((word, at) => idx.setInt32(4 * at, word));
  const vecs = new Uint8Array(Int32Array.of(2 ** 31 - 1, 0, 0).buffer);
  const refused = (cols: number) => `its rows have ${cols} columns, and at most 1048576 can be named`;
  for (const [source, cols] of [
    [bytesSource(gzipSync(new Uint8Array(idx.buffer)), "x.idx.gz"), 2 ** 27],
    [pipe(vecs, 5, "x.fvecs"), 2 ** 31 - 1],
  ] as const) {
    await expect(openTable(source)).rejects.toThrow(`${source.name}: ${refused(cols)}`);
  }
});

it("a matrix of as many columns as can be named opens as a table of them", async () => {
  const cols = 2 ** 20;
  const bytes = new Uint8Array(4 + cols);
  new DataView(bytes.buffer).setInt32(0, cols, true);
  const { schema } = await openTable(bytesSource(bytes, "x.bvecs"));
  expect([schema.length, schema.at(-1)]).toEqual([cols, { name: String(cols - 1), kind: "numeric" }]);
});

it("a matrix has numbers alone, and no columns but those it has", async () => {
  const source = bytesSource(new Uint8Array(Int32Array.of(2, 7, 8).buffer), "x.ivecs");
  await expect(openTable(source, { nominal: ["1"] })).rejects.toThrow(
    "x.ivecs: holds only numbers, which are not read as text; leave out nominal",
  );
  for (const options of [{ nominal: ["2"] }, { numeric: ["2"] }]) {
    await expect(openTable(source, options)).rejects.toThrow(
      'x.ivecs: there is no column "2"; the columns are "0", "1"',
    );
  }
  for (const options of [{ numeric: ["1"] }, { nominal: ["1", "2"], ignoreUnknown: true }]) {
    expect(plain(await collectTable(await openTable(source, options)))).toEqual({ "0": [7], "1": [8] });
  }
});

it.for([
  ["a CSV file", "x.csv", "x,y\n1\n", ""],
  ["JSON lines", "x.jsonl", "[]\n", ""],
  ["a file whose format is looked for", "-", "x,y\n1\n", ""],
  ["a CSV file, in a later piece", "x.csv", "x,y\n1,2\n", "1\n"],
] as const)("a pipe with a mistake is closed at once: %s", async ([, name, first, later]) => {
  const bytes = (text: string) => new TextEncoder().encode(text.padEnd(1 << 16, text.slice(-4)));
  let closed = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      yield bytes(first);
      for (let piece = 0; piece < 1000; piece++) yield bytes(later === "" ? first : later + "1,2\n");
      throw new Error("was read to its end");
    } finally {
      closed = true;
    }
  }
  const source = { name, once: true, stream: () => endless() };
  await expect(openTable(source).then((stream) => collectTable(stream))).rejects.toThrow(/line|character/);
  expect(closed).toBe(true);
});

it.each([
  ["without an extension", bytesSource(new Uint8Array(Int32Array.of(2, 0x3fc00000, 0xc0).buffer), "noext")],
  ["from a pipe", pipe(new Uint8Array(Int32Array.of(2, 0x3fc00000, 0xc0).buffer), 5, "standard input")],
])("bytes that are no text ask for the format: %s", async (_, source) => {
  await expect(openTable(source)).rejects.toThrow(
    /^(noext|standard input): the format cannot be told from the name .* name the format \(option format: csv, jsonl, /,
  );
});
