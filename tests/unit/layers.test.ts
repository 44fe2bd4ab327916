/**
 * The import table: which folder of src/ may import which, and which packages; anything not listed is
 * forbidden. The table stands only here. Also no circle between files, type imports included, doors of rooms,
 * and how large files and folders are.
 */
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * A unit is a folder of src/, a room of src/ops/, or a file at the root of src/. "ops" stands for every room.
 */
const table: Readonly<Record<string, readonly string[]>> = {
  core: [],
  runtime: ["core"],
  distance: ["core", "runtime"],
  "ops/cloud": ["core", "runtime", "ops/knn"],
  "ops/compact": ["core", "runtime"],
  "ops/convolve": ["core", "runtime"],
  "ops/distances": ["core", "runtime", "distance", "ops/histogram"],
  "ops/histogram": ["core", "runtime", "ops/reduce"],
  "ops/knn": ["core", "runtime", "distance", "ops/select"],
  "ops/reduce": ["core", "runtime"],
  "ops/scan": ["core", "runtime"],
  "ops/select": ["core", "runtime"],
  "ops/sort": ["core", "runtime"],
  table: ["core", "distance"],
  models: ["core", "distance", "table", "runtime", "ops"],
  io: ["core", "table", "hyparquet", "hyparquet-compressors", "hyparquet-writer", "papaparse"],
  graph: ["core", "distance", "runtime", "ops", "table", "models", "io"],
  browser: ["core"],
  explanationText: ["runtime", "ops"],
  gpuOperation: ["core", "runtime"],
  gpuParams: ["core", "ops"],
  gpuPrimitives: ["core", "gpuOperation", "gpuParams", "runtime", "ops"],
  selfTest: ["core", "runtime", "ops/knn"],
  worker: ["distance", "runtime", "ops"],
  index: [
    "browser",
    "core",
    "distance",
    "runtime",
    "ops",
    "explanationText",
    "gpuPrimitives",
    "selfTest",
    "table",
    "models",
    "io",
  ],
  node: ["index", "core", "node:*", "webgpu"],
  cli: ["node", "core", "runtime", "distance", "table", "io", "models", "graph", "node:*", "commander"],
};

interface Import {
  readonly from: string;
  /** A path under src/ without extension, or a package. */
  readonly to: string;
  readonly typeOnly: boolean;
  /** Loaded when it is needed. */
  readonly dynamic?: boolean;
}

function sourceFiles(folder: string): string[] {
  const all = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return all.filter((file) => file.endsWith(".ts")).map((file) => join(folder, file));
}

/** Imports and re-exports, static and dynamic. */
function importsOf(file: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean, dynamic = false) => {
    if (!specifier || !ts.isStringLiteral(specifier)) return;
    const { text } = specifier;
    const to = text.startsWith(".") ? relative(root, join(root, dirname(file), text)) : text;
    found.push({ from: file, to, typeOnly, dynamic });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node));
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false, true);
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

  it("have no circle of imports, those of types included", () => {
    const edges = new Map(files.map((file) => [file, importsOf(file)]));
    const finished = new Set<string>();
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file))
        throw new Error(`circle: ${[...path.slice(path.indexOf(file)), file].join(" -> ")}`);
      if (finished.has(file)) return;
      for (const { to } of edges.get(file) ?? []) walk(to, [...path, file]);
      finished.add(file);
    };
    for (const file of files) walk(file, []);
    expect(files.every((file) => finished.has(file))).toBe(true);
  });

  it("enter a room of src/ops/ by its index.ts, kernels by its gpu.ts, and workers by its handlers", () => {
    const roomOf = (path: string) => /^src\/ops\/([^/]+)\//.exec(path)?.[1];
    const isDoor = ({ from, to }: Import) =>
      to.endsWith("/index.ts") ||
      (to.endsWith("/gpu.ts") && from.includes("/gpu")) ||
      (from === "src/worker.ts" && /\/cpu(\.ts$|\/)/.test(to));
    const windows = imports
      .filter((each) => roomOf(each.to) !== undefined && roomOf(each.from) !== roomOf(each.to))
      .filter((each) => !isDoor(each))
      .map(({ from, to }) => `${from} imports ${to}`);
    expect(windows).toEqual([]);
  });

  it("register an array operator in the public index.ts and two lists, and load it in processes", () => {
    const rooms = readdirSync(join(root, "src/ops"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !["cloud", "distances", "knn"].includes(entry.name))
      .map(({ name }) => name);
    expect(rooms).toContain("scan");
    for (const room of rooms) {
      const path = `src/ops/${room}/`;
      const all = imports.filter(({ from, to }) => to.startsWith(path) && !from.startsWith("src/ops/"));
      // A page loads the room of a process's operator when that operator runs.
      const inProcesses = all.filter(({ from }) => from.startsWith("src/graph/"));
      expect(inProcesses.filter(({ dynamic, typeOnly }) => !dynamic && !typeOnly)).toEqual([]);
      // The parameters of GpuPrimitives stand in a file of their own.
      const outside = all.filter((each) => !inProcesses.includes(each) && each.from !== "src/gpuParams.ts");
      expect([...new Set(outside.map(({ from }) => from))].sort(), room).toEqual([
        "src/gpuPrimitives.ts",
        "src/index.ts",
        "src/worker.ts",
      ]);
    }
  });
});

describe("sizes", () => {
  const written = ["src", "tests"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).filter(
      ({ name }) => /\.(ts|wgsl)$/.test(name) && !name.includes(".generated."),
    ),
  );

  it("keep folders of src/ and tests/ at no more than 24 loose files", () => {
    const counts = new Map<string, number>();
    for (const { parentPath } of written) counts.set(parentPath, (counts.get(parentPath) ?? 0) + 1);
    expect([...counts].filter(([, count]) => count > 24)).toEqual([]);
  });

  it("keep files of src/ and tests/ at no more than 500 lines", () => {
    const long = written
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => readFileSync(path, "utf8").split("\n").length > 501);
    expect(long).toEqual([]);
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
