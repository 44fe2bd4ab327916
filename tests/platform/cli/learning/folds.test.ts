/** `--cv-out` and `--group`: what folds predict as a file, and groups of rows that stay in one fold. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { crossValidated, type Row } from "../../../oracle/crossValidation.ts";
import { Random, printedSeed } from "../../../oracle/random.ts";
import { Folder } from "../helpers.ts";

const folder = new Folder();
const random = new Random(printedSeed());

/** Rows with gaps, an id, groups, a class and a number to predict; some lack their label. */
const rows: readonly Row[] = Array.from({ length: 61 }, (_, row) => {
  const kind = random.pick(["oak", "elm", "ash"]);
  return {
    name: `t${row}`,
    plot: `p${random.int(0, 9)}`,
    x: row % 10 === 3 ? null : random.int(0, 20) + kind.length * 3,
    y: random.normal() * 5 + (kind === "elm" ? 6 : 0),
    bark: random.pick(["rough", "smooth", kind]),
    kind: row % 12 === 5 ? null : kind,
    height: random.int(1, 40),
  };
});
const columns = Object.keys(rows[0]);

/** A table is written by these extensions. */
const tables = ".csv, .tsv, .tab, .txt, .jsonl, .ndjson, .json, .parquet or .pq, each also with .gz";

beforeEach(() => {
  const lines = rows.map((row) => columns.map((name) => row[name] ?? "").join(","));
  folder.write({ "trees.csv": [columns.join(","), ...lines].join("\n") });
});

const run = async (command: string, label: string, out: string, ...more: string[]) => {
  const files = ["--train", "trees.csv", "--label", label, "--normalize", "z", "--cv-out", out];
  const { stdout, stderr, code } = await folder.run([
    command,
    ...files,
    ...["--features", "x,y,bark", "--backend", "cpu", "--threads", "1"],
    ...more,
  ]);
  expect(code, stderr).toBe(0);
  return { stdout, written: readFileSync(join(folder.path, out), "utf8").trimEnd().split("\n") };
};

describe("--cv-out", () => {
  it.each([
    ["classify", "kind", 3],
    ["regress", "height", 4],
  ])("of %s has fold and prediction of each row, as plain loops find them", async (command, label, folds) => {
    const { written, stdout } = await run(command, label, "out.csv", "--cv", `${folds}`, "-k", "3");
    expect(stdout).toContain("written   out.csv");
    const expected = crossValidated({ rows, label, features: ["x", "y", "bark"], k: 3, folds, seed: 2001 });
    const [header, ...lines] = written.map((line) => line.split(","));
    expect(header.slice(0, 4)).toEqual(["row", "fold", label, `prediction(${label})`]);
    const text = (value: unknown) => (value === null ? "" : String(value));
    const made = lines.map((cells) => cells.slice(0, 4));
    expect(made).toEqual(
      rows.map((row, at) => [
        `${at}`,
        expected.foldOf[at] < 0 ? "" : `${expected.foldOf[at]}`,
        text(row[label]),
        text(expected.predictions[at]),
      ]),
    );
  });

  it("has the confidences that are asked for, by id, in JSON lines", async () => {
    const read = async (...more: string[]) => {
      const { written } = await run("classify", "kind", "out.jsonl", "--cv", "4", "--id", "name", ...more);
      return written.map((line) => JSON.parse(line) as Record<string, number | string | null>);
    };
    const all = await read();
    expect(Object.keys(all[0]).slice(0, 3)).toEqual(["name", "fold", "kind"]);
    const classes = ["ash", "elm", "oak"];
    const tops = all.map((row) => {
      const shares = classes.map((name) => row[`confidence(${name})`]);
      if (row.kind === null) return null;
      const numbers = shares.map(Number);
      expect(numbers.reduce((a, b) => a + b)).toBeCloseTo(1, 12);
      expect(row["prediction(kind)"]).toBe(classes[numbers.indexOf(Math.max(...numbers))]);
      return Math.max(...numbers);
    });
    const top = await read("--force", "--confidence", "top");
    expect(top.map(({ confidence }) => confidence)).toEqual(tops);
    expect(Object.keys((await read("--force", "--no-confidences"))[0])).toHaveLength(4);
  });

  it("stands in --json, and is refused where there are no folds, or for another output's file", async () => {
    const { stdout } = await run("regress", "height", "out.parquet", "--cv", "2", "--json", "--quiet");
    expect((JSON.parse(stdout) as { crossValidation: object }).crossValidation).toMatchObject({
      output: "out.parquet",
    });
    const refused = async (...more: string[]) => {
      const files = ["--train", "trees.csv", "--test", "trees.csv", "--label", "height"];
      const { code, stderr } = await folder.run(["regress", ...files, ...more]);
      expect(code).toBe(1);
      return stderr;
    };
    expect(await refused("--cv-out", "a.csv")).toContain("--cv-out applies to the folds of --cv; add --cv");
    expect(await refused("--cv", "3", "--cv-out", "-")).toContain("--cv-out needs a file of its own");
    const same = await refused("--cv", "3", "--cv-out", "a.csv", "--out", "a.csv");
    expect(same).toContain("a.csv: --cv-out and another output are the same file; name two");
    expect(await refused("--cv", "3", "--cv-out", "out.parquet")).toContain("exists already");
    for (const wrong of ["z.npy", "z.xyz", "z.arrow.gz"]) {
      const error = await refused("--train", "none.csv", "--cv", "3", "--cv-out", wrong);
      expect(error).toBe(
        `nearfield: ${wrong}: the format to write cannot be told from the extension; expected ${tables} (--cv-out)\n`,
      );
    }
    const tune = ["tune", "--train", "none.csv", "--label", "height", "--out", "z.npy"];
    expect((await folder.run(tune)).stderr).toContain(`expected ${tables} (--out)`);
  });

  it.each([
    ["fold", ["--label", "fold", "--id", "name"]],
    ["row", ["--label", "row"]],
    ["fold", ["--label", "row", "--id", "fold"]],
    ["prediction(row)", ["--label", "row", "--id", "prediction(row)"]],
    ["confidence(a)", ["--label", "row", "--id", "confidence(a)", "--confidence", "all"]],
    ["confidence", ["--label", "row", "--id", "confidence", "--confidence", "top"]],
  ])("says before the folds that it adds a column %s, with %j", async (name, options) => {
    folder.write({
      "odd.csv": "name,fold,row,x,prediction(row),confidence,confidence(a)\nu,p,a,1,s,t,v\nv,q,b,2,q,r,s\n",
    });
    const files = ["--train", "odd.csv", "--features", "x", "-k", "1", ...options, "--cv-out", "out.csv"];
    const { code, stderr } = await folder.run(["classify", ...files, "--cv", "9"]); // more folds than rows
    expect(stderr).toBe(
      `nearfield: odd.csv, line 1, column "${name}": --cv-out adds a column of this name; ` +
        "rename it in the file or remove it\n",
    );
    expect(code).toBe(1);
  });
});

describe("--group", () => {
  it("keeps rows of a value in one fold, the largest group first to the fold with the fewest rows", async () => {
    const groups = [...new Set(rows.map(({ plot }) => plot))].map((plot) =>
      rows.flatMap((row, at) => (row.plot === plot ? [at] : [])),
    );
    const foldOf = rows.map(() => -1);
    const sizes = [0, 0, 0];
    for (const group of groups.sort((a, b) => b.length - a.length)) {
      const fold = sizes.indexOf(Math.min(...sizes));
      sizes[fold] += group.length;
      for (const at of group) foldOf[at] = fold;
    }
    const { written, stdout } = await run(
      ...(["regress", "height", "out.csv", "--cv", "3", "--group", "plot", "--json"] as const),
    );
    expect(written.slice(1).map((line) => Number(line.split(",")[1]))).toEqual(foldOf);
    const { crossValidation } = JSON.parse(stdout) as { crossValidation: object };
    expect(crossValidation).toMatchObject({ group: "plot", folds: 3 });
    expect(crossValidation).not.toHaveProperty("seed");
  });

  it("takes a seed for --importance alone, and so does tune", async () => {
    const seed = ["--label", "height", "--cv", "2", "--group", "plot", "--seed", "4"];
    const args = ["--train", "trees.csv", "--features", "x,y", ...seed, "--backend", "cpu", "--threads", "1"];
    for (const command of ["regress", "tune"]) {
      const { code, stderr } = await folder.run([command, ...args]);
      expect(stderr).toContain("groups are dealt by size; leave out (--seed)");
      expect(code).toBe(1);
    }
    const test = ["--test", "trees.csv", "--importance", "--out", "p.csv", "--report", "p.html"];
    const { stdout } = await folder.run(["regress", ...args, ...test, "--json"]);
    const { crossValidation, importance } = JSON.parse(stdout) as Record<string, object>;
    expect(importance).toMatchObject({ seed: 4 });
    expect(crossValidation).not.toHaveProperty("seed");
    const page = readFileSync(join(folder.path, "p.html"), "utf8");
    expect(page).toMatch(/folds(&quot;|")?: 2, (&quot;|")?groups/);
    const tune = ["tune", ...args.slice(0, -6), "--k", "1", "--backend", "cpu", "--threads", "1"];
    const tuned = await folder.run(tune);
    expect(tuned.stdout).toContain("cross-validation in 2 folds of 61 rows, grouped by plot");
    const found = JSON.parse((await folder.run([...tune, "--json"])).stdout) as object;
    expect(found).toMatchObject({ crossValidation: { group: "plot" } });
    expect(found).not.toHaveProperty("crossValidation.seed");
  });

  it("is not compared, and is refused where it means nothing", async () => {
    const files = ["--train", "trees.csv", "--label", "height", "--ignore", "name,kind"];
    const cpu = ["--backend", "cpu", "--threads", "1"];
    const folds = ["--cv", "3", "--group", "plot"];
    const { stdout, code } = await folder.run(["regress", ...files, ...folds, ...cpu]);
    expect(code).toBe(0);
    expect(stdout).toContain("trained on 61 rows, 3 features");
    expect(stdout).toContain("cross-validation in 3 folds of 61 rows, grouped by plot");
    const refused = async (...more: string[]) => (await folder.run(["regress", ...files, ...more])).stderr;
    expect(await refused("--group", "plot", "--save-model", "m.nfm")).toContain(
      "--group applies to the folds of --cv",
    );
    expect(await refused("--cv", "3", "--group", "height")).toContain("both --label and --group");
    expect(await refused(...folds, "--features", "x,plot")).toContain("one of --features and --group");
    expect(await refused("--cv", "3", "--group", "plots")).toContain('did you mean "plot"?');
    expect(await refused("--cv", "3", "--group", "plot", "--columns", "x,y,height,name,kind")).toContain(
      'column "plot" is named by --group',
    );
  });
});
