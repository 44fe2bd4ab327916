/** What `nearfield classify` writes and reports, byte for byte. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Folder } from "./helpers.ts";

const folder = new Folder();

const predicted = `id,x,y,kind,note,prediction(kind),confidence(far),confidence(near)
t1,0.50,0.5,near,"says ""hi"", twice",near,0.4,0.6
t2,10,10.0,far,,far,0.6,0.4
t3,4,5e0,far,"two
lines",near,0.4,0.6
`;

describe("the result of classify", () => {
  it("is the test rows as they are, with prediction and confidences", async () => {
    const { code, stdout } = await folder.classify([]);
    expect(stdout).toBe(predicted);
    expect(code).toBe(0);
  });

  it("goes to the file of --out with the same bytes, and the report to stdout", async () => {
    const { code, stdout, stderr } = await folder.classify(["--out", "out.csv"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^classified 3 rows against 6, .*\n[^]*\nwritten {3}out.csv\n$/);
    expect(readFileSync(join(folder.path, "out.csv"), "utf8")).toBe(predicted);
    expect(folder.list()).toEqual(["out.csv", "test.csv", "train.csv"]);
  });

  it("needs no label in the test file, and then reports no accuracy", async () => {
    folder.write({ "test.csv": "x,y\n9,9\n" });
    const { code, stdout, stderr } = await folder.classify(["--k", "3", "--nominal", "kind"]);
    expect([code, stdout]).toEqual([
      0,
      "x,y,prediction(kind),confidence(far),confidence(near)\n9,9,far,1,0\n",
    ]);
    expect(stderr).not.toContain("accuracy");
  });

  it("weighs votes by distance when asked", async () => {
    folder.write({ "test.csv": "x,y\n10,10\n1,1\n" });
    const { stdout } = await folder.classify(["--weights", "distance", "--k", "3"]);
    const rows = stdout.trimEnd().split("\n").slice(1);
    expect(rows).toEqual(["10,10,far,1,0", "1,1,near,0,1"]);
  });

  it("orders numeric classes as numbers and keeps their text", async () => {
    folder.write({
      "train.csv": "x,grade\n0,10\n1,2\n2,1.0\n3,1\n",
      "test.csv": "x,grade\n0,10\n2.2,1\n3,2\n",
    });
    const args = ["classify", "--train", "train.csv", "--test", "test.csv", "--label", "grade", "--k", "1"];
    const { stdout, stderr } = await folder.run([...args, "--backend", "cpu"]);
    expect(stdout).toBe(
      "x,grade,prediction(grade),confidence(1.0),confidence(2),confidence(10)\n" +
        "0,10,10,0,0,1\n2.2,1,1.0,1,0,0\n3,2,1.0,1,0,0\n",
    );
    expect(stderr).toContain("66.67 % (2 of 3)");
  });

  it("keeps labels that look like numbers apart with --nominal", async () => {
    folder.write({ "train.csv": "x,code\n0,01\n9,1\n", "test.csv": "x,code\n1,01\n8,1\n" });
    const args = ["classify", "--train", "train.csv", "--test", "test.csv", "--label", "code", "--k", "1"];
    const { stdout } = await folder.run([...args, "--backend", "cpu", "--nominal", "code"]);
    expect(stdout).toBe("x,code,prediction(code),confidence(01),confidence(1)\n1,01,01,1,0\n8,1,1,0,1\n");
  });

  it("compares only --features, whose names may contain commas and quotes", async () => {
    folder.write({
      "train.csv": 'junk,"a, ""b""",y,kind\nqqq,0,5,low\n?,9,5,high\n',
      "test.csv": 'kind,y,"a, ""b"""\nlow,5,8\n',
    });
    const args = ["classify", "--train", "train.csv", "--test", "test.csv", "--label", "kind", "--k", "1"];
    const { code, stdout } = await folder.run([...args, "--backend", "cpu", "--features", 'y,"a, ""b"""']);
    expect(code).toBe(0);
    expect(stdout.split("\n")[1]).toBe("low,5,8,high,1,0");
  });

  it("reads and writes another delimiter and the decimal comma", async () => {
    folder.write({ "train.csv": "x;kind\n0,5;a\n1,5;b\n2,5;b\n", "test.csv": "x;more\n0,75;1,5 m\n" });
    const args = ["classify", "--train", "train.csv", "--test", "test.csv", "--label", "kind", "--k", "2"];
    const { stdout } = await folder.run([...args, "--backend", "cpu", "--decimal", ",", "--delimiter", ";"]);
    expect(stdout).toBe("x;more;prediction(kind);confidence(a);confidence(b)\n0,75;1,5 m;a;0,5;0,5\n");
  });

  it("is the same for every number of threads, amount of memory and for --float32 on small integers", async () => {
    folder.write({ "test.csv": "x,y\n3,4\n5,5\n6,5\n" });
    const { stdout } = await folder.classify([]);
    expect(stdout).toContain("5,5,near,0.4,0.6");
    const others = [["--threads", "2"], ["--memory", "64MiB"], ["--float32"]];
    const runs = await Promise.all(others.map((other) => folder.classify(other)));
    expect(runs.map((run) => run.stdout)).toEqual(others.map(() => stdout));
  });
});

describe("the report of classify", () => {
  it("has rows, device, time, accuracy and an aligned confusion matrix on stderr", async () => {
    const { stderr } = await folder.classify([]);
    expect(stderr).toMatch(/^classified 3 rows against 6, 2 features, 2 classes, k = 5, euclidean\n/);
    expect(stderr).toMatch(/\ndevice {4}.+ \(cpu\)\n/);
    expect(stderr).toMatch(/\ntime {6}\d+\.\d\d s .*queries\/s\n/);
    expect(stderr).toContain("\naccuracy  66.67 % (2 of 3)\n");
    expect(stderr).toContain("\n        far  near\n   far    1     1\n  near    0     1\n");
  });

  it("counts only rows that have a label, and classes that training lacks as wrong", async () => {
    folder.write({ "test.csv": "x,y,kind\n0,0,near\n9,9,\n1,1,middle\n" });
    const { stderr } = await folder.classify([]);
    expect(stderr).toContain("50.00 % (1 of 2; 1 row has no kind)");
    expect(stderr).toMatch(/\n +middle +near\n +middle +0 +1\n +near +0 +1\n/);
  });

  it("has no bar and no colours when stderr is no terminal", async () => {
    const { stderr } = await folder.classify([]);
    expect(stderr).not.toMatch(/\x1b|█|░/);
  });

  it("is silent with --quiet", async () => {
    expect(await folder.classify(["--quiet"])).toEqual({ code: 0, stdout: predicted, stderr: "" });
  });

  it("explains the executed plan with --explain, even with --quiet", async () => {
    const { stdout, stderr } = await folder.classify(["--quiet", "--explain"]);
    expect(stdout).toBe(predicted);
    expect(stderr).toMatch(/^device .*\ntechnique .*because.*\n/);
    expect(stderr).toMatch(/\ndistances +18 in float32, \d+ in float64\n/);
  });

  it("is one JSON object on stdout with --json and --out FILE", async () => {
    const { stdout, stderr } = await folder.classify([
      "--json",
      "--out",
      "out.csv",
      "--metric",
      "minkowski",
      "--p",
      "3",
    ]);
    expect(stderr).toBe("");
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    const summary = JSON.parse(stdout) as Record<string, unknown>;
    expect(summary).toMatchObject({
      command: "classify",
      backend: "cpu",
      k: 5,
      metric: "minkowski",
      p: 3,
      precision: "float64",
      train: { file: "train.csv", rows: 6 },
      queries: { file: "test.csv", rows: 3 },
      features: ["x", "y"],
      output: "out.csv",
      explanation: { backend: "cpu", pairs: 18 },
      classification: {
        label: "kind",
        weights: "uniform",
        classes: ["far", "near"],
        labelledRows: 3,
        accuracy: 2 / 3,
        confusion: {
          classes: ["far", "near"],
          counts: [
            [1, 1],
            [0, 1],
          ],
        },
      },
    });
    const { total, ...laps } = summary.seconds as Record<string, number>;
    expect(Object.keys(laps)).toEqual(["read", "fit", "search", "write"]);
    expect(total).toBeCloseTo(Object.values(laps).reduce((sum, lap) => sum + lap));
  });

  it("is one JSON object on stderr with --json when the result is on stdout", async () => {
    const { stdout, stderr } = await folder.classify(["--json", "--explain"]);
    expect(stdout).toBe(predicted);
    expect(JSON.parse(stderr)).toMatchObject({ command: "classify", output: "-" });
  });
});
