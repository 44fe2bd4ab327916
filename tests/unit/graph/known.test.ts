/** The checks once somebody has looked into the files: kinds of columns, and numbers of rows. */
import { describe, expect, it } from "vitest";
import { checkProcess, parseProcess, printProcess, setParameter } from "../../../dist/graph/index.js";
import type { ColumnFacts, ProcessNode } from "../../../dist/graph/index.js";

const read: ProcessNode = { operator: "readTable", parameters: { file: "a.csv" } };
const roles: ProcessNode = {
  operator: "setRole",
  inputs: { table: "read.table" },
  parameters: { label: "kind" },
};
const numeric: ColumnFacts = { name: "x", kind: "numeric" };
const nominal: ColumnFacts = { name: "town", kind: "nominal" };
const label: ColumnFacts = { name: "kind", kind: "nominal" };

function problemsOf(
  nodes: Record<string, ProcessNode>,
  columns: readonly ColumnFacts[],
  rows?: number,
): string[] {
  const files = new Map([["read", { columns, rows }]]);
  return checkProcess({ nearfield: 1, nodes }, { files }).map(({ path, message }) => `${path}: ${message}`);
}

describe("a metric", () => {
  const knn = (metric: string): ProcessNode => ({
    operator: "knn",
    inputs: { train: "roles.table" },
    parameters: { metric },
  });
  it.each<[string, readonly ColumnFacts[], string | undefined]>([
    ["manhattan", [numeric], undefined],
    ["manhattan", [numeric, nominal], 'compares numeric columns, but "town" is nominal'],
    ["rapidminer:NominalDistance", [nominal], undefined],
    ["rapidminer:NominalDistance", [nominal, numeric], 'compares nominal columns, but "x" is numeric'],
    ["rapidminer:DiceSimilarity", [numeric], undefined],
    ["rapidminer:DiceSimilarity", [nominal], undefined],
    [
      "rapidminer:DiceSimilarity",
      [nominal, numeric],
      'columns of one kind, but "x" is numeric and "town" nominal',
    ],
    ["mixed_euclidean", [nominal, numeric], undefined],
    ["auto", [nominal, numeric], undefined],
  ])("%s of %j", (metric, features, message) => {
    const found = problemsOf({ read, roles, knn: knn(metric) }, [...features, label]);
    expect(found.map((each) => each.slice(0, "nodes.knn.parameters.metric: is ".length))).toEqual(
      message === undefined ? [] : ["nodes.knn.parameters.metric: is "],
    );
    expect(found.join()).toContain(message ?? "");
    const near = { ...knn(metric), operator: "nearestNeighbours" };
    expect(problemsOf({ read, roles, near }, [...features, label])).toHaveLength(
      message === undefined ? 0 : 1,
    );
  });
});

describe("numbers of rows", () => {
  const columns = [numeric, label];
  const split = (sampling: string): ProcessNode => ({
    operator: "splitData",
    inputs: { table: "roles.table" },
    parameters: { ratios: [0.5, 0.5], sampling },
  });
  const knn = (k: number, train = "roles.table", compat = "none"): ProcessNode => ({
    operator: "knn",
    inputs: { train },
    parameters: { k, compat },
  });
  const folds = (count: number): ProcessNode => ({
    operator: "crossValidation",
    inputs: { table: "roles.table", learner: "knn.learner" },
    parameters: { folds: count },
  });
  const learner = (k: number): ProcessNode => ({ operator: "knn", parameters: { k } });
  const sample = (rows: number): ProcessNode => ({
    operator: "sampleRows",
    inputs: { table: "roles.table" },
    parameters: { rows },
  });

  it.each<[string, Record<string, ProcessNode>, string | undefined]>([
    ["k = rows", { knn: knn(20) }, undefined],
    ["k > rows", { knn: knn(21) }, "knn.parameters.k: is 21, but there are at most 20 rows to learn from"],
    ["k > rows as RapidMiner has it", { knn: knn(21, "roles.table", "rapidminer") }, undefined],
    [
      "k in a part",
      { split: split("shuffled"), knn: knn(12, "split.part1") },
      "knn.parameters.k: is 12, but",
    ],
    ["k that a part may have", { split: split("shuffled"), knn: knn(10, "split.part1") }, undefined],
    ["k in a part by classes", { split: split("stratified"), knn: knn(20, "split.part1") }, undefined],
    ["k in a sample of all", { sample: sample(99), knn: knn(21, "sample.table") }, "there are at most 20"],
    ["folds = rows", { knn: learner(19), folds: folds(20) }, undefined],
    ["folds > rows", { knn: learner(1), folds: folds(21) }, "folds: is 21, but there are at most 20 rows"],
    [
      "k within folds",
      { knn: learner(11), folds: folds(2) },
      "folds.parameters.folds: leaves at most 10 rows to learn from, but k is 11",
    ],
  ])("%s", (_, nodes, message) => {
    const found = problemsOf({ read, roles, ...nodes }, columns, 20);
    expect(found).toEqual(message === undefined ? [] : [expect.stringContaining(message)]);
    expect(problemsOf({ read, roles, ...nodes }, columns)).toEqual([]);
  });
});

it("a sample has no more rows than it draws, whatever the file has", () => {
  const sample = { operator: "sampleRows", inputs: { table: "roles.table" }, parameters: { rows: 4 } };
  const knn = { operator: "knn", inputs: { train: "sample.table" }, parameters: { k: 5 } };
  expect(problemsOf({ read, roles, sample, knn }, [numeric, label])).toEqual([
    "nodes.knn.parameters.k: is 5, but there are at most 4 rows to learn from; give more rows or a smaller k",
  ]);
});

describe("parameters that mean nothing under others", () => {
  it.each([
    [{ method: "z", min: 0.5 }, "parameters.min: belongs to method = range, but method is z; leave it out"],
    [
      { method: "interquartile", max: 0.5 },
      "parameters.max: belongs to method = range, but method is interquartile",
    ],
    [{ allowNegative: true }, "parameters.allowNegative: belongs to method = proportion, but method is z"],
  ])("%j are refused", (parameters, message) => {
    expect(problemsOf({ n: { operator: "normalize", parameters } }, [])).toEqual([
      expect.stringContaining(message),
    ]);
  });
});

describe("numbers that JSON does not have", () => {
  it.each([Infinity, -Infinity, NaN])("%s is refused where a program gives it", (p) => {
    const knn = { operator: "knn", parameters: { metric: "minkowski", p } };
    expect(problemsOf({ knn }, [])).toHaveLength(1);
    const split = { operator: "splitData", inputs: { table: "read.table" }, parameters: { ratios: [1, p] } };
    expect(problemsOf({ read, split }, [])).toHaveLength(1);
  });

  it("-0 is 0, so that what prints alike has one key and one result", () => {
    const text = '{"nearfield": 1, "nodes": {"n": {"operator": "normalize", "parameters": {"min": -0}}}}';
    const parsed = parseProcess(text);
    expect(Object.is(parsed.nodes.n.parameters?.min, 0)).toBe(true);
    expect(printProcess(parsed)).toContain('"n": { "operator": "normalize" }');
    expect(Object.is(setParameter(parsed, "n.min", "-0").nodes.n.parameters?.min, 0)).toBe(true);
  });
});

it("long names of columns make no long messages", () => {
  const long = "x".repeat(100_000);
  const columns = Array.from({ length: 5000 }, (_, at) => ({
    name: `column${at}`,
    kind: "numeric" as const,
  }));
  const nodes = {
    read,
    roles: { ...roles, parameters: { label: long, ignore: [long] } },
    select: { operator: "selectColumns", inputs: { table: "read.table" }, parameters: { columns: [long] } },
  };
  const found = problemsOf(nodes, columns);
  expect(found).toHaveLength(5);
  expect(Math.max(...found.map(({ length }) => length))).toBeLessThan(1000);
});
