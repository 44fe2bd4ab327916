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
import { blocksOf, modulesOf } from "../platform/examples/markdown.ts";

const page = `# Title
<!-- setup
const hidden = 1;
-->
\`\`\`ts
import { a } from "nearfield";
a(hidden);
\`\`\`
Words.
\`\`\`ts
a(2);
\`\`\`
<!-- file in.csv
x
1
-->
\`\`\`sh fails
npx nearfield
\`\`\`
\`\`\`csv out.csv
y
\`\`\`
\`\`\`js
not run
\`\`\`
\`\`\`ts
import { b } from "nearfield";
\`\`\``;

describe("a page", () => {
  it("is blocks with kinds, names and lines", () => {
    expect(blocksOf(page).map(({ kind, name, line }) => [kind, name, line])).toEqual([
      ["setup", "", 3],
      ["ts", "", 6],
      ["ts", "", 11],
      ["file", "in.csv", 14],
      ["sh", "fails", 18],
      ["csv", "out.csv", 21],
      ["ts", "", 27],
    ]);
    expect(blocksOf(page)[3].text).toBe("x\n1");
  });

  it("is modules, each from an import to the next, with the lines of the page", () => {
    const modules = modulesOf(blocksOf(page));
    expect(modules.map(({ line }) => line)).toEqual([3, 27]);
    const lines = modules[0].code.split("\n");
    expect([lines[0], lines[3], lines[8]]).toEqual([
      "const hidden = 1;",
      'import { a } from "nearfield";',
      "a(2);",
    ]);
  });

  it("is refused with a block that does not end, or a setup of nothing", () => {
    expect(() => blocksOf("```ts\nconst a = 1;\n")).toThrow("line 1: the block is not closed");
    expect(() => modulesOf(blocksOf("<!-- setup\nconst a = 1;\n-->\n"))).toThrow(
      "line 2: no ts block follows",
    );
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
      `console.log("not printed"); __check("after", 1, 1);`,
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
      (line) => JSON.parse(line) as { held: number; wrong: string[]; error: string | null },
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
    expect(results.map(({ error }) => error?.split("\n")[0] ?? null)).toEqual([
      null,
      null,
      "RangeError: thrown",
      null,
    ]);
  });
});
