/** The examples of the exported names, from the doc comments of the sources, and which names have none. */
import ts from "typescript";
import type { Snippet } from "./markdown.ts";

export interface Exported {
  readonly name: string;
  /** Exists at run time: a function, a class or a constant. */
  readonly isValue: boolean;
  /** Its own and its members'. */
  readonly examples: readonly Snippet[];
}

/** @param entry the file that exports everything */
export function exportsOf(program: ts.Program, entry: string): Exported[] {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`${entry} is no module`);
  const own = {
    name: "the package",
    isValue: false,
    examples: file.statements.slice(0, 1).flatMap(examplesAt),
  };
  const exported = checker.getExportsOfModule(module).map((alias) => {
    const isAlias = (alias.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? checker.getAliasedSymbol(alias) : alias;
    const nodes = (symbol.declarations ?? []).flatMap(documentedNodes);
    return {
      name: alias.name,
      isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0 && !isTypeOnly(alias),
      examples: nodes.flatMap(examplesAt),
    };
  });
  return [own, ...exported];
}

/** `export type { ... }` */
function isTypeOnly({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some(
    (node) => ts.isExportSpecifier(node) && (node.isTypeOnly || node.parent.parent.isTypeOnly),
  );
}

/** A declaration and, of a class or an interface, its members. */
function documentedNodes(declaration: ts.Declaration): ts.Node[] {
  const hasMembers = ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration);
  return [declaration, ...(hasMembers ? declaration.members : [])];
}

function examplesAt(node: ts.Node): Snippet[] {
  const file = node.getSourceFile();
  return ts
    .getJSDocTags(node)
    .filter(({ tagName }) => tagName.text === "example")
    .map((tag) => {
      const lines = tag.getText(file).split("\n").slice(1);
      return {
        line: file.getLineAndCharacterOfPosition(tag.getStart(file)).line + 2,
        code: lines
          .map((line) => line.replace(/^ *\* ?/, ""))
          .join("\n")
          .trimEnd(),
      };
    });
}
