// Rolls up the declarations that users see: of those in dist/, a file per module with all that is internal,
// it writes into dist/types/ what the entries export and what that names. Everything is declared once, so
// that a class is one type whichever entry it comes from. It follows names and checks no types: the tests
// compile programs against what it writes.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";

/** The module of all declarations, of which entries are lists of names. */
const shared = "declarations";

/**
 * @param dist the folder of the declarations
 * @param entries the files of the entries below it, by the names that they get in types/
 */
export async function rollUp(dist, entries) {
  const paths = Object.values(entries).map((file) => join(dist, file));
  const program = ts.createProgram(paths, {
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    // Names of the language are those that nothing declares here.
    noLib: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const exported = paths.map((path) => exportsOf(program.getSourceFile(path), checker));
  const symbols = new Set(exported.flat().map(({ symbol }) => symbol));
  const statements = reachable(symbols, checker);
  const names = chooseNames(symbols, statements);
  const order = new Map(program.getSourceFiles().map((file, at) => [file, at]));
  const inOrder = [...statements].sort(
    ([a], [b]) => order.get(a.getSourceFile()) - order.get(b.getSourceFile()) || a.pos - b.pos,
  );
  const texts = inOrder.map(([statement, found]) => textOf(statement, found, names, symbols));
  const own = program.getSourceFiles().filter(({ fileName }) => !fileName.includes("/node_modules/"));
  const libraries = own.flatMap(({ text }) => text.match(/^\/\/\/ <reference .*/gm) ?? []);
  const folder = join(dist, "types");
  await mkdir(folder);
  // Without an export, all that a module declares is exported.
  await writeFile(
    join(folder, `${shared}.d.ts`),
    `${[...new Set(libraries), ...texts.map(sinceAnyVersion), ...platformTypes(statements), "export {};"].join("\n")}\n`,
  );
  for (const [at, entry] of Object.keys(entries).entries())
    await writeFile(join(folder, `${entry}.d.ts`), listOf(exported[at], names));
}

/**
 * Declares the platform's types that are named, so that programs without lib dom or @webgpu/types compile;
 * where the platform's own declarations are there, these add nothing to them.
 */
function platformTypes(statements) {
  const globals = new Set([...statements.values()].flatMap((found) => found.unknown));
  const named = [...globals]
    .filter((name) => /^(AbortSignal|Blob|Response|URL|GPU[A-Z]\w*)$/.test(name))
    .sort();
  return ["declare global {", ...named.map((name) => `  interface ${name} {}`), "}"];
}

/** Says arrays over an ArrayBuffer in words of TypeScript before 5.7, too, whose arrays are not generic. */
function sinceAnyVersion(text) {
  return text.replace(/\b(\w+Array)<ArrayBuffer>/g, 'ReturnType<$1["slice"]>');
}

/** Lists what a module exports: the name, what is meant by it in the end, and whether as a type alone. */
function exportsOf(file, checker) {
  return checker.getExportsOfModule(checker.getSymbolAtLocation(file)).map((symbol) => ({
    name: symbol.name,
    symbol: declared(symbol, checker),
    typeOnly: symbol.declarations.some(
      (node) => ts.isExportSpecifier(node) && (node.isTypeOnly || node.parent.parent.isTypeOnly),
    ),
  }));
}

/** Follows imports and exports to what is declared. */
function declared(symbol, checker) {
  if (!(symbol.flags & ts.SymbolFlags.Alias)) return symbol;
  const found = checker.getAliasedSymbol(symbol);
  if (!found.declarations) throw new Error(`nothing declares ${symbol.name}, which a declaration imports`);
  return found;
}

/**
 * Follows names from declaration to declaration.
 * @returns of each statement what it declares, where it names other statements, and the names of the language
 *   and of the platform
 */
function reachable(symbols, checker) {
  const found = new Map();
  const waiting = [...symbols];
  for (let symbol = waiting.pop(); symbol; symbol = waiting.pop()) {
    for (const statement of symbol.declarations.map(statementOf)) {
      if (found.has(statement)) continue;
      const { fileName } = statement.getSourceFile();
      if (fileName.includes("/node_modules/"))
        throw new Error(`what the package exports names ${symbol.name} of ${fileName}, a package of its own`);
      const named = namesIn(statement, checker);
      const nodes = statement.declarationList?.declarations ?? [statement];
      found.set(statement, { own: nodes.map(({ name }) => checker.getSymbolAtLocation(name)), ...named });
      waiting.push(...named.references.map((each) => each.symbol));
    }
  }
  return found;
}

/** The statement of a module that declares it; undefined for a member, a parameter and a type parameter. */
function statementOf(declaration) {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return statement.parent && ts.isSourceFile(statement.parent) ? statement : undefined;
}

function isInternal(node) {
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "internal");
}

/** Finds what a statement names, and its members that are for this package alone. */
function namesIn(statement, checker) {
  const references = [];
  const globals = [];
  const unknown = [];
  const internal = [];
  const add = (name, begin, end) => {
    const found = checker.getSymbolAtLocation(name);
    if (!found) globals.push(name.text);
    if (!found?.declarations) unknown.push(name.text);
    const symbol = found && declared(found, checker);
    if (symbol?.declarations?.every(statementOf)) references.push({ symbol, begin, end });
  };
  const visit = (node) => {
    if ((ts.isClassElement(node) || ts.isTypeElement(node)) && isInternal(node)) internal.push(node);
    else if (ts.isIdentifier(node)) add(node, node.getStart(), node.end);
    else if (ts.isImportTypeNode(node)) {
      if (!node.qualifier || !ts.isIdentifier(node.qualifier))
        throw new Error(`${node.getText()} names a whole module; name a type of it`);
      add(node.qualifier, node.getStart() + (node.isTypeOf ? "typeof ".length : 0), node.qualifier.end);
      node.typeArguments?.forEach(visit);
    } else ts.forEachChild(node, visit);
  };
  visit(statement);
  return { references, globals, unknown, internal };
}

/** Chooses a name for each symbol: its own, with a number where another one or the language has it too. */
function chooseNames(exported, statements) {
  const found = [...statements.values()];
  const taken = new Set(found.flatMap(({ globals }) => globals));
  const names = new Map();
  for (const symbol of [...exported, ...found.flatMap(({ own }) => own)]) {
    if (names.has(symbol)) continue;
    let name = symbol.name;
    for (let n = 2; taken.has(name); n++) name = `${symbol.name}${n}`;
    taken.add(name);
    names.set(symbol, name);
  }
  return names;
}

/**
 * The examples of a type alias, and of an interface of options or of a result, which the calls that take or
 * return such values show in use, too. The reference of `npm run docs` has them; here they would be a
 * fiftieth of the package.
 */
function examplesOf(statement) {
  const ofCalls = ts.isInterfaceDeclaration(statement) && /(Options|Result)$/.test(statement.name.text);
  if (!ts.isTypeAliasDeclaration(statement) && !ofCalls) return [];
  return ts.getJSDocTags(statement).filter(({ tagName }) => tagName.text === "example");
}

/**
 * A statement with the chosen names, without its internal members; one that is not exported goes without its
 * doc comment, which no editor shows, but keeps those of its members, which exported types may have of it.
 */
function textOf(statement, { own, references, internal }, names, exported) {
  const file = statement.getSourceFile();
  const isExported = own.some((symbol) => exported.has(symbol));
  const begin = (isExported ? statement.jsDoc?.at(-1)?.pos : undefined) ?? statement.getStart();
  const edits = [
    ...references.map(({ symbol, begin, end }) => [begin, end, names.get(symbol)]),
    ...internal.map((node) => [node.getFullStart(), node.end, ""]),
    ...(isExported ? examplesOf(statement) : []).map((tag) => [tag.pos, tag.end, ""]),
  ];
  const keyword = statement.modifiers?.find(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (keyword && !isExported) edits.push([keyword.getStart(), keyword.end + 1, ""]);
  // After `export`, `declare` means nothing in a .d.ts.
  const declare = statement.modifiers?.find(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword);
  if (keyword && declare && isExported) edits.push([declare.getStart(), declare.end + 1, ""]);
  let done = begin;
  let text = "";
  for (const [from, to, put] of edits.sort(([a], [b]) => a - b)) {
    text += file.text.slice(done, from) + put;
    done = to;
  }
  text += file.text.slice(done, statement.end);
  // Lines of comments need neither indentation nor asterisk, which would be a hundredth of the package. Only
  // where examples are indented, compilers need the asterisks to see it.
  return text
    .replace(/^(?: {4})+/gm, (s) => "\t".repeat(s.length / 4))
    .replace(/\/\*\*\n[^]*?\*\//g, (comment) =>
      comment
        .replace(/^[ \t]*\*(?!\/) ?/gm, /^[ \t]*\* {2,}\S/m.test(comment) ? "* " : "")
        .replace(/\s+\*\/$/, "\n*/"),
    );
}

/** The text of an entry, whose names are those of the shared module. */
function listOf(exported, names) {
  const line = (keyword, wanted) => {
    const listed = exported.filter(({ typeOnly }) => typeOnly === wanted);
    const specifiers = listed.map(({ name, symbol }) =>
      names.get(symbol) === name ? name : `${names.get(symbol)} as ${name}`,
    );
    return listed.length > 0 ? `${keyword} { ${specifiers.join(", ")} } from "./${shared}.js";\n` : "";
  };
  return line("export", false) + line("export type", true);
}
