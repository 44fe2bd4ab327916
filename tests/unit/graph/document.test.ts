/** The text of process files: reading, the words with which one is refused, and the one printed form. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseProcess, printProcess, setParameter } from "../../../dist/graph/index.js";
import type { ProcessDocument } from "../../../dist/graph/index.js";
import { penguins } from "./penguins.ts";

const withNodes = (nodes: string, rest = "") => `{"nearfield": 1, "nodes": ${nodes}${rest}}`;

describe("a process file", () => {
  it("is read as it stands", () => {
    expect(parseProcess(penguins)).toMatchObject({
      nearfield: 1,
      name: "Penguins by their five nearest",
      nodes: { split: { operator: "splitData", inputs: { table: "roles.table" } } },
      layout: { knn: [448, 96] },
    });
  });

  it.each([
    ["no JSON", `{"nearfield": 1,\n "nodes": {]`, "a.json, line 2, column 12: expected a name in quotes"],
    ["text behind it", withNodes("{}") + "x", "line 1, column 30: nothing should follow the last brace"],
    ["no comma", `{"nearfield": 1 "nodes": {}}`, "line 1, column 17: expected a comma or }"],
    ["no colon", `{"nearfield" 1}`, "line 1, column 14: expected a colon"],
    ["a wrong escape", `{"nearfield": "\\x"}`, "line 1, column 15: this text in quotes does not end"],
    ["a word", `{"nearfield": nan}`, "line 1, column 15: expected a JSON value"],
    ["a leading zero", `{"nearfield": 01}`, "line 1, column 15: expected a JSON value"],
    ["a huge number", `{"nearfield": 1e999}`, "1e999 is too large for a number"],
    [
      "a name twice, as merges leave them",
      withNodes('{"knn": {"operator": "knn"}, "knn": {"operator": "knn"}}'),
      'line 1, column 56: "knn" stands here a second time; remove or rename one of the two',
    ],
    ["depth", `${"[".repeat(40)}`, "is nested deeper than 32 levels"],
    ["a list", "[]", "a.json: $: is []; expected an object"],
    ["another file", "{}", '$: has no member "nearfield", so it is not a process'],
    [
      "a newer format",
      `{"nearfield": 2}`,
      "nearfield: the format is 2, expected 1; a newer Nearfield wrote it",
    ],
    ["a format in quotes", `{"nearfield": "1"}`, 'nearfield: the format is "1", expected 1'],
    ["no nodes", `{"nearfield": 1}`, "nodes: is missing; expected an object"],
    [
      "an unknown member",
      withNodes("{}", ', "layuot": {}'),
      '$: has an unknown member "layuot" (did you mean "layout"?); expected $schema, nearfield, name, nodes, layout',
    ],
    ["a node that is none", withNodes('{"a": 5}'), "nodes.a: is 5; expected an object"],
    ["a node without operator", withNodes('{"a": {}}'), "nodes.a.operator: is missing; expected a text"],
    [
      "code in a node",
      withNodes('{"a": {"operator": "knn", "script": "1"}}'),
      'nodes.a: has an unknown member "script"',
    ],
    [
      "a hostile name",
      withNodes('{"__proto__": {"operator": "knn"}}'),
      'nodes: "__proto__" cannot be a name here',
    ],
    [
      "a long name",
      withNodes(`{"${"a".repeat(1e6)}": {}}`),
      "cannot be a name here; expected a letter, then letters",
    ],
    [
      "a wire that is a list",
      withNodes('{"a": {"operator": "knn", "inputs": {"t": []}}}'),
      "nodes.a.inputs.t: is []; expected a text",
    ],
    [
      "a parameter that is an object",
      withNodes('{"a": {"operator": "knn", "parameters": {"k": {}}}}'),
      "nodes.a.parameters.k: is an object; expected true or false, a number, a text or a list",
    ],
    [
      "a place of no node",
      withNodes("{}", ', "layout": {"a": [0, 0]}'),
      "layout.a: there is no node of this id",
    ],
    [
      "a place that is none",
      withNodes('{"a": {"operator": "knn"}}', ', "layout": {"a": [0]}'),
      "layout.a: is [0]; expected [x, y]",
    ],
  ])("is refused with %s", (_, text, message) => {
    expect(() => parseProcess(text, "a.json")).toThrow(message);
    expect(Object.prototype).not.toHaveProperty("operator");
  });

  it("is refused with more than 1000 nodes, or ten million characters", () => {
    const many = Array.from({ length: 1001 }, (_, at) => `"n${at}": {"operator": "knn"}`);
    expect(() => parseProcess(withNodes(`{${many.join()}}`))).toThrow("nodes: has 1001 members");
    expect(() => parseProcess(" ".repeat(10_000_001))).toThrow("has 10000001 characters");
  });

  it("may name nodes like members of every object", () => {
    const text = withNodes('{"constructor": {"operator": "knn"}, "toString": {"operator": "knn"}}');
    expect(Object.keys(parseProcess(text).nodes)).toEqual(["constructor", "toString"]);
  });
});

describe("the printed form", () => {
  it("is the same again once it was read", () => {
    expect(printProcess(parseProcess(penguins))).toBe(penguins);
  });

  it("does not depend on the order of members, nodes or spaces", () => {
    const turned = (value: unknown): unknown =>
      typeof value !== "object" || value === null || Array.isArray(value)
        ? value
        : Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([name, member]) => [name, turned(member)]),
          );
    const text = JSON.stringify(turned(JSON.parse(penguins)), null, 3);
    expect(text).not.toBe(penguins);
    expect(printProcess(parseProcess(text))).toBe(penguins);
  });

  it("differs in one line for one parameter, and in one other line for a node that was moved", () => {
    const process = parseProcess(penguins);
    expect(changedLines(penguins, printProcess(setParameter(process, "knn.k", "7")))).toEqual([
      '    "knn": { "operator": "knn", "inputs": { "preparation": "normalize.learner", "train": "split.part1" }, "parameters": { "k": 7 } },',
    ]);
    const moved = printProcess({ ...process, layout: { ...process.layout, knn: [470, 96] } });
    expect(changedLines(penguins, moved)).toEqual(['    "knn": [464, 96]']);
  });

  it("leaves out parameters at their defaults, and keeps those of operators it does not know", () => {
    const process: ProcessDocument = {
      nearfield: 1,
      nodes: {
        a: { operator: "knn", parameters: { k: 5, metric: "manhattan" } },
        b: { operator: "future", parameters: { k: 5 } },
      },
    };
    const text = printProcess(process);
    expect(text).toContain('"a": { "operator": "knn", "parameters": { "metric": "manhattan" } }');
    expect(text).toContain('"b": { "operator": "future", "parameters": { "k": 5 } }');
  });

  it("is read back as the same process, whatever it holds", () => {
    const id = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,5}$/);
    const value = fc.oneof(
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
      fc.string(),
      fc.array(fc.oneof(fc.string(), fc.integer())),
    );
    const node = fc.record({
      operator: fc.string(),
      inputs: fc.dictionary(id, fc.string(), { minKeys: 1 }),
      parameters: fc.dictionary(id, value, { minKeys: 1 }),
    });
    const document = fc.record({
      nearfield: fc.constant(1 as const),
      name: fc.string(),
      nodes: fc.dictionary(id, node),
    });
    fc.assert(
      fc.property(document, (process) => {
        const text = printProcess(process);
        expect(parseProcess(text)).toEqual(JSON.parse(JSON.stringify(process)));
        expect(printProcess(parseProcess(text))).toBe(text);
      }),
    );
  });
});

describe("setting a parameter", () => {
  const process = parseProcess(penguins);

  it.each([
    ["a number", "knn.k", "7", 7],
    ["a list of numbers", "split.ratios", "0.8,0.2", [0.8, 0.2]],
    ["a flag", "apply.confidences", "false", false],
    ["a name", "knn.metric", "manhattan", "manhattan"],
    ["a list of texts", "roles.ignore", "island,sex", ["island", "sex"]],
  ])("takes %s in its own type", (_, path, text, value) => {
    const [node, name] = path.split(".");
    const set = setParameter(process, path, text);
    expect(set.nodes[node].parameters?.[name]).toEqual(value);
    expect(parseProcess(penguins)).toEqual(process);
  });

  it.each([
    ["a node that does not exist", "kmn.k", "7", 'there is no node "kmn" (did you mean "knn"?); there are'],
    [
      "a parameter that does not exist",
      "knn.kk",
      "7",
      'knn (k-NN) has no parameter "kk" (did you mean "k"?); it has k, metric',
    ],
    ["no parameter", "knn", "7", 'knn (k-NN) has no parameter ""'],
    ["a word for a number", "knn.k", "seven", 'knn.k: is "seven"; expected a whole number of at least 1'],
    ["nothing for a number", "knn.k", "", 'knn.k: is ""; expected a whole number of at least 1'],
    ["a number out of range", "knn.k", "0", "knn.k: is 0; expected a whole number of at least 1"],
    [
      "an unknown choice",
      "knn.weights",
      "far",
      'knn.weights: is "far"; allowed choices are uniform, distance',
    ],
    ["a path outside", "read.file", "../x.csv", 'read.file: the path is "../x.csv"; expected one below'],
  ])("refuses %s", (_, path, text, message) => {
    expect(() => setParameter(process, path, text)).toThrow(message);
  });
});

function changedLines(before: string, after: string): string[] {
  const known = new Set(before.split("\n"));
  return after.split("\n").filter((line) => !known.has(line));
}
