/** `--importance`: a table of columns, the one that matters most first, and the same in JSON. */
import { beforeEach, expect, it } from "vitest";
import type { Row } from "../../../oracle/crossValidation.ts";
import { accuracyOf, importanceOf, spreadOf } from "../../../oracle/importance.ts";
import { Folder } from "../helpers.ts";

const folder = new Folder();
const make = (count: number, from: number): Row[] =>
  Array.from({ length: count }, (_, at) => {
    const row = at + from;
    return { noise: (row * 7) % 5, size: (row % 3) * 20 + (row % 2), kind: `k${row % 3}` };
  });
const files = { "a.csv": make(60, 0), "b.csv": make(30, 7) };
const args = ["--train", "a.csv", "--test", "b.csv", "--label", "kind", "-k", "3", "--backend", "cpu"];

beforeEach(() => {
  for (const [name, rows] of Object.entries(files)) {
    const lines = rows.map((row) => Object.values(row).join(","));
    folder.write({ [name]: `${Object.keys(rows[0]).join(",")}\n${lines.join("\n")}\n` });
  }
});

it("is what plain loops find, and the column that matters most stands first", async () => {
  const out = ["--out", "p.csv", "--importance", "--seed", "5"];
  const { stdout, code } = await folder.run(["classify", ...args, ...out, "--json"]);
  expect(code).toBe(0);
  const features = ["noise", "size"];
  const settings = { label: "kind", features, k: 3, repeats: 5, seed: 5, score: accuracyOf };
  const { baseline, lost } = importanceOf({ train: files["a.csv"], test: files["b.csv"], ...settings });
  const { importance } = JSON.parse(stdout) as { importance: { columns: object[]; baseline: number } };
  expect(importance).toMatchObject({ measure: "accuracy", repeats: 5, seed: 5, rows: 30 });
  expect(importance.baseline).toBe(baseline);
  importance.columns.forEach((found, at) => {
    const { mean, deviation } = spreadOf(lost[at]);
    const close = (value: number) => expect.closeTo(value, 12) as number;
    expect(found).toEqual({ column: features[at], mean: close(mean), deviation: close(deviation) });
  });
  const text = await folder.run(["classify", ...args, ...out, "--force"]);
  expect(text.stdout).toMatch(
    /\nimportance: accuracy 100\.00 % falls by this much when a column is shuffled \(5 times, seed 5\)\n/,
  );
  expect(text.stdout).toMatch(
    /\n +falls by\n {3}size +\d\d\.\d\d % \+- \d+\.\d\d %\n {2}noise +-?\d\.\d\d % /,
  );
});

it("is that of the folds where there is no test file", async () => {
  const train = ["--train", "a.csv", "--label", "kind", "-k", "3", "--backend", "cpu", "--seed", "5"];
  const { stdout } = await folder.run(["classify", ...train, "--cv", "4", "--importance", "--json"]);
  const { importance, crossValidation } = JSON.parse(stdout) as {
    importance: { columns: { column: string; mean: number }[] };
    crossValidation: { micro: { accuracy: number } };
  };
  const { accuracy } = crossValidation.micro;
  expect(importance).toMatchObject({
    measure: "accuracy",
    baseline: accuracy,
    repeats: 5,
    seed: 5,
    rows: 60,
  });
  const weighted = await folder.run(["classify", ...train, "--cv", "4", "--sample-weight", "noise"]);
  expect(weighted.stdout).toMatch(/folds of 60 rows, seed 5, weighted by noise\n/);
  expect(weighted.stdout).toMatch(/\naccuracy +[\d.]+ % \(weighted by noise\)\n/);
  expect(weighted.stdout).toMatch(/\n +precision +recall +F1 +weight\n/);
  const [noise, size] = importance.columns;
  expect(size.mean).toBeGreaterThan(noise.mean);
});

it("counts rows of the test file and of single rows as folds by their weights", async () => {
  const lines = ["noise,size,kind", "1,0,k0", "5,0,k1", "2,41,k2", "0,20,"];
  folder.write({ "b.csv": `${lines.join("\n")}\n` });
  const weighted = [...args, "--out", "p.csv", "--sample-weight", "noise"];
  const { stdout } = await folder.run(["classify", ...weighted, "--importance", "--json"]);
  const { classification, importance } = JSON.parse(stdout) as Record<string, Record<string, unknown>>;
  expect(classification).toMatchObject({ accuracy: 3 / 8, sampleWeight: "noise", labelledRows: 3 });
  expect(importance).toMatchObject({ baseline: 3 / 8, sampleWeight: "noise", rows: 3 });
  const text = await folder.run(["classify", ...weighted, "--force"]);
  expect(text.stdout).toMatch(/\naccuracy  37\.50 % \(weighted by noise; 1 row has no kind\)\n/);
  expect(text.stdout).toMatch(/\n +precision +recall +F1 +weight\n/);
  folder.write({ "n.csv": "noise,size,kind\n3,0,\n1,20,19\n1,41,44\n" });
  const numbers = args.map((arg) => (arg === "b.csv" ? "n.csv" : arg === "kind" ? "size" : arg));
  const regress = ["regress", ...numbers, "--features", "kind", "--sample-weight", "noise", "--out", "q.csv"];
  expect((await folder.run(regress)).stdout).toMatch(/\nRMSE .* \(of 3 rows, weighted by noise\)\n/);
  const folds = ["--train", "a.csv", "--label", "kind", "--sample-weight", "noise", "--backend", "cpu"];
  const alone = await folder.run(["classify", ...folds, "--cv", "leave-one-out"]);
  const [, macro, micro] = /\naccuracy +([\d.]+ %)[^]*\naccuracy +([\d.]+ %) /.exec(alone.stdout)!;
  expect(alone.stdout).toContain("cross-validation in 60 folds of 60 rows");
  expect(macro).toBe(micro);
});

it("needs weights where labels are measured by them", async () => {
  folder.write({ "b.csv": "size,kind\n20,k1\n", "c.csv": "noise,size\n1,20\n" });
  const refused = async (file: string, ...more: string[]) => {
    const given = args.map((arg) => (arg === "b.csv" ? file : arg));
    const options = ["--features", "size", "--sample-weight", "noise", "--out", "r.csv", "--force"];
    return (await folder.run(["classify", ...given, ...options, ...more])).stderr;
  };
  expect(await refused("b.csv")).toContain(
    'b.csv, column "noise": --sample-weight needs this column in --test',
  );
  expect(await refused("c.csv")).toContain(
    'c.csv, column "kind": --sample-weight weights the measures of --test',
  );
  expect(await refused("c.csv", "--cv", "3")).not.toMatch(/^nearfield:/m);
  const none = ["--train", "a.csv", "--label", "kind", "--save-model", "a.nfm", "--sample-weight", "noise"];
  expect((await folder.run(["classify", ...none])).stderr).toContain(
    "--sample-weight weights the measures of --cv and --test; add one of them, or leave it out",
  );
});

it("is refused without labels to measure by", async () => {
  folder.write({ "b.csv": "noise,size\n1,20\n" });
  const missing = await folder.run(["classify", ...args, "--importance"]);
  expect([missing.code, missing.stderr]).toEqual([
    1,
    'nearfield: b.csv, column "kind": --importance needs this column in --test\n',
  ]);
  folder.write({ "b.csv": "noise,size,kind\n1,20,\n2,40,\n" });
  const empty = await folder.run(["classify", ...args, "--importance"]);
  expect([empty.code, empty.stderr]).toEqual([
    1,
    'nearfield: b.csv, column "kind": no row has a label; expected at least one for --importance\n',
  ]);
  const model = ["--train", "a.csv", "--label", "kind", "--save-model", "a.nfm"];
  const neither = await folder.run(["classify", ...model, "--importance"]);
  expect([neither.code, neither.stderr]).toEqual([
    1,
    "nearfield: --importance needs rows to predict; add --test FILE or --cv FOLDS\n",
  ]);
});
