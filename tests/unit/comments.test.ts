/**
 * The form of comments: how wide their lines are, and how the doc comments of src/ begin. No test can tell
 * whether they are true.
 */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { printWidth } = JSON.parse(readFileSync(join(root, ".prettierrc.json"), "utf8")) as {
  readonly printWidth: number;
};

/** A sentence that begins with one of these has no subject, or is a translation word by word. */
const NO_SUBJECT = /^(?:what|of|whether|as|that of|those|how|where)\b/i;
const ADDRESS = /https?:\/\//;

interface Comment {
  readonly begin: number;
  readonly text: string;
}

function filesOf(folder: string, extensions: RegExp): string[] {
  const all = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  const files = all.filter((file) => extensions.test(file) && !file.endsWith(".generated.ts"));
  return files.filter((file) => !file.includes("node_modules")).map((file) => join(folder, file));
}

function wgslComments(text: string): Comment[] {
  return [...text.matchAll(/\/\/.*/g)].map((match) => ({ begin: match.index, text: match[0] }));
}

/** Finds comments between tokens, so that a string or a regular expression is never taken for one. */
function scriptComments(file: string, text: string): Comment[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = new Map<number, Comment>();
  const visit = (node: ts.Node): void => {
    const children = node.getChildren(source);
    children.forEach(visit);
    if (children.length > 0) return;
    const around = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ];
    for (const { pos, end } of around) found.set(pos, { begin: pos, text: text.slice(pos, end) });
  };
  visit(source);
  return [...found.values()];
}

/** Lists the lines, from 1, where a comment is too wide; code of an example and addresses may be. */
function wideLines(file: string, text: string, width: number): number[] {
  if (text.split("\n").every(({ length }) => length <= width)) return [];
  const comments = file.endsWith(".wgsl") ? wgslComments(text) : scriptComments(file, text);
  return comments.flatMap((comment) => {
    const first = text.slice(0, comment.begin).split("\n");
    const indent = first[first.length - 1].length;
    let inExample = false;
    return comment.text.split("\n").flatMap((line, at) => {
      const tag = /^\s*\* @(\w+)/.exec(line);
      if (tag) inExample = tag[1] === "example";
      const columns = (at === 0 ? indent : 0) + line.length;
      return columns > width && !inExample && !ADDRESS.test(line) ? [first.length + at] : [];
    });
  });
}

/** Lists the lines, from 1, where a doc comment, or the header of a .wgsl file, begins with such a word. */
function subjectless(file: string, text: string): number[] {
  const opening = file.endsWith(".wgsl") ? /^\/\/ */g : /^ *\/\*\*[*\s]+/gm;
  const bad = [...text.matchAll(opening)].filter(({ 0: { length }, index }) =>
    NO_SUBJECT.test(text.slice(index + length)),
  );
  return bad.map(({ index }) => text.slice(0, index).split("\n").length);
}

function places(files: readonly string[], linesOf: (file: string, text: string) => number[]): string[] {
  return files.flatMap((file) =>
    linesOf(file, readFileSync(join(root, file), "utf8")).map((line) => `${file}:${line}`),
  );
}

describe("comments", () => {
  it.each(["src", "tests", "bench", "scripts"])(`of %s keep to ${printWidth} columns`, (folder) => {
    const files = filesOf(folder, /\.(ts|js|mjs|wgsl)$/);
    expect(files.length).toBeGreaterThan(0);
    expect(places(files, (file, text) => wideLines(file, text, printWidth))).toEqual([]);
  });

  it("that document src/ begin with a subject or a verb", () => {
    expect(places(filesOf("src", /\.(ts|wgsl)$/), subjectless)).toEqual([]);
  });
});

describe("the checks of comments", () => {
  const example =
    '/**\n * Says.\n * @example\n * const wide = "0123456789";\n * @throws Error, a wide one\n */\n';

  it("count columns from the start of the line, in every kind of comment", () => {
    expect(wideLines("a.ts", "let a; // 5678901234\n", 20)).toEqual([]);
    expect(wideLines("a.ts", "let a; // 56789012345\n", 20)).toEqual([1]);
    expect(wideLines("a.ts", "/**\n * 45678901234567890\n * 456789012345678901\n */\nlet a;", 20)).toEqual([
      3,
    ]);
    expect(wideLines("a.wgsl", "let a = 1; // 9012345\n// 456789012345678901\n", 20)).toEqual([1, 2]);
  });

  it("leave out the code of examples, addresses and strings", () => {
    expect(wideLines("a.ts", `${example}let a;`, 20)).toEqual([5]);
    expect(wideLines("a.ts", "// https://example.org/a\nlet a;", 20)).toEqual([]);
    expect(wideLines("a.ts", 'const a = "// no comment at all";', 20)).toEqual([]);
    expect(wideLines("a.ts", "const a = `// no ${1} comment`;", 20)).toEqual([]);
  });

  it.each(["What", "Of", "Whether", "As", "That of", "Those", "How", "Where"])("refuse %s", (word) => {
    expect(subjectless("a.ts", `let a;\n/** ${word} it is. */\nlet b;`)).toEqual([2]);
    expect(subjectless("a.ts", `/**\n * ${word} it is.\n */\nlet b;`)).toEqual([1]);
    expect(subjectless("a.wgsl", `// ${word} it is.\n`)).toEqual([1]);
    expect(subjectless("a.ts", `// ${word} it is.\nlet b;`)).toEqual([]);
    expect(subjectless("a.ts", `/** ${word}ever it is. */\nlet b;`)).toEqual([]);
  });
});
