/** What is found wrong with a process before it runs: each message, with the path of the member. */
import { describe, expect, it } from "vitest";
import { checkProcess, parseProcess } from "../../../dist/graph/index.js";
import type { CheckOptions, ProcessNode } from "../../../dist/graph/index.js";
import { penguins } from "./penguins.ts";

const read: ProcessNode = { operator: "readTable", parameters: { file: "a.csv" } };
const roles: ProcessNode = {
  operator: "setRole",
  inputs: { table: "read.table" },
  parameters: { label: "kind" },
};
const knn: ProcessNode = { operator: "knn", inputs: { train: "roles.table" } };
const sound = { read, roles, knn };

const columns: CheckOptions = {
  files: new Map([
    [
      "read",
      {
        columns: [
          { name: "x", kind: "numeric" },
          { name: "kind", kind: "nominal" },
        ],
      },
    ],
  ]),
};

function problemsOf(nodes: Record<string, ProcessNode>, options?: CheckOptions): string[] {
  return checkProcess({ nearfield: 1, nodes }, options).map(({ path, message }) => `${path}: ${message}`);
}

it("finds nothing wrong with the penguins, nor with a process of nothing", () => {
  expect(checkProcess(parseProcess(penguins))).toEqual([]);
  expect(problemsOf({})).toEqual([]);
  expect(problemsOf(sound, columns)).toEqual([]);
});

describe("the form of nodes", () => {
  it.each<[string, Record<string, ProcessNode>, string]>([
    [
      "an unknown operator",
      { a: { operator: "knnn" } },
      'nodes.a.operator: there is no operator "knnn" (did you mean "knn"?); there are readTable,',
    ],
    [
      "a missing parameter",
      { a: { operator: "readTable" } },
      "nodes.a.parameters.file: is missing; expected a path below",
    ],
    [
      "an unknown parameter",
      { a: { operator: "knn", parameters: { kay: 3 } } },
      "nodes.a.parameters.kay: k-NN has no such parameter; it has k, metric",
    ],
    [
      "a fraction",
      { a: { operator: "knn", parameters: { k: 1.5 } } },
      "nodes.a.parameters.k: is 1.5; expected a whole number of at least 1",
    ],
    [
      "a text for a number",
      { a: { operator: "knn", parameters: { k: "3" } } },
      'nodes.a.parameters.k: is "3"; expected a whole number',
    ],
    [
      "a number for a flag",
      { ...sound, a: { operator: "readTable", parameters: { file: "a.csv", header: 1 } } },
      "nodes.a.parameters.header: is 1; expected true or false",
    ],
    [
      "a number for a text",
      { ...sound, a: { operator: "setRole", inputs: { table: "read.table" }, parameters: { label: 1 } } },
      "nodes.a.parameters.label: is 1; expected a text",
    ],
    [
      "a text for a list",
      { ...sound, a: { operator: "setRole", inputs: { table: "read.table" }, parameters: { ignore: "x" } } },
      'nodes.a.parameters.ignore: is "x"; expected a list of texts',
    ],
    [
      "ratios of one",
      {
        ...sound,
        a: { operator: "splitData", inputs: { table: "read.table" }, parameters: { ratios: [1] } },
      },
      "nodes.a.parameters.ratios: is [1]; expected 2 to 8 numbers above 0",
    ],
    [
      "a seed too large",
      {
        ...sound,
        a: { operator: "splitData", inputs: { table: "read.table" }, parameters: { seed: 2 ** 48 } },
      },
      "expected a whole number of at least 0 and at most 281474976710655",
    ],
    [
      "an unknown input",
      { ...sound, knn: { operator: "knn", inputs: { tain: "roles.table" } } },
      'nodes.knn.inputs.tain: k-NN has no such input (did you mean "train"?); it has train, preparation',
    ],
    [
      "an input that is not wired",
      { a: { operator: "applyModel" } },
      "nodes.a.inputs.model: is not wired; expected a Model: what to apply",
    ],
    [
      "a wire without output",
      { ...sound, knn: { operator: "knn", inputs: { train: "roles" } } },
      'nodes.knn.inputs.train: is "roles"; expected "node.output"',
    ],
    [
      "a wire from nowhere",
      { ...sound, knn: { operator: "knn", inputs: { train: "role.table" } } },
      'nodes.knn.inputs.train: there is no node "role" (did you mean "roles"?)',
    ],
    [
      "a wire from no output",
      { ...sound, knn: { operator: "knn", inputs: { train: "roles.rows" } } },
      'nodes.knn.inputs.train: "roles" (Set Role) has no output "rows"; it has table',
    ],
    [
      "a wire of another type",
      { ...sound, a: { operator: "applyModel", inputs: { model: "knn.learner", table: "read.table" } } },
      "nodes.a.inputs.model: knn.learner is a Learner; expected a Model",
    ],
    [
      "an output that needs an input",
      {
        ...sound,
        knn: { operator: "knn" },
        a: { operator: "applyModel", inputs: { model: "knn.model", table: "read.table" } },
      },
      "nodes.a.inputs.model: knn.model does not exist: nothing is wired into its input train",
    ],
    [
      "a part too many",
      {
        ...sound,
        split: { operator: "splitData", inputs: { table: "read.table" } },
        a: { operator: "nearestNeighbours", inputs: { train: "split.part3" } },
      },
      "split.part3 does not exist: ratios has 2 numbers, so there are part1 and part2 alone",
    ],
    [
      "a node wired into itself",
      { a: { operator: "setRole", inputs: { table: "a.table" }, parameters: { label: "x" } } },
      "nodes.a.inputs: is on a circle: a -> a; cut one of these wires",
    ],
    [
      "a circle",
      {
        a: { ...roles, inputs: { table: "b.table" } },
        b: { ...roles, inputs: { table: "a.table" } },
        c: { ...roles, inputs: { table: "b.table" } },
      },
      "is on a circle: b -> a -> b; cut",
    ],
  ])("%s", (_, nodes, message) => {
    expect(problemsOf(nodes).join("\n")).toContain(message);
  });

  it("is searched for everything that is wrong", () => {
    const nodes: Record<string, ProcessNode> = {
      a: { operator: "knn", parameters: { k: 0, weights: "far" } },
      b: { operator: "knnn" },
    };
    expect(checkProcess({ nearfield: 1, nodes }).map(({ path }) => path)).toEqual([
      "nodes.a.parameters.k",
      "nodes.a.parameters.weights",
      "nodes.b.operator",
    ]);
  });
});

describe("paths of files", () => {
  it.each([
    ["/etc/passwd", "expected one relative to the process's folder"],
    ["../a.csv", "expected one below the process's folder"],
    ["a/../../b.csv", "expected one below the process's folder"],
    ["./a.csv", "expected one below the process's folder"],
    ["a//b.csv", "expected one below the process's folder"],
    ["a\\b.csv", "expected / between folders"],
    ["C:/a.csv", "no drive or URL"],
    ["https://example.org/a.csv", "no drive or URL"],
    ["a\u0000.csv", "holds a control character"],
    ["a/", "expected the name of a file"],
    ["", "expected the name of a file"],
  ])("refuse %j", (file, message) => {
    expect(problemsOf({ read: { operator: "readTable", parameters: { file } } })).toEqual([
      expect.stringContaining(message),
    ]);
  });

  it("may lead into folders", () => {
    expect(
      problemsOf({ read: { operator: "readTable", parameters: { file: "data/.old/a..b.csv" } } }),
    ).toEqual([]);
  });
});

describe("what operators tell before a run", () => {
  const table = { table: "roles.table" };
  it.each<[string, Record<string, ProcessNode>, string]>([
    [
      "a missing label",
      { read, knn: { operator: "knn", inputs: { train: "read.table" } } },
      "nodes.knn.inputs.train: these rows have no label; send them through Set Role first",
    ],
    [
      "an unknown label",
      { read, roles: { ...roles, parameters: { label: "knd" } } },
      'nodes.roles.parameters.label: there is no column "knd" (did you mean "kind"?); the columns are "x", "kind"',
    ],
    [
      "an unknown ignored column",
      { read, roles: { ...roles, parameters: { ignore: ["y"] } } },
      'nodes.roles.parameters.ignore: there is no column "y"',
    ],
    [
      "a column of two roles",
      { read, roles: { ...roles, parameters: { label: "x", ignore: ["x"] } } },
      'nodes.roles.parameters.ignore: column "x" is the label too; choose one',
    ],
    [
      "no role",
      { read, roles: { operator: "setRole", inputs: { table: "read.table" } } },
      "nodes.roles.operator: sets no role; give label or ignore a column",
    ],
    [
      "a column to read that is not there",
      { read: { operator: "readTable", parameters: { file: "a.csv", columns: ["z"] } } },
      'nodes.read.parameters.columns: there is no column "z"',
    ],
    [
      "a label that was not read",
      { read: { operator: "readTable", parameters: { file: "a.csv", columns: ["x"] } }, roles },
      'nodes.roles.parameters.label: there is no column "kind"; the columns are "x"',
    ],
    [
      "regression of a nominal label",
      { read, roles, knn: { ...knn, parameters: { task: "regress" } } },
      'nodes.knn.parameters.task: is regress, which needs numbers, but the label "kind" is nominal',
    ],
    [
      "an exponent without minkowski",
      { ...sound, knn: { ...knn, parameters: { p: 3 } } },
      "nodes.knn.parameters.p: is the exponent of minkowski, but the metric is auto",
    ],
    [
      "a range from 1 to 0",
      { n: { operator: "normalize", parameters: { method: "range", min: 1, max: 0 } } },
      "nodes.n.parameters.max: is 0; expected a number above min, which is 1",
    ],
    [
      "no value to fill in",
      { n: { operator: "replaceMissing", parameters: { by: "value" } } },
      "nodes.n.parameters.value: is missing; give the value to fill in",
    ],
    [
      "a value that is not asked for",
      { n: { operator: "replaceMissing", parameters: { value: "0" } } },
      "nodes.n.parameters.value: belongs to by = value, but by is average",
    ],
    [
      "a learner that predicts, as preparation",
      { ...sound, b: { operator: "knn", inputs: { preparation: "knn.learner" } } },
      "nodes.b.inputs.preparation: comes from a learner that predicts; expected preparation alone",
    ],
    [
      "preparation, as what to validate",
      {
        ...sound,
        n: { operator: "normalize" },
        b: { operator: "crossValidation", inputs: { ...table, learner: "n.learner" } },
      },
      "nodes.b.inputs.learner: is preparation alone; expected a learner that predicts",
    ],
    [
      "folds without a label",
      {
        ...sound,
        b: { operator: "crossValidation", inputs: { table: "read.table", learner: "knn.learner" } },
      },
      "nodes.b.inputs.table: these rows have no label",
    ],
    [
      "preparation outside of the folds",
      {
        ...sound,
        n: { operator: "normalize", inputs: table },
        b: { operator: "crossValidation", inputs: { table: "n.table", learner: "knn.learner" } },
      },
      "nodes.b.inputs.table: these rows went through Normalize, which learnt from all folds; wire its learner into k-NN instead",
    ],
    [
      "no predictions to measure",
      { ...sound, b: { operator: "performance", inputs: table } },
      "nodes.b.inputs.table: these rows have no predictions; send them through Apply Model first",
    ],
    [
      "stratified rows without a label",
      {
        read,
        b: { operator: "splitData", inputs: { table: "read.table" }, parameters: { sampling: "stratified" } },
      },
      "nodes.b.parameters.sampling: is stratified, which needs a label",
    ],
    [
      "a file of no format",
      { read, b: { operator: "writeTable", inputs: { table: "read.table" }, parameters: { file: "b.xyz" } } },
      "nodes.b.parameters.file: b.xyz: the format to write cannot be told from the extension; expected .csv, .tsv, .tab, .txt, .jsonl, .ndjson, .json, .parquet, .pq, .npy, .ivecs or .ibin, each also with .gz, or name the format (format csv, jsonl, json, parquet, npy, ivecs, ibin)",
    ],
    [
      "a file of no format of matrices",
      {
        read,
        a: { operator: "tableToMatrix", inputs: { table: "read.table" }, parameters: { columns: ["x"] } },
        b: { operator: "writeMatrix", inputs: { matrix: "a.matrix" }, parameters: { file: "b.doc" } },
      },
      'nodes.b.parameters.file: the path is "b.doc", whose extension is not that of a matrix; expected .npy, .fvecs, .ivecs, .bvecs, .fbin, .ibin, .u8bin, .i8bin, .idx, or Write Table',
    ],
    [
      "two writers of one file",
      {
        read,
        b: { operator: "writeTable", inputs: { table: "read.table" }, parameters: { file: "b.csv" } },
        c: { operator: "writeTable", inputs: { table: "read.table" }, parameters: { file: "b.csv" } },
      },
      'nodes.c.parameters.file: b writes "b.csv" too; name another file',
    ],
    [
      "rows that were not normalised, of a model whose rows were",
      {
        read,
        roles,
        n: { operator: "normalize", inputs: table },
        knn: { operator: "knn", inputs: { train: "n.table" } },
        b: { operator: "applyModel", inputs: { model: "knn.model", table: "roles.table" } },
      },
      "nodes.b.inputs.table: these rows did not go through Normalize, but the training rows did; wire the model of that Normalize and these rows into Apply Model first",
    ],
    [
      "rows that were normalised, of a model whose rows were not",
      {
        read,
        roles,
        n: { operator: "normalize", inputs: table },
        knn,
        b: { operator: "applyModel", inputs: { model: "knn.model", ...{ table: "n.table" } } },
      },
      "nodes.b.inputs.table: these rows went through Normalize, but the training rows did not",
    ],
    [
      "rows predicted twice",
      {
        ...sound,
        b: { operator: "applyModel", inputs: { model: "knn.model", ...table } },
        c: { operator: "applyModel", inputs: { model: "knn.model", table: "b.table" } },
      },
      'nodes.c.inputs.table: these rows have predictions of "kind" already',
    ],
  ])("%s", (_, nodes, message) => {
    expect(problemsOf(nodes, columns).join("\n")).toContain(message);
  });

  it.each<[string, Record<string, ProcessNode>, string]>([
    ["a label", { read, roles: { ...roles, parameters: { label: "knd" } }, knn }, 'name the column "kind"'],
    [
      "one of several columns",
      { read, roles: { ...roles, parameters: { label: "kind", ignore: ["X"] } } },
      'name the column "x"',
    ],
    ["an operator", { ...sound, knn: { ...knn, operator: "kn" } }, 'use the operator "knn"'],
    [
      "a parameter",
      { ...sound, knn: { ...knn, parameters: { weihgts: "distance" } } },
      'rename it to "weights"',
    ],
    [
      "a parameter that is there",
      { ...sound, knn: { ...knn, parameters: { k: 3, kk: 4 } } },
      'leave out "kk"',
    ],
    ["an input", { ...sound, knn: { ...knn, inputs: { trian: "roles.table" } } }, 'rename it to "train"'],
    ["a node", { ...sound, knn: { ...knn, inputs: { train: "role.table" } } }, "wire it to roles.table"],
    ["an output", { ...sound, knn: { ...knn, inputs: { train: "roles.rows" } } }, "wire it to roles.table"],
    [
      "preparation",
      {
        ...{ read, roles },
        n: { operator: "normalize", inputs: table },
        knn: { operator: "knn", inputs: { train: "n.table" } },
        b: { operator: "applyModel", inputs: { model: "knn.model", table: "roles.table" } },
      },
      "insert Apply Model with n.model",
    ],
  ])("offers to mend %s, after which nothing is wrong", (_, nodes, says) => {
    const process = { nearfield: 1 as const, nodes };
    const [{ mend }, ...more] = checkProcess(process, columns);
    expect({ says: mend?.says, more }).toEqual({ says, more: expect.any(Array) as unknown });
    const mended = mend?.apply(process);
    expect(checkProcess(mended!, columns)).toEqual([]);
  });

  it("takes rows that another node prepared in the same way, and in the right order", () => {
    const n: ProcessNode = { operator: "normalize", inputs: table };
    const apply: ProcessNode = { operator: "applyModel", inputs: { model: "n.model", ...table } };
    const nodes = {
      ...{ read, roles, n, again: n, apply },
      knn: { operator: "knn", inputs: { train: "n.table" } },
      b: { operator: "applyModel", inputs: { model: "knn.model", table: "again.table" } },
      c: { operator: "applyModel", inputs: { model: "knn.model", table: "apply.table" } },
    };
    expect(problemsOf(nodes, columns)).toEqual([]);
  });
});
