/** `nearfield import`: what it writes, what it says, and with which exit codes. */
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { examples } from "../../backend/gallery.ts";
import { readCsv, rmp } from "../../backend/models/rapidminerProcess.ts";
import { Folder } from "./helpers.ts";

const folder = new Folder();

const read = readCsv("Read CSV", "train.csv", { id: "polynominal.id", x: "real.attribute" });
const knn = { name: "k-NN", key: "k_nn" };
const unknown = { name: "Bag", key: "bagging" };

describe("nearfield import", () => {
  it("makes a process that runs, beside the data that RapidMiner reads", async () => {
    for (const name of ["seed.rmp", "iris-train.csv", "iris-test.csv"])
      copyFileSync(join(examples, name), join(folder.path, name));
    const { code, stdout, stderr } = await folder.run(["import", "seed.rmp", "--out", "made.json"]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readFileSync(join(folder.path, "made.json"), "utf8")).toBe(
      readFileSync(join(examples, "seed.json"), "utf8"),
    );
    const ran = await folder.run(["run", "made.json", "--backend", "cpu", "--quiet"]);
    expect(ran.code).toBe(0);
    expect(ran.stdout.split("\n")).toHaveLength(32);
    const second = await folder.run(["import", "seed.rmp", "--out", "made.json"]);
    expect({ code: second.code, stderr: second.stderr }).toEqual({
      code: 1,
      stderr:
        "nearfield: made.json: exists already; add --force to replace it, or name another file (--out)\n",
    });
  });

  it("lists what has no counterpart by operator and parameter, writes the rest, and ends with 1", async () => {
    folder.write({
      "old.rmp": rmp(
        [
          { ...read, parameters: { ...read.parameters, csv_file: "C:/in/train.csv" } },
          { ...knn, parameters: { turbo: "\u009b2J" }, attributes: 'breakpoints="after"' },
          unknown,
        ],
        ["Read CSV, output -> k-NN, training set"],
      ),
    });
    const { code, stdout, stderr } = await folder.run(["import", "old.rmp"]);
    expect(code).toBe(1);
    expect(Object.keys((JSON.parse(stdout) as { nodes: object }).nodes)).toHaveLength(4);
    expect(stderr.split("\n")).toEqual([
      'note: Read CSV (read_csv), csv_file: is "C:/in/train.csv", but a process reads below its folder: put train.csv beside it, or name the file with --data',
      expect.stringMatching(/^k-NN \(k_nn\), turbo: is "[ -~]*2J", which has no counterpart$/) as string,
      "note: k-NN (k_nn): has a breakpoint, which processes do not have",
      'Bag (bagging): has no counterpart; it stands in the process as "rapidminer:bagging", which does not run',
      "nodes.kNN.inputs.train: these rows have no label; send them through Set Role first, and name the column to predict",
      "nearfield: old.rmp: 2 things that change results have no counterpart; the process was written without",
      "",
    ]);
  });

  it("ends with 0 where what was left out changes no result", async () => {
    const operators = [{ ...knn, attributes: 'breakpoints="before"' }];
    folder.write({ "old.rmp": rmp(operators, []) });
    const { code, stderr } = await folder.run(["import", "old.rmp"]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "note: k-NN (k_nn): has a breakpoint, which processes do not have\n",
    });
  });

  it("tells all of it as JSON, from stdin too", async () => {
    const { code, stdout } = await folder.run(["import", "-", "--json"], { input: rmp([unknown], []) });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      command: "import",
      process: { nodes: { bag: { operator: "rapidminer:bagging" } } },
      left: [{ operator: "Bag (bagging)", changesResults: true }],
    });
  });

  it.each([
    ["no XML", "id,x\n1,2\n", [], "nearfield: old.rmp, line 1, column 1: is not XML: "],
    ["a DOCTYPE", "<!DOCTYPE a><process/>", [], "nearfield: old.rmp: has a DOCTYPE"],
    [
      "--json with --out",
      "<process/>",
      ["--json", "--out", "a.json"],
      "nearfield: --json prints the process",
    ],
  ])("refuses %s with exit code 1, and writes nothing", async (_, text, args, message) => {
    folder.write({ "old.rmp": text });
    const before = folder.list();
    const { code, stdout, stderr } = await folder.run(["import", "old.rmp", ...args]);
    expect(stderr.slice(0, message.length)).toBe(message);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(folder.list()).toEqual(before);
  });
});
