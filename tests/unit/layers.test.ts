/**
 * The import table: which folder of src/ may import which, and which packages; anything not listed is forbidden. The table
 * stands only here. Also no cycles between files, type-only imports aside.
 */
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * A unit is a folder of src/, a room of src/ops/, or a file at the root of src/. "ops" stands for every room. The runtime still
 * knows the primitives it runs, and distances are fitted for k-NN alone.
 */
const table: Readonly<Record<string, readonly string[]>> = {
  core: ["distance", "ops", "runtime"],
  runtime: ["core", "distance", "gpuPrimitives", "ops"],
  distance: ["core", "ops", "runtime"],
  "ops/compact": ["core", "runtime", "ops"],
  "ops/histogram": ["core", "runtime", "ops"],
  "ops/knn": ["core", "runtime", "distance", "ops"],
  "ops/reduce": ["core", "runtime", "ops"],
  "ops/scan": ["core", "runtime", "ops"],
  "ops/select": ["core", "runtime", "ops"],
  table: ["core", "distance"],
  models: ["core", "distance", "table", "runtime", "ops"],
  io: ["core", "table", "hyparquet", "hyparquet-compressors", "hyparquet-writer", "papaparse"],
  browser: ["core"],
  gpuPrimitives: ["core", "distance", "runtime", "ops"],
  worker: ["core", "distance", "runtime", "ops"],
  index: ["browser", "core", "distance", "runtime", "ops", "gpuPrimitives", "table", "models", "io"],
  node: ["index", "core", "node:*", "webgpu"],
  cli: ["node", "core", "distance", "table", "io", "models", "node:*", "commander"],
};

interface Import {
  readonly from: string;
  /** A path under src/ without extension, or a package. */
  readonly to: string;
  readonly typeOnly: boolean;
}

function sourceFiles(folder: string): string[] {
  const all = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return all.filter((file) => file.endsWith(".ts")).map((file) => join(folder, file));
}

/** Imports and re-exports, static and dynamic. */
function importsOf(file: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (!specifier || !ts.isStringLiteral(specifier)) return;
    const { text } = specifier;
    const to = text.startsWith(".") ? relative(root, join(root, dirname(file), text)) : text;
    found.push({ from: file, to, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node));
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest));
  return found;
}

function isTypeOnly({ importClause }: ts.ImportDeclaration): boolean {
  if (!importClause) return false;
  if (importClause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { namedBindings, name } = importClause;
  return (
    !name &&
    !!namedBindings &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every((e) => e.isTypeOnly)
  );
}

const isWasmSource = (file: string) => /\/wasm(\.ts$|\/)/.test(file);
const files = sourceFiles("src").filter((file) => !isWasmSource(file) && !file.endsWith(".generated.ts"));
const imports = files.flatMap(importsOf);

function unitOf(file: string): string {
  const [, folder, room] = file.replace(/\.ts$/, "").split("/");
  return folder === "ops" ? `ops/${room}` : folder;
}

function isAllowed({ from, to }: Import): boolean {
  const allowed = table[unitOf(from)] ?? [];
  if (to.startsWith("node:")) return allowed.includes("node:*");
  if (!to.startsWith("src/")) return allowed.includes(to.split("/")[0]);
  if (unitOf(from) === unitOf(to)) return true;
  return allowed.includes(unitOf(to)) || allowed.includes(unitOf(to).split("/")[0]);
}

describe("the layers of src/", () => {
  it("import only what the table lists", () => {
    const forbidden = imports
      .filter((each) => !isAllowed(each))
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(forbidden).toEqual([]);
  });

  it("are the rows of the table, no more and no fewer", () => {
    expect([...new Set(files.map(unitOf))].sort()).toEqual(Object.keys(table).sort());
  });

  it("have no import cycle, type-only imports aside", () => {
    const edges = new Map(files.map((file) => [file, importsOf(file).filter(({ typeOnly }) => !typeOnly)]));
    const finished = new Set<string>();
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file))
        throw new Error(`cycle: ${[...path.slice(path.indexOf(file)), file].join(" -> ")}`);
      if (finished.has(file)) return;
      for (const { to } of edges.get(file) ?? []) walk(to, [...path, file]);
      finished.add(file);
    };
    for (const file of files) walk(file, []);
    expect(files.every((file) => finished.has(file))).toBe(true);
  });
});

describe("isolated code", () => {
  it("keeps AssemblyScript and TypeScript apart: neither imports the other", () => {
    const outward = sourceFiles("src")
      .filter(isWasmSource)
      .flatMap(importsOf)
      .filter(({ to }) => !isWasmSource(`${to}.ts`));
    const inward = imports.filter(({ to }) => isWasmSource(to));
    expect([...outward, ...inward]).toEqual([]);
  });

  it("lets the oracles see only types of src/", () => {
    const values = sourceFiles("tests/oracle")
      .flatMap(importsOf)
      .filter(({ to, typeOnly }) => to.startsWith("src/") && !typeOnly);
    expect(values).toEqual([]);
  });
});
