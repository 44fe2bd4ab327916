/**
 * The declarations that users get, dist/types/, say of every export what those of the modules say: the same
 * names, types and doc comments, but for what is internal and the examples of type aliases and of interfaces
 * of options and results. They need nothing beside them.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));

/** The entries as users get them, and the modules that they roll up. */
const entries = [
  ["index", "index"],
  ["node", "node/index"],
  ["graph", "graph/index"],
].map(([name, module]) => ({
  name,
  rolled: join(dist, `types/${name}.d.ts`),
  own: join(dist, `${module}.d.ts`),
  module: join(dist, `${module}.js`),
}));

const program = ts.createProgram(
  entries.flatMap(({ rolled, own }) => [rolled, own]),
  {
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
    types: [],
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
  },
);
const checker = program.getTypeChecker();

function exportsOf(path: string): ts.Symbol[] {
  const file = program.getSourceFile(path);
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`${path} is no module`);
  return checker.getExportsOfModule(module).sort((a, b) => (a.name < b.name ? -1 : 1));
}

const resolved = (symbol: ts.Symbol) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

const isTypeOnly = ({ declarations = [] }: ts.Symbol) =>
  declarations.some(
    (node) => ts.isExportSpecifier(node) && (node.isTypeOnly || node.parent.parent.isTypeOnly),
  );

const isInternal = (symbol: ts.Symbol) => symbol.getJsDocTags().some(({ name }) => name === "internal");
const isPublic = (node: ts.Node) => ts.getJSDocTags(node).every(({ tagName }) => tagName.text !== "internal");

const isShownByCalls = ({ name, declarations = [] }: ts.Symbol) =>
  declarations.some(ts.isTypeAliasDeclaration) ||
  (/(Options|Result)$/.test(name) && declarations.some(ts.isInterfaceDeclaration));

function docOf(symbol: ts.Symbol): string {
  const kept = symbol.getJsDocTags().filter(({ name }) => name !== "example" || !isShownByCalls(symbol));
  const tags = kept.map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`);
  return [ts.displayPartsToString(symbol.getDocumentationComment(checker)), ...tags].join(" ");
}

const isOurs = (node: ts.Node) => node.getSourceFile().fileName.startsWith(dist);

/** Returns what is declared, in one line, without the paths of modules and words that say nothing. */
const textOf = (node: ts.Node) =>
  node
    .getText()
    .replace(/^export declare /, "export ")
    .replace(/import\("[^"]*"\)\./g, "")
    .replace(/\s+/g, " ");

/** Lists the members of a type that are declared here, inherited ones too, with their doc comments. */
function membersOf(type: ts.Type): string[] {
  const constructors = type.getConstructSignatures().flatMap(({ declaration }) => declaration ?? []);
  const members = type.getProperties().filter((each) => !isInternal(each) && !each.name.startsWith("__#"));
  return [
    ...constructors.filter((each) => isOurs(each) && isPublic(each)).map(textOf),
    ...members.flatMap((member) => {
      const nodes = (member.declarations ?? []).filter(isOurs);
      return nodes.map((node) => `${docOf(member)} ${textOf(node)}`);
    }),
  ];
}

/** What an editor tells of an export. */
/** Says what the declarations say of arrays, for TypeScript before 5.7. */
function beforeGenericArrays(text: string): string {
  return text.replace(/\b(\w+Array)<ArrayBuffer>/g, 'ReturnType<$1["slice"]>');
}

function told(symbol: ts.Symbol): string[] {
  const target = resolved(symbol);
  const nodes = target.declarations ?? [];
  const heads = nodes.map((node) =>
    ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)
      ? [node.name!, ...(node.typeParameters ?? []), ...(node.heritageClauses ?? [])].map(textOf).join(" ")
      : textOf(node),
  );
  const types = [checker.getDeclaredTypeOfSymbol(target), checker.getTypeOfSymbol(target)];
  return [docOf(target), ...heads, ...types.flatMap(membersOf)];
}

describe("the declarations of the package", () => {
  it.each(entries)("say of every export of $name what its modules say", ({ rolled, own }) => {
    const [found, expected] = [exportsOf(rolled), exportsOf(own)];
    expect(found.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
    expect(found.length).toBeGreaterThan(0);
    for (const [at, symbol] of found.entries()) {
      expect(docOf(resolved(symbol)), symbol.name).not.toBe("");
      expect(told(symbol), symbol.name).toEqual(told(expected[at]).map(beforeGenericArrays));
    }
  });

  // Whether they compile with other versions of TypeScript was tried with 5.4, 5.9, 6 and 7.
  it.each(["lib.es2022.d.ts", "lib.dom.d.ts"])("compile with %s and no types of the platform", (lib) => {
    const options = { module: ts.ModuleKind.NodeNext, strict: true, noEmit: true, types: [] };
    const libs = [...new Set(["lib.es2022.d.ts", lib])];
    const program = ts.createProgram(
      entries.map(({ rolled }) => rolled),
      { ...options, target: ts.ScriptTarget.ES2022, lib: libs },
    );
    const errors = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
    expect(errors).toEqual([]);
  });

  it.each(entries)("of $name have the values that its module has", async ({ rolled, module }) => {
    const values = exportsOf(rolled).filter(
      (symbol) => !isTypeOnly(symbol) && (resolved(symbol).flags & ts.SymbolFlags.Value) !== 0,
    );
    const loaded = (await import(module)) as object;
    expect(values.map(({ name }) => name)).toEqual(Object.keys(loaded).sort());
  });

  it("have Symbol.dispose wherever they have dispose", () => {
    const types = entries
      .flatMap(({ rolled }) => exportsOf(rolled))
      .map(
        (symbol) => [symbol.name, checker.getDeclaredTypeOfSymbol(resolved(symbol)).getProperties()] as const,
      )
      .filter(([, members]) => members.some(({ name }) => name === "dispose"));
    expect(types.length).toBeGreaterThan(0);
    const without = types.filter(
      ([, members]) => !members.some(({ name }) => name.startsWith("__@dispose@")),
    );
    expect(without.map(([name]) => name)).toEqual([]);
  });

  it("compile strictly without any other, and name nothing that is internal", () => {
    const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(join(dist, "types")));
    expect(files.length).toBe(entries.length + 1);
    const found = files.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]);
    expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "))).toEqual([]);
    expect(files.filter(({ text }) => text.includes("@internal")).map(({ fileName }) => fileName)).toEqual(
      [],
    );
  });
});
