/**
 * What an example says comes out, as a check. `// => value` after an expression or a declaration of one
 * variable, on its last line or on the next one, claims that it has that value, which is written as
 * JavaScript; arrays stand for typed arrays too, and `Uint32Array [1, 2]` for one of that type. No other
 * comment may follow an expression: it could claim anything.
 */
import ts from "typescript";

export interface Checked {
  readonly code: string;
  readonly claims: number;
  /** Comments that look like a claim and are none, and claims about nothing, as "line: text". */
  readonly loose: readonly string[];
}

/** @param where how a failed claim calls the example; the line is added */
export function withChecks(code: string, where: string, firstLine: number): Checked {
  const file = ts.createSourceFile("example.ts", code, ts.ScriptTarget.Latest, true);
  const edits: { begin: number; end: number; text: string }[] = [];
  const loose: string[] = [];
  const visit = (node: ts.Node): void => {
    const value = valueOf(node, file);
    const comment = value === undefined ? undefined : commentAfter(code, node.end);
    if (comment?.claim !== undefined) {
      const line = firstLine + file.getLineAndCharacterOfPosition(node.end).line;
      const check = `__check(${JSON.stringify(`${where}, line ${line}`)}, ${value}, ${claimed(comment.claim)});`;
      edits.push(
        ts.isExpressionStatement(node)
          ? { begin: node.getStart(file), end: node.end, text: check }
          : { begin: node.end, end: node.end, text: ` ${check}` },
      );
    } else if (comment && ts.isExpressionStatement(node)) {
      loose.push(`${firstLine + file.getLineAndCharacterOfPosition(node.end).line}: ${comment.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  const written = code.split("// =>").length - 1;
  if (written !== edits.length) {
    loose.push(
      `${firstLine}: ${written - edits.length} claims follow neither an expression nor a declaration of one variable`,
    );
  }
  const edited = edits
    .sort((a, b) => b.begin - a.begin)
    .reduce(
      (text, { begin, end, text: inserted }) => text.slice(0, begin) + inserted + text.slice(end),
      code,
    );
  return { code: edited, claims: edits.length, loose };
}

/** The source of what a statement's claim is about; undefined for other nodes. */
function valueOf(node: ts.Node, file: ts.SourceFile): string | undefined {
  if (ts.isVariableStatement(node)) {
    const [declaration, ...more] = node.declarationList.declarations;
    return more.length === 0 && ts.isIdentifier(declaration.name) ? declaration.name.text : undefined;
  }
  if (!ts.isExpressionStatement(node)) return undefined;
  const { expression } = node;
  const isLog = ts.isCallExpression(expression) && expression.expression.getText(file) === "console.log";
  return (isLog && expression.arguments.length === 1 ? expression.arguments[0] : expression).getText(file);
}

function commentAfter(code: string, end: number): { text: string; claim?: string } | undefined {
  const [, text] = /^[ \t]*\/\/ ?(.*)/.exec(code.slice(end)) ?? [];
  const [, nextLine] = /^[ \t]*\n[ \t]*\/\/ => (.*)/.exec(code.slice(end)) ?? [];
  const claim = nextLine ?? /^=> (.*)/.exec(text ?? "")?.[1];
  if (claim !== undefined) return { text: text ?? "", claim };
  return text === undefined ? undefined : { text };
}

/** The claim as the last arguments of a check. */
function claimed(claim: string): string {
  const [, type, value] = /^(\w+Array) (\[.*\])$/.exec(claim) ?? [];
  return type === undefined ? `(${claim})` : `${value}, ${JSON.stringify(type)}`;
}
