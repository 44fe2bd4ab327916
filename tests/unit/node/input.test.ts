/** What `readTable` and its like take besides sources, and what they say of anything else. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openMatrix, openTable, readCsv, readTable, textSource } from "../../../dist/node.js";
import type { FileInput } from "../../../dist/node.js";
import { fileSource } from "../../../dist/node/index.js";

const text = "x,kind\n1,a\n2,b\n";
const bytes = new TextEncoder().encode(text);
const server = createServer((request, response) => {
  response.statusCode = request.url === "/gone.csv" ? 404 : 200;
  response.end(request.url?.startsWith("/rows.jsonl") ? '{"x":1,"kind":"a"}\n{"x":2,"kind":"b"}\n' : text);
});
let folder = "";
let path = "";
let origin = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nearfield-input-"));
  path = join(folder, "rows.csv");
  await writeFile(path, text);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

describe("readTable takes", () => {
  it.each<[string, () => FileInput | Promise<FileInput>]>([
    ["a path", () => path],
    ["a file URL", () => pathToFileURL(path)],
    ["a web URL", () => `${origin}/rows.jsonl?v=2`],
    ["a URL object", () => new URL(`${origin}/rows.csv`)],
    ["a data URL", () => "data:text/csv,x,kind%0A1,a%0A2,b%0A"],
    ["a Response", () => fetch(`${origin}/rows.csv`)],
    ["a Response without a URL", () => new Response(text)],
    ["a Blob", () => new Blob([text])],
    ["a File", () => new File([text], "rows.csv")],
    ["bytes", () => bytes],
    ["an ArrayBuffer", () => bytes.slice().buffer],
    ["a Buffer", () => Buffer.from(text)],
    ["a source", () => textSource(text, "rows.csv")],
    ["a source that was not waited for", () => fileSource(path)],
  ])("%s", async (_, input) => {
    const table = await readTable(input());
    expect(table.toRows()).toEqual([
      { x: 1, kind: "a" },
      { x: 2, kind: "b" },
    ]);
  });

  it("so do readCsv, openTable and openMatrix", async () => {
    expect((await readCsv(path)).rows).toBe(2);
    expect((await openTable(path)).schema.map(({ name }) => name)).toEqual(["x", "kind"]);
    await expect(openMatrix(path)).rejects.toThrow(/holds a table \(csv\)/);
  });
});

it.each<[string, () => unknown, RegExp]>([
  ["text", () => text, /readTable was given text, not a path; pass textSource/],
  ["nothing", () => undefined, /readTable was given undefined; expected a path, a URL/],
  ["a number", () => 3, /was given 3/],
  ["an array", () => [1], /was given an object of Array/],
  ["a missing file", () => join(folder, "none.csv"), /none\.csv: cannot be read/],
  ["a missing page", () => `${origin}/gone.csv`, /gone\.csv: the server answers with status 404/],
  ["no server", () => "http://127.0.0.1:1/x.csv", /cannot be fetched/],
])("refuses %s", async (_, input, message) => {
  await expect(readTable(input() as FileInput)).rejects.toThrow(message);
  await expect(readTable(input() as FileInput)).rejects.toHaveProperty("tag", "InvalidInput");
});

it("refuses a Response that was read already", async () => {
  const response = new Response(text);
  await response.text();
  await expect(readTable(response)).rejects.toThrow(/no body, or one that was read already/);
});
