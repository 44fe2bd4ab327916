/**
 * What a program carries that imports one operator only, bundled by Vite: that operator's kernels and nothing
 * of the others. And dist/nearfield.js, which carries everything.
 */
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import type * as Nearfield from "../../src/index.ts";
import { bundle } from "../../scripts/bundle.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nearfield-bundle-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** All code that the bundle may load, the worker's included. */
async function codeOf(program: string): Promise<string> {
  const entry = join(folder, "entry.js");
  await writeFile(entry, program);
  const files = await bundle(entry, { root, alias: { nearfield: join(root, "dist/index.js") } });
  return files.map(({ code, source }) => code ?? String(source)).join("\n");
}

/** The WGSL of every folder, by the names of its files, and what is deflated together, by the same names. */
const wgsl: Record<string, string> = {};
const packs: Record<string, string> = {};
for (const file of await readdir(join(root, "dist"), { recursive: true })) {
  if (!file.endsWith("wgsl.generated.js")) continue;
  const texts = (await import(join(root, "dist", file))) as Record<string, string>;
  const { packed } = texts;
  const own = packed === undefined ? texts : unpacked(packed);
  Object.assign(wgsl, own);
  if (packed !== undefined) for (const name of Object.keys(own)) packs[name] = packed;
}

function unpacked(packed: string): Record<string, string> {
  return JSON.parse(inflateSync(Buffer.from(packed, "base64")).toString()) as Record<string, string>;
}

/** Snippets aside, which kernels share. */
const bodies = Object.entries(wgsl)
  .filter(([, text]) => /@(compute|each_)/.test(text))
  .map(([name]) => name);

/** Kernel bodies in the code, by what is deflated, or by a line of theirs that a minifier leaves as it is. */
function bodiesIn(code: string): string[] {
  const fingerprint = (text: string) =>
    text.split("\n").reduce((a, b) => (b.length > a.length && !/[\\"'`$]/.test(b) ? b : a), "");
  const present = Object.entries(wgsl).filter(([name, text]) =>
    code.includes(packs[name] ?? fingerprint(text)),
  );
  return present
    .map(([name]) => name)
    .filter((name) => bodies.includes(name))
    .sort();
}

/** By the name of an option that PapaParse exports. */
const hasCsv = (code: string) => code.includes("BAD_DELIMITERS");

it("everything carries all kernels and the CSV parser, or the tests below could not fail", async () => {
  const code = await codeOf('export * from "nearfield";');
  expect(bodiesIn(code)).toEqual(bodies.sort());
  expect(hasCsv(code)).toBe(true);
});

/** The runtime's test of a trait, which is no operator's. */
const ofTraits = "matrix_test";

/** Operators whose kernels the code holds. */
function operatorsIn(code: string): string[] {
  const own = bodiesIn(code).filter((name) => name !== ofTraits);
  return [...new Set(own.map((name) => name.split("_")[0]))].sort();
}

it("scan alone carries no k-NN and no CSV", async () => {
  const code = await codeOf('export { scan } from "nearfield";');
  expect(operatorsIn(code)).toEqual(["scan"]);
  expect(hasCsv(code)).toBe(false);
});

it("kneighbors alone carries no histogram and no reduction", async () => {
  const code = await codeOf('export { kneighbors } from "nearfield";');
  expect(operatorsIn(code)).toContain("knn");
  expect(operatorsIn(code)).not.toContain("histogram");
  expect(operatorsIn(code)).not.toContain("reduce");
  expect(hasCsv(code)).toBe(false);
});

it("reading CSV carries no kernel and no CPU backend", async () => {
  const code = await codeOf('export { readCsv } from "nearfield";');
  expect(bodiesIn(code)).toEqual([]);
  expect(code.includes("relaxed SIMD was asked for")).toBe(false);
  expect(hasCsv(code)).toBe(true);
});

it("the file for pages exports what they import by name, and reads Parquet of every codec", async () => {
  const path = join(root, "dist/nearfield.js");
  const [file, modules] = (await Promise.all([import(path), import(join(root, "dist/index.js"))])) as [
    typeof Nearfield,
    typeof Nearfield,
  ];
  expect(Object.keys(file)).toEqual(Object.keys(modules));
  for (const name of ["snappy", "lz4_plain", "gzip", "zstd_v2"]) {
    const bytes = await readFile(join(root, `tests/fixtures/tables/${name}.parquet`));
    const [read, expected] = await Promise.all([file.readTable(bytes), modules.readTable(bytes)]);
    expect(read.toRows()).toEqual(expected.toRows());
  }
  const code = await readFile(path, "utf8");
  const licences = code.match(/^\/\*/gm);
  expect(licences?.length).toBe(9);
  for (const owner of ["2026 the Nearfield authors", "1993 by Sun Microsystems"])
    expect(code).toContain(owner);
  expect(code).not.toMatch(/\bimport\(/);
});
