/**
 * How documentation becomes tests: what a page is taken for, and what a comment claims. That claims are
 * checked is below too.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { withChecks } from "../platform/examples/claims.ts";
import { blocksOf, stepsOf } from "../platform/examples/markdown.ts";
import { isShown } from "../platform/examples/shown.ts";

const page = `# Title
\`\`\`ts
import { a } from "nearfield";
a(1);
\`\`\`
Words.
\`\`\`ts
a(2);
\`\`\`
\`\`\`sh fails
npx nearfield
\`\`\`
\`\`\`csv out.csv
y
\`\`\`
\`\`\`console
not run
\`\`\`
\`\`\`js worker.js
onmessage = null;
\`\`\`
\`\`\`ts
import { b } from "nearfield";
\`\`\``;

describe("a page", () => {
  it("is blocks with kinds, names and lines", () => {
    expect(blocksOf(page).map(({ kind, name, line }) => [kind, name, line])).toEqual([
      ["ts", "", 3],
      ["ts", "", 8],
      ["sh", "fails", 11],
      ["csv", "out.csv", 14],
      ["js", "worker.js", 20],
      ["ts", "", 23],
    ]);
    expect(blocksOf(page)[1].text).toBe("a(2);");
  });

  it("is steps in order, its modules each from an import to the next, with the lines of the page", () => {
    const steps = stepsOf(blocksOf(page));
    expect(steps.map(({ kind, line }) => [kind, line])).toEqual([
      ["module", 3],
      ["sh", 11],
      ["csv", 14],
      ["js", 20],
      ["module", 23],
    ]);
    const [first] = steps;
    const lines = first.kind === "module" ? first.module.code.split("\n") : [];
    expect([lines[0], lines[1], lines[5]]).toEqual(['import { a } from "nearfield";', "a(1);", "a(2);"]);
  });

  it.each([
    ["```ts\nconst a = 1;\n", "line 1: the block is not closed"],
    ["# A\n<!-- setup\nconst a = 1;\n-->\n", "line 2: a comment hides something from readers"],
    ["```ts\na(1);\n```\n", "line 2: the block imports nothing"],
    [
      "```ts\nimport a from 'a';\n```\n```sh\nls\n```\n```ts\na(1);\n```\n",
      "line 8: the block imports nothing",
    ],
  ])("is refused where readers could not follow: %j", (text, message) => {
    expect(() => stepsOf(blocksOf(text))).toThrow(message);
  });
});

describe("what a page shows", () => {
  it.each([
    ["a\nb", "a\nb\n", ""],
    ["a\n...\nd", "a\nb\nc\nd\n", ""],
    ["a\n...", "a\n", ""],
    ["1,2,...\n3", "1,2,3,4\n3\n", ""],
    ["time  1 s\nb", "time  2 s (3)\nb\n", "varies: device, time"],
    ["x    1.5 MB/s, 3 rows", "x 12,000 GB/s, 12 rows\n", "varies: numbers"],
    ["k = 10  120 M pairs/s", "k = 10  69.1 M pairs/s\n", "varies: numbers"],
  ])("is what was printed: %j", (shown, printed, name) => {
    expect(isShown(shown, printed, name)).toBe(true);
  });

  it.each([
    ["a", "a\nb\n", ""],
    ["a\nb", "a\n", ""],
    ["a.c", "abc\n", ""],
    ["a\n...\nd", "a\nb\nc\n", ""],
    ["time  1 s\nb", "time  2 s\nb\n", ""],
    ["time  1 s\nb", "times  2 s\nb\n", "varies: time"],
    ["1 row", "2 rows\n", "varies: numbers"],
    ["1.5 MB/s", "1.5 MB\n", "varies: numbers"],
  ])("is not what was printed: %j, but %j", (shown, printed, name) => {
    expect(isShown(shown, printed, name)).toBe(false);
  });

  it("is refused with a marker that says nothing", () => {
    expect(() => isShown("a", "a\n", "vary: time")).toThrow('expected "varies: words"');
  });
});

describe("a claim", () => {
  const checked = (code: string) => withChecks(code, "here", 10);

  it.each([
    ["f(1); // => 2", '__check("here, line 10", f(1), (2)); // => 2'],
    ["await f(); // => [1]", '__check("here, line 10", await f(), ([1])); // => [1]'],
    ["console.log(x); // => 'a'", `__check("here, line 10", x, ('a')); // => 'a'`],
    [
      "a.b; // => Uint32Array [1, 2]",
      '__check("here, line 10", a.b, [1, 2], "Uint32Array"); // => Uint32Array [1, 2]',
    ],
    ["const x = f(); // => 3", 'const x = f(); __check("here, line 10", x, (3)); // => 3'],
    ["g();\nf(\n  1,\n);\n// => 2", 'g();\n__check("here, line 13", f(\n  1,\n), (2));\n// => 2'],
    ["if (a) {\n  b; // => 1\n}", 'if (a) {\n  __check("here, line 11", b, (1)); // => 1\n}'],
  ])("becomes a check: %s", (code, expected) => {
    expect(checked(code)).toEqual({ code: expected, claims: 1, loose: [] });
  });

  it("is not to be confused with other comments", () => {
    const code = "const a = f(); // a note\n// another\nf(a);\n";
    expect(checked(code)).toEqual({ code, claims: 0, loose: [] });
    expect(checked("f(); // [1, 2]").loose).toEqual(["10: [1, 2]"]);
    expect(checked("const { b } = a; // => { b: 1 }").loose).toEqual([
      expect.stringContaining("10: 1 claims"),
    ]);
  });
});

describe("the runner", () => {
  it("tells claims that do not hold and modules that throw, and goes on", () => {
    const folder = mkdtempSync(join(tmpdir(), "nearfield-examples-"));
    const modules = [
      `__check("a", Float64Array.of(1, NaN), [1, NaN], "Float64Array"); __check("b", { x: [null, "s"] }, { x: [null, "s"] });`,
      `__check("length", [1, 2], [1]); __check("bit", [0], [-0]); __check("type", new Int32Array(1), [0], "Uint32Array");
       __check("key", { x: 1, y: 2 }, { x: 1 }); __check("kind", "1", 1); __check("none", undefined, null);`,
      `throw new RangeError("thrown");`,
      `console.log("printed", 1); __check("after", 1, 1);`,
    ];
    const paths = modules.map((text, at) => {
      const path = join(folder, `${at}.mjs`);
      writeFileSync(path, text);
      return path;
    });
    const runner = fileURLToPath(new URL("../platform/examples/runner.mjs", import.meta.url));
    const env = { ...process.env, NEARFIELD_TEST_GPU: "0" };
    const lines = execFileSync(process.execPath, [runner, ...paths], { env, encoding: "utf8" })
      .trim()
      .split("\n");
    rmSync(folder, { recursive: true });
    const results = lines.map(
      (line) => JSON.parse(line) as { held: number; wrong: string[]; error: string | null; printed: string },
    );
    expect(results.map(({ held }) => held)).toEqual([2, 0, 0, 1]);
    expect(results[1].wrong.map((each) => each.split(":")[0])).toEqual([
      "length",
      "bit",
      "type",
      "key",
      "kind",
      "none",
    ]);
    expect(results[1].wrong[0]).toBe("length: is [1,2], not [1]");
    expect(results.map(({ printed }) => printed)).toEqual(["", "", "", "printed 1\n"]);
    expect(results.map(({ error }) => error?.split("\n")[0] ?? null)).toEqual([
      null,
      null,
      "RangeError: thrown",
      null,
    ]);
  });
});
