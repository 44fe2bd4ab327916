/** Every mistake of a user ends in one message with place and remedy, exit code 1, and nothing written. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Folder, classifyArgs, searchArgs, train } from "./helpers.ts";

const folder = new Folder();
const result = ["--out", "out.csv"];

/** Runs in the folder of the test; a later option overrules an earlier one. */
async function refused(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const before = folder.list();
  const { code, stdout, stderr } = await folder.run(args, { env });
  expect([code, stdout], stderr).toEqual([1, ""]);
  expect(folder.list()).toEqual(before);
  expect(stderr.match(/nearfield: /g)).toHaveLength(1);
  expect(stderr).not.toMatch(/nearfield: [^]*\n +at /);
  return stderr;
}

interface Case {
  readonly name: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly message: string;
}

const files: readonly Case[] = [
  {
    name: "a missing file",
    args: ["--test", "nope.csv"],
    message: "nope.csv: cannot be read: there is no such file; check the path\n",
  },
  { name: "a folder as a file", args: ["--train", "."], message: ".: is a folder; name a file\n" },
  {
    name: "an empty file",
    files: { "train.csv": "" },
    message: "train.csv: is empty; expected a line of column names and rows\n",
  },
  { name: "a header only", files: { "test.csv": "x,y\n" }, message: "test.csv: has a header but no rows" },
  {
    name: "a ragged row",
    files: { "train.csv": `${train}c1,5,5\n` },
    message: "train.csv, line 8: has 3 cells, but the header has 4; add or remove cells",
  },
  {
    name: "text in a numeric column of the training file",
    files: { "train.csv": `${train}c1,5,five,far\n` },
    message: 'train.csv, line 8, column "y": "five" is not a number',
  },
  {
    name: "text in a numeric column of the test file",
    files: { "test.csv": "x,y\n1,1\n2,two\n" },
    message: 'test.csv, line 3, column "y": "two" is not a number; correct the cell',
  },
  {
    name: "a decimal comma",
    files: { "test.csv": "x;y\n1;1\n2;2,5\n" },
    message:
      'test.csv, line 3, column "y": "2,5" is not a number (--decimal , reads numbers written with ",")',
  },
  {
    name: "a missing label",
    files: { "train.csv": `${train}c1,5,5,\n` },
    message: 'train.csv, line 8, column "kind": the label is missing; fill it in or remove the row\n',
  },
  {
    name: "different columns",
    files: { "test.csv": "x,z\n1,1\n" },
    message:
      'test.csv: there is no column "y", a feature of train.csv; there are "x", "z". Add what is missing',
  },
  {
    name: "infinity",
    files: { "train.csv": `${train}c1,5,inf,far\n` },
    message: 'train.csv, line 8, column "y": "inf" is not a finite number; correct the cell',
  },
  {
    name: "nominal features of a metric of numbers",
    files: { "train.csv": "x,colour,kind\n1,red,far\n2,blue,near\n" },
    args: ["--k", "1", "--metric", "euclidean"],
    message:
      'train.csv, line 2, column "colour": "red" is not a number, so the column is nominal; euclidean takes numeric ' +
      "columns only: correct the cell, leave the column out (--features), or use the metric mixed_euclidean",
  },
  {
    name: "a label of another kind",
    files: { "train.csv": "id,x,y,kind\na,1,1,1\nb,2,2,2\n", "test.csv": "x,y,kind\n1,1,one\n" },
    args: ["--k", "1"],
    message:
      'test.csv, column "kind": the label is nominal here (line 2 is "one") but numeric in the training table',
  },
  {
    name: "a test file with a column of the result",
    files: { "test.csv": "x,y,prediction(kind)\n1,1,near\n" },
    message: 'test.csv, line 1, column "prediction(kind)": the result adds a column of this name; rename it',
  },
  {
    name: "a training file with nothing to compare",
    files: { "train.csv": "id,kind\na,near\n" },
    message: "train.csv: has no columns to compare besides the label and --id; add at least one\n",
  },
  {
    name: "--columns with nothing to compare",
    args: ["--columns", "id,x,kind", "--ignore", "x"],
    message:
      "train.csv: has no columns to compare among --columns besides the label and --id and --ignore; add at least one\n",
  },
];

const columns: readonly Case[] = [
  {
    name: "an unknown label",
    args: ["--label", "kin"],
    message:
      'train.csv: there is no column "kin" (did you mean "kind"?); the columns are "id", "x", "y", "kind"\n',
  },
  {
    name: "an unknown feature",
    args: ["--features", "x,height"],
    message: 'train.csv: there is no column "height"; the columns are "id", "x", "y", "kind"\n',
  },
  {
    name: "an unknown --id",
    files: { "train.csv": "x,kind\n1,far\n", "test.csv": "x\n1\n" },
    args: ["--id", "idd", "--k", "1"],
    message: 'train.csv: there is no column "idd"; the columns are "x", "kind"',
  },
  { name: "an unknown --nominal", args: ["--nominal", "z9"], message: 'train.csv: there is no column "z9"' },
  {
    name: "the label among the features",
    args: ["--features", "x,kind"],
    message: 'column "kind" is both --label and one of --features; choose one\n',
  },
  {
    name: "the id among the features",
    args: ["--features", "x,id"],
    message: 'column "id" is both --id and one of --features; choose one\n',
  },
  { name: "a feature named twice", args: ["--features", "x,x"], message: 'column "x" is named twice' },
];

const options: readonly Case[] = [
  {
    name: "k = 0",
    args: ["--k", "0"],
    message: "argument '0' is invalid. Expected a whole number of at least 1.",
  },
  { name: "k = 2.5", args: ["--k", "2.5"], message: "argument '2.5' is invalid. Expected a whole number" },
  {
    name: "k > rows",
    args: ["--k", "7"],
    message: "train.csv: has only 6 rows, but k is 7; choose --k of at most 6\n",
  },
  {
    name: "an unknown metric",
    args: ["--metric", "euclid"],
    message:
      "argument 'euclid' is invalid. Did you mean euclidean, sqeuclidean or nan_euclidean? See --metric list for all 44 names.\n",
  },
  {
    name: "an unknown backend",
    args: ["--backend", "cuda"],
    message: "argument 'cuda' is invalid. Allowed choices are auto, gpu, cpu.\n",
  },
  {
    name: "unknown weights",
    args: ["--weights", "rank"],
    message: "argument 'rank' is invalid. Allowed choices are uniform, distance.\n",
  },
  {
    name: "an unknown option",
    args: ["--forse"],
    message: "unknown option '--forse'\n(Did you mean --force?)\n",
  },
  {
    name: "--p without minkowski",
    args: ["--p", "3"],
    message: "--p is the exponent of minkowski, but the metric is euclidean; add --metric minkowski\n",
  },
  {
    name: "--kernel without its metric",
    args: ["--kernel", "dot"],
    message:
      "--kernel belongs to rapidminer:KernelEuclideanDistance, but the metric is euclidean; add --metric " +
      "rapidminer:KernelEuclideanDistance\n",
  },
  {
    name: "p = 0",
    args: ["--metric", "minkowski", "--p", "0"],
    message: "Expected a number above 0, or inf.",
  },
  {
    name: "distance weights with distances below 0",
    args: ["--metric", "inner_product", "--weights", "distance"],
    message:
      'weights "distance" need distances of at least 0, but inner_product can be negative; use "uniform"',
  },
  {
    name: "--gpu on the CPU",
    args: ["--gpu", "0"],
    message: "--gpu chooses a GPU, but the backend is the CPU; leave out one of --gpu and --backend\n",
  },
  {
    name: "memory of no size",
    args: ["--memory", "lots"],
    message: "Expected a number of bytes, such as 512M",
  },
  { name: "an open quote", args: ["--features", '"x,y'], message: "each quote closed before a comma." },
  {
    name: "standard input twice",
    args: ["--train", "-", "--test", "-"],
    message: "--train and --test are both standard input; put one of them into a file\n",
  },
];

describe("classify refuses", () => {
  it.each([...files, ...columns, ...options])("$name", async ({ files = {}, args = [], message }) => {
    folder.write(files);
    expect(await refused([...classifyArgs, ...result, ...args])).toContain(message);
  });

  it("a missing --label", async () => {
    const message = await refused(["classify", "--train", "train.csv", "--test", "test.csv"]);
    expect(message).toMatch(
      /^nearfield: required option '--label <column>' not specified\n\(nearfield classify --help/,
    );
  });
});

describe("search refuses", () => {
  const cases: readonly Case[] = [
    { name: "a missing file", args: ["--queries", "nope.csv"], message: "nope.csv: cannot be read" },
    { name: "k > rows", args: ["--k", "100"], message: "train.csv: has only 6 rows, but k is 100" },
    { name: "an unknown feature", args: ["--features", "q"], message: 'train.csv: there is no column "q"' },
  ];
  it.each(cases)("$name", async ({ args = [], message }) => {
    expect(await refused([...searchArgs, ...result, ...args])).toContain(message);
  });
});

describe("--backend gpu without a GPU", () => {
  // Elsewhere drivers are not found through the Vulkan loader and cannot be hidden.
  it.skipIf(process.platform !== "linux")("is refused, never replaced by the CPU", async () => {
    const none = { VK_ICD_FILENAMES: "/nonexistent.json", VK_DRIVER_FILES: "/nonexistent.json" };
    const message = await refused([...classifyArgs, ...result, "--backend", "gpu"], none);
    expect(message).toMatch(/nearfield: .*adapter; install a driver .*or use the CPU backend\n/);
  });
});

describe("--out is checked before anything is read", () => {
  // A test file that does not exist would be the error if it were looked at first.
  const early = [...classifyArgs, "--test", "nope.csv"];

  it("and must not exist", async () => {
    folder.write({ "out.csv": "precious" });
    expect(await refused([...early, ...result])).toBe(
      "nearfield: out.csv: exists already; add --force to replace it, or name another file (--out)\n",
    );
  });

  it("and must not be a folder", async () => {
    mkdirSync(join(folder.path, "out.csv"));
    expect(await refused([...early, ...result])).toContain(
      "out.csv: is a folder; name a file to write (--out)\n",
    );
  });

  it.each(["", "results/"])("and must name a file, unlike %j", async (path) => {
    expect(await refused([...early, "--out", path])).toContain(
      "--out names no file; give it a path, or - for stdout",
    );
  });

  it("and its folder must exist", async () => {
    expect(await refused([...early, "--out", "results/out.csv"])).toBe(
      "nearfield: results/out.csv: the folder results does not exist; create it first\n",
    );
  });

  it("and must not be an input, however it is spelled, even with --force", async () => {
    expect(await refused([...classifyArgs, "--out", "./train.csv", "--force"])).toBe(
      "nearfield: ./train.csv: is also read, as train.csv; write to another file (--out)\n",
    );
  });
});
