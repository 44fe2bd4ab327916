/** `regress`, `predict`, cross-validation and model files from the command line. */
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Folder } from "./helpers.ts";

const folder = new Folder();
const cpu = ["--backend", "cpu", "--threads", "1"];
const flats = "area,rooms,city,note,rent\n30,1,Ulm,a,300\n60,2,Ulm,b,600\n90,,Bonn,c,900\n120,4,Bonn,,1200\n";
const wanted = "city,area,rooms,rent\nUlm,40,1,350\nBonn,100,,1100\nOslo,,3,\n";
const regress = ["regress", "--train", "flats.csv", "--label", "rent", "--ignore", "note", ...cpu];

function run(...args: string[]) {
  folder.write({ "flats.csv": flats, "wanted.csv": wanted });
  return folder.run(args);
}

describe("regress", () => {
  it("adds the prediction to rows of a mixed table with gaps", async () => {
    const { code, stdout, stderr } = await run(...regress, "--test", "wanted.csv", "--k", "1");
    expect(stdout).toBe(
      "city,area,rooms,rent,prediction(rent)\nUlm,40,1,350,300\nBonn,100,,1100,900\nOslo,,3,,900\n",
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/^predicted 3 rows against 4, 3 features, k = 1, mixed_euclidean\n/);
    expect(stderr).toContain(
      "\nRMSE      145.77 (of 2 rows; 1 row has no rent)\nMAE       125\nr         1\nR2        0.84889\n",
    );
  });

  it("weighs by distance, imputes and normalises", async () => {
    const args = [
      "--test",
      "wanted.csv",
      "--k",
      "2",
      "--weights",
      "distance",
      "--impute",
      "average",
      "--normalize",
      "range",
    ];
    const { stdout } = await run(...regress, ...args);
    // Rooms 2.33 of 1 ... 4 in training become 0.43 (the mean is rounded to 2: whole numbers), area 30 ...
    // 120.
    const [, ...rows] = stdout.trimEnd().split("\n");
    expect(rows.map((row) => Number(row.split(",").at(-1)))).toEqual([
      expect.closeTo(
        (300 / (1 / 9) + 600 / Math.hypot(2 / 9, 1 / 3)) / (9 + 1 / Math.hypot(2 / 9, 1 / 3)),
        9,
      ),
      expect.closeTo(
        (900 / (1 / 9) + 1200 / Math.hypot(2 / 9, 2 / 3)) / (9 + 1 / Math.hypot(2 / 9, 2 / 3)),
        9,
      ),
      expect.any(Number),
    ]);
  });

  it(
    "takes time in proportion to the columns, of which there may be 100,000",
    { timeout: 60_000 },
    async () => {
      const columns = process.env.NEARFIELD_LONG ? 100_000 : 25_000;
      const names = Array.from({ length: columns }, (_, j) => `c${j}`);
      const line = (number: number, text: string, label: number) =>
        `${names.map((_, j) => (j % 2 === 0 ? number : j % 9 === 0 ? "" : text)).join(",")},${label}\n`;
      const wide = `${names.join(",")},y\n${line(0, "a", 3)}${line(1, "b", 7)}${line(2, "b", 8)}`;
      folder.write({ "wide.csv": wide });
      const args = ["--train", "wide.csv", "--test", "wide.csv", "--label", "y", "--k", "1", ...cpu];
      const { code, stdout } = await folder.run(["regress", ...args, "--normalize", "z"]);
      expect(code).toBe(0);
      const [, ...rows] = stdout.trimEnd().split("\n");
      expect(rows.map((row) => row.slice(-4))).toEqual([",3,3", ",7,7", ",8,8"]);
      expect(rows.map((row) => `${row.slice(0, row.lastIndexOf(","))}\n`).join("")).toBe(
        wide.slice(wide.indexOf("\n") + 1),
      );
    },
  );

  it("gives one JSON object", async () => {
    const { stdout } = await run(
      ...regress,
      "--test",
      "wanted.csv",
      "--k",
      "1",
      "--json",
      "--out",
      "out.csv",
    );
    expect(JSON.parse(stdout)).toMatchObject({
      command: "regress",
      metric: "mixed_euclidean",
      features: ["area", "rooms", "city"],
      regression: { label: "rent", weights: "uniform", labelledRows: 2, mae: 125, correlation: 1 },
    });
    expect(JSON.parse(stdout)).not.toHaveProperty("classification");
  });
});

describe("compat rapidminer", () => {
  it("orders classes by first appearance and takes k beyond the rows", async () => {
    folder.write({ "train.csv": "x,y\n9,b\n1,a\n", "test.csv": "x\n0\n" });
    const args = ["classify", "--train", "train.csv", "--test", "test.csv", "--label", "y", "--k", "5"];
    const { code, stdout } = await folder.run([...args, "--compat", "rapidminer", ...cpu]);
    expect([code, stdout]).toEqual([0, "x,prediction(y),confidence(b),confidence(a)\n0,b,0.2,0.2\n"]);
  });
});

describe("cross-validation", () => {
  const rows = Array.from({ length: 20 }, (_, i) => `${i},${i < 10 ? "low" : "high"},${2 * i}\n`);
  const cv = (...args: string[]) => {
    folder.write({ "rows.csv": `x,kind,y\n${rows.join("")}5,,\n` });
    return folder.run([...args, "--train", "rows.csv", ...cpu, "--normalize", "z"]);
  };

  it("of classes reports macro and micro averages, and rows without a label", async () => {
    const { code, stdout, stderr } = await cv(
      "classify",
      "--label",
      "kind",
      "--ignore",
      "y",
      "--cv",
      "5",
      "--k",
      "3",
    );
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^trained on 21 rows, 1 feature, k = 3, euclidean\n/);
    expect(stdout).toContain(
      "\ncross-validation in 5 folds of 20 rows, seed 2001; 1 row has no kind\naccuracy  ",
    );
    expect(stdout).toMatch(/\nover all rows\naccuracy {2}\d+\.\d\d % \(\d+ of 20\)\nkappa {5}\S+\n/);
    expect(stdout).toMatch(
      /\n +precision +recall +F1 +rows\n +high( +\S+ %){3} +10\n +low( +\S+ %){3} +10\n/,
    );
    expect(stdout).toMatch(/\nbalanced .*\nAUC .*\nlog loss /);
  });

  it("of numbers does too, and --seed draws other folds", async () => {
    const run = async (...args: string[]) => {
      const { stdout } = await cv(
        "regress",
        "--label",
        "y",
        "--features",
        "x",
        "--cv",
        "4",
        "--json",
        ...args,
      );
      return (JSON.parse(stdout) as { crossValidation: { macro: object; micro: { rmse: number } } })
        .crossValidation;
    };
    const first = await run();
    expect(first).toMatchObject({
      folds: 4,
      seed: 2001,
      unlabelledRows: 1,
      macro: { rmse: { mean: expect.any(Number) as number, deviation: expect.any(Number) as number } },
      micro: { labelledRows: 20 },
    });
    expect(await run("--seed", "2001")).toEqual(first);
    expect((await run("--seed", "7")).micro.rmse).not.toBe(first.micro.rmse);
  });
});

describe("--kernel", () => {
  const rows = "x,y\n1,10\n3,30\n";
  const metric = ["--metric", "rapidminer:KernelEuclideanDistance"];
  const args = ["--train", "rows.csv", "--test", "rows.csv", "--label", "y", "--k", "1", ...metric, ...cpu];
  // It falls with distance, so that the farthest row is the nearest.
  const multiquadric = ["--kernel", "multiquadric:shift=2"];

  it.each([
    [[], "1,10,10\n3,30,30\n", "k = 1, rapidminer:KernelEuclideanDistance\n"],
    [multiquadric, "1,10,30\n3,30,10\n", "Distance, kernel multiquadric:shift=2\n"],
  ])("%j ranks by it", async (given, expected, told) => {
    folder.write({ "rows.csv": rows });
    const { stdout, stderr } = await folder.run(["regress", ...args, ...given]);
    expect(stdout).toBe(`x,y,prediction(y)\n${expected}`);
    expect(stderr).toContain(told);
  });

  it("is kept in a model file, and told by predict", async () => {
    folder.write({ "rows.csv": rows });
    const first = await folder.run(["regress", ...args, ...multiquadric, "--save-model", "rows.nfm"]);
    const predict = ["predict", "--model", "rows.nfm", "--test", "rows.csv", "--json", ...cpu];
    const again = await folder.run(predict);
    expect(again.stdout).toBe(first.stdout);
    expect(JSON.parse(again.stderr)).toMatchObject({ kernel: { type: "multiquadric", shift: 2 } });
  });
});

describe("a saved model", () => {
  it("predicts byte for byte what its training run did", async () => {
    folder.write({
      "train.csv": "x;colour;grade\n0,5;red;1,0\n1;;2\n3;blue;1\n;red;2\n7;blue;2\n",
      "test.csv": "colour;x;grade\nred;0,25;1\ngreen;;2\n;6;\n",
    });
    const format = ["--decimal", ",", "--delimiter", ";", ...cpu];
    const train = ["classify", "--train", "train.csv", "--label", "grade", "--k", "3", "--impute", "average"];
    const args = [
      "--normalize",
      "z",
      "--weights",
      "distance",
      "--test",
      "test.csv",
      "--save-model",
      "grade.nfm",
    ];
    const trained = await folder.run([...train, ...args, ...format]);
    expect(trained.code, trained.stderr).toBe(0);
    expect(trained.stdout).toContain("prediction(grade);confidence(1,0);confidence(2)\n");
    expect(trained.stderr).toContain("\nwritten   grade.nfm\n");
    const predicted = await folder.run(["predict", "--model", "grade.nfm", "--test", "test.csv", ...format]);
    expect(predicted.stdout).toBe(trained.stdout);
    expect(predicted.stderr).toMatch(
      /^predicted 3 rows against 5, 2 features, 2 classes, k = 3, mixed_euclidean\n/,
    );
    expect(predicted.stderr).toContain("(2 of 2; 1 row has no grade)");
  });

  it("of a regression predicts numbers, with a JSON summary", async () => {
    const saved = await run(...regress, "--save-model", "rent.nfm", "--k", "2", "--compat", "rapidminer");
    expect(saved.code, saved.stderr).toBe(0);
    expect(saved.stdout).toMatch(/^trained on 4 rows, .*\n[^]*\nwritten {3}rent.nfm\n$/);
    const args = [
      "predict",
      "--model",
      "rent.nfm",
      "--test",
      "wanted.csv",
      ...cpu,
      "--json",
      "--out",
      "out.csv",
    ];
    const { code, stdout } = await run(...args);
    expect(code).toBe(0);
    const summary = JSON.parse(stdout) as object;
    const facts =
      "command backend device metric precision k compat train queries features label output model seconds queriesPerSecond";
    expect(Object.keys(summary).sort()).toEqual([...facts.split(" "), "explanation", "regression"].sort());
    expect(summary).toMatchObject({
      command: "predict",
      model: "rent.nfm",
      compat: "rapidminer",
      k: 2,
      train: { rows: 4 },
      regression: { label: "rent", labelledRows: 2 },
    });
    expect(readFileSync(join(folder.path, "out.csv"), "utf8")).toMatch(
      /^city,area,rooms,rent,prediction\(rent\)\nUlm,40,1,350,450\n/,
    );
  });

  it("is refused when it is damaged, foreign, or does not fit the file", async () => {
    await run(...regress, "--save-model", "rent.nfm", "--k", "2");
    const path = join(folder.path, "rent.nfm");
    const bytes = readFileSync(path);
    const refused = async (message: string, ...args: string[]) => {
      const { code, stdout, stderr } = await run(
        "predict",
        "--model",
        "rent.nfm",
        "--test",
        "wanted.csv",
        ...cpu,
        ...args,
      );
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(message);
    };
    await refused(
      "flats.csv: is not a Nearfield model; name a file that was written with --save-model",
      "--model",
      "flats.csv",
    );
    await refused("nope.nfm: cannot be read: there is no such file", "--model", "nope.nfm");
    await refused("rent.nfm: is also read", "--out", "rent.nfm", "--force");
    writeFileSync(path, bytes.subarray(0, 99));
    await refused(`rent.nfm: is cut off after 99 of ${bytes.length} bytes`);
    bytes[200] ^= 1;
    writeFileSync(path, bytes);
    await refused("rent.nfm: is damaged: its checksum differs");
    bytes[200] ^= 1;
    writeFileSync(path, bytes);
    folder.write({ "other.csv": "area,city\n1,Ulm\n" });
    await refused('other.csv: there is no column "rooms"', "--test", "other.csv");
  });
});

describe("refused are", () => {
  it.each<[string, string[], string]>([
    ["nothing to do", [], "there is nothing to do; add --test FILE, --cv FOLDS or --save-model FILE\n"],
    [
      "folds beyond the rows",
      ["--cv", "9"],
      "9 folds of 4 rows with a label; expected a whole number from 2",
    ],
    [
      "one fold",
      ["--cv", "1"],
      "argument '1' is invalid. Expected a whole number of at least 2, or leave-one-out.",
    ],
    [
      "a seed without folds",
      ["--test", "wanted.csv", "--seed", "1"],
      "--seed draws the folds of --cv and shuffles for --importance; add",
    ],
    [
      "--out without --test",
      ["--cv", "2", "--out", "x.csv"],
      "--out receives the predictions of --test; add --test FILE",
    ],
    [
      "--explain without a search",
      ["--save-model", "m.nfm", "--explain"],
      "--explain tells how rows of --test, or else the folds of --cv, were searched; add one of them\n",
    ],
    [
      "a model on stdout",
      ["--save-model", "-"],
      "--save-model needs a file of its own; stdout is for results",
    ],
    [
      "a model over its rows",
      ["--save-model", "flats.csv", "--force"],
      "flats.csv: is also read, as flats.csv",
    ],
    [
      "a model over the result",
      ["--test", "wanted.csv", "--out", "a", "--save-model", "a"],
      "a: --save-model and another output are the same file",
    ],
    [
      "a model over the result by another name",
      ["--test", "wanted.csv", "--out", "./a.csv", "--save-model", "a.csv", "--force"],
      "a.csv: --save-model and another output are the same file",
    ],
    [
      "an unknown method",
      ["--cv", "2", "--normalize", "log"],
      "Expected z, range, proportion, interquartile or range=MIN:MAX",
    ],
    ["an empty range", ["--cv", "2", "--normalize", "range=1:0"], "MIN below MAX."],
    [
      "an unknown imputation",
      ["--cv", "2", "--impute", "median"],
      "Expected average, minimum, maximum, zero or value=X.",
    ],
    [
      "an imputation that cannot be",
      ["--cv", "2", "--impute", "value=x"],
      'column "area": is numeric, but the value for gaps is "x"',
    ],
    [
      "an unknown tool",
      ["--cv", "2", "--compat", "weka"],
      "argument 'weka' is invalid. Allowed choices are rapidminer.",
    ],
    [
      "a nominal label of regress",
      ["--cv", "2", "--label", "city", "--k", "1"],
      'flats.csv, line 2, column "city": "Ulm" is not a number, so the label is nominal',
    ],
    [
      "the label among those ignored",
      ["--cv", "2", "--ignore", "rent"],
      'column "rent" is both --label and one of --ignore',
    ],
    [
      "a feature among those ignored",
      ["--cv", "2", "--features", "note"],
      'column "note" is both one of --features and one of --ignore',
    ],
    [
      "text in a column of numbers",
      ["--cv", "2", "--train", "slip.csv"],
      'slip.csv, line 4, column "area": "9o" is not a number, but most cells of the column are; correct the cell',
    ],
  ])("%s", async (_, args, message) => {
    folder.write({ "slip.csv": "area,note,rent\n1,,1\n2,,2\n9o,,3\n" });
    const { code, stdout, stderr } = await run(...regress, "--k", "1", ...args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(message);
    expect(folder.list()).toEqual(["flats.csv", "slip.csv", "test.csv", "train.csv", "wanted.csv"]);
  });

  it("a model over the result through a link to a file that is not there yet", async () => {
    symlinkSync("later.csv", join(folder.path, "link.nfm"));
    const outputs = ["--out", "later.csv", "--save-model", "link.nfm", "--force"];
    const { code, stderr } = await run(...regress, "--k", "1", "--test", "wanted.csv", ...outputs);
    expect(code).toBe(1);
    expect(stderr).toContain("link.nfm: --save-model and another output are the same file; name two");
    rmSync(join(folder.path, "link.nfm"));
    expect(folder.list()).not.toContain("later.csv");
  });
});
