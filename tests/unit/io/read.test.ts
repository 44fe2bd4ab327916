/** Files of any format, as openTable opens them. What each format holds is tested beside its reader. */
import { expect, it } from "vitest";
import { collectTable } from "../../../src/table/collect.ts";
import { openTable } from "../../../src/io/read.ts";
import { textSource } from "../../../src/io/source.ts";
import { Table } from "../../../src/table/table.ts";
import { tableStream } from "../../../src/table/stream.ts";
import { plain } from "./csvHelpers.ts";

const count = 1000;
const rows = Array.from({ length: count }, (_, i) => ({ id: `id${i}`, kind: i % 2 ? "odd" : "even", x: i }));
const files = {
  csv: `id,kind,x\n${rows.map(({ id, kind, x }) => `${id},${kind},${x}\n`).join("")}`,
  jsonl: rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
};

it.for(["csv", "jsonl"] as const)("%s: texts of columns that are not read take no memory", async (format) => {
  const source = textSource(files[format], `x.${format}`);
  await expect(collectTable(await openTable(source, { memory: 2000 }))).rejects.toThrow(
    /column "id": .* leave columns out that tell every row apart \(--columns\)/,
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
