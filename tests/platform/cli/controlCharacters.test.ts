/**
 * Names and cells that a terminal would obey: escaped wherever a person reads them, and the same bytes as
 * ever in files and in data on stdout.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Folder } from "./helpers.ts";

const folder = new Folder();

/** Sets a window's title, paints the screen red, and begins a sequence with one byte, as C1 characters do. */
const evil = "\x1b]0;owned\x07\x1b[41m\u009b2J\u202e";
const escaped = String.raw`\x1b]0;owned\x07\x1b[41m\x9b2J\u202e`;
const label = `kind${evil}`;
const file = `test${evil}.csv`;

const table = (name: string) => `x,${name}\n0,near${evil}\n1,near${evil}\n10,far\n11,far\n`;

const args = [
  ...["classify", "--train", "train.csv", "--test", file, "--label", label],
  ...["--k", "1", "--backend", "cpu", "--threads", "1"],
];

/** Line ends aside, a terminal shows all of it and obeys none. */
function expectHarmless(text: string): void {
  expect(text).not.toMatch(/[^\n\P{Cc}]|[\u2028-\u202e\u2066-\u2069]/u);
}

describe("control characters", () => {
  it("in names and classes are escaped in the summary, and unchanged in the result", async () => {
    folder.write({ "train.csv": table(label), [file]: table(label) });
    const { code, stdout, stderr } = await folder.run([...args, "--out", `out${evil}.csv`, "--explain"]);
    expect([code, stderr]).toEqual([0, ""]);
    expectHarmless(stdout);
    expect(stdout).toContain(`near${escaped}`);
    expect(stdout).toContain(`written   out${escaped}.csv\n`);
    const result = readFileSync(join(folder.path, `out${evil}.csv`), "utf8");
    expect(result.split("\n")[0]).toBe(
      `x,${label},prediction(${label}),confidence(far),confidence(near${evil})`,
    );
  });

  it("in data on stdout are unchanged, and JSON on stderr says the same in escapes", async () => {
    folder.write({ "train.csv": table(label), [file]: table(label) });
    const { code, stdout, stderr } = await folder.run([...args, "--json"]);
    expect(code).toBe(0);
    expect(stdout.split("\n")[1]).toBe(`0,near${evil},near${evil},0,1`);
    expectHarmless(stderr);
    expect(JSON.parse(stderr)).toMatchObject({ label, queries: { file, rows: 4 } });
  });

  it("in names of gaps and folds are escaped", async () => {
    folder.write({ "train.csv": `x,${evil},kind\n0,,near\n1,,near\n10,,far\n11,,far\n` });
    const { code, stdout, stderr } = await folder.run([
      ...["classify", "--train", "train.csv", "--label", "kind", "--k", "1", "--impute", "average"],
      ...["--save-model", "m.nfm", "--cv", "2", "--backend", "cpu", "--threads", "1"],
    ]);
    expect(code, stderr).toBe(0);
    expectHarmless(stdout + stderr);
    expect(stdout).toContain(`gaps      ${escaped}: nothing to fill them with\n`);
  });

  it("in names are escaped in messages, which stay one line", async () => {
    folder.write({ "train.csv": table("kind"), [file]: "x,kind\nnope,near\n" });
    const text = await folder.run([...args.slice(0, -6), "--label", "kind", "--k", "1", "--backend", "cpu"]);
    expect(text.code).toBe(1);
    expectHarmless(text.stderr);
    expect(text.stderr).toContain(
      `nearfield: test${escaped}.csv, line 2, column "x": "nope" is not a number`,
    );
    const missing = await folder.run(["schema", "no\nsuch\rfile"]);
    expect(missing.stderr).toMatch(/^nearfield: no\\nsuch\\rfile: cannot be read: [^\n]+\n$/);
  });

  it("in the folder of an example are escaped where it is said", async () => {
    const { code, stdout } = await folder.run(["example", "iris", "--out", `examples${evil}`]);
    expect(code).toBe(0);
    expectHarmless(stdout);
    expect(stdout).toContain(join(`examples${escaped}`, "iris-train.csv"));
    expect(folder.list()).toContain(`examples${evil}`);
  });

  it("in options are escaped in messages", async () => {
    const { code, stderr } = await folder.run(["search", "--metric", evil]);
    expect(code).toBe(1);
    expectHarmless(stderr);
    expect(stderr).toContain(`argument '${escaped}' is invalid`);
  });

  it("are escaped in the text of a schema and unchanged in its JSON", async () => {
    folder.write({ [file]: table(label) });
    const { code, stdout } = await folder.run(["schema", file]);
    expect(code).toBe(0);
    expectHarmless(stdout);
    expect(stdout).toContain(`test${escaped}.csv: csv, 4 rows`);
    const json = await folder.run(["schema", file, "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ file, columns: [{ name: "x" }, { name: label }] });
    expect(json.stdout).toContain("\u009b");
  });
});
