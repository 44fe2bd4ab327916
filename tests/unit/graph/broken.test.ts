/**
 * Processes that are drawn and then broken: each break is found before anything is read or written, by the
 * path of the member, in a message that a terminal can hold.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkProcess,
  operators,
  parseProcess,
  printProcess,
  runProcess,
} from "../../../dist/graph/index.js";
import type { Operator, ProcessDocument, ProcessNode } from "../../../dist/graph/index.js";
import type { Device } from "../../../dist/node.js";
import { InvalidInputError } from "../../../dist/node.js";
import { filesOf, soundProcess } from "./draw.ts";

/** A process that was broken in one place. */
interface Broken {
  readonly nodes: Readonly<Record<string, unknown>>;
  /** The place, as a message must name it. */
  readonly path: string;
  /** What the message must say besides. */
  readonly says: string;
}

type Break = (nodes: ProcessDocument["nodes"], pick: number) => Broken | undefined;

const of = <T>(items: readonly T[], pick: number): T | undefined => items[pick % Math.max(1, items.length)];
const operatorOf = ({ operator }: ProcessNode): Operator => operators.find(({ id }) => id === operator)!;

/** Changes one node, which is chosen among those that `isFit` accepts. */
function inNode(
  change: (id: string, node: ProcessNode, pick: number) => { node: unknown; path: string; says: string },
  isFit: (node: ProcessNode) => boolean = () => true,
): Break {
  return (nodes, pick) => {
    const id = of(
      Object.keys(nodes).filter((each) => isFit(nodes[each])),
      pick,
    );
    if (id === undefined) return undefined;
    const { node, path, says } = change(id, nodes[id], Math.floor(pick / 7));
    return {
      nodes: { ...nodes, [id]: node },
      path: path === "" ? `nodes.${id}` : `nodes.${id}.${path}`,
      says,
    };
  };
}

const wired = ({ inputs = {} }: ProcessNode) => Object.keys(inputs).length > 0;
const needy = (node: ProcessNode) => operatorOf(node).inputs.some(({ optional }) => !optional);
const long = "x".repeat(10_000_000);
const outside = [
  "/etc/passwd",
  "../a.csv",
  "a/../../b",
  "C:/a.csv",
  "file:///a.csv",
  "a\\b",
  "..",
  "a/",
  "",
  "a\0",
];
const hostile = ["__proto__", "constructor", "toString", "hasOwnProperty"];

const breaks: Readonly<Record<string, Break>> = {
  "an unknown operator": inNode((_, node) => ({
    node: { ...node, operator: `${node.operator}x` },
    path: "operator",
    says: `did you mean "${node.operator}"?`,
  })),
  "an operator of a hostile name": inNode((_, node, pick) => ({
    node: { ...node, operator: of(hostile, pick) },
    path: "operator",
    says: "there is no operator",
  })),
  "an unknown parameter": inNode((_, node) => ({
    node: { ...node, parameters: { ...node.parameters, kay: 1 } },
    path: "parameters.kay",
    says: "has no such parameter",
  })),
  "a parameter of a hostile name": inNode((_, node, pick) => {
    const name = of(hostile.slice(1), pick)!;
    return {
      node: { ...node, parameters: { [name]: 1 } },
      path: `parameters.${name}`,
      says: "no such parameter",
    };
  }),
  "a parameter of another type": inNode(
    (_, node, pick) => {
      const { name, kind } = of(operatorOf(node).parameters, pick)!;
      const value = kind === "flag" ? "yes" : true;
      return {
        node: { ...node, parameters: { [name]: value } },
        path: `parameters.${name}`,
        says: "; expected ",
      };
    },
    (node) => operatorOf(node).parameters.length > 0,
  ),
  "an unknown input": inNode((_, node) => ({
    node: { ...node, inputs: { ...node.inputs, extra: "read.table" } },
    path: "inputs.extra",
    says: "has no such input",
  })),
  "a wire from no node": inNode((_, node, pick) => {
    const name = of(Object.keys(node.inputs!), pick)!;
    const from = of(["raed.table", ...hostile.slice(1).map((each) => `${each}.table`)], pick)!;
    return {
      node: { ...node, inputs: { ...node.inputs, [name]: from } },
      path: `inputs.${name}`,
      says: "there is no node",
    };
  }, wired),
  "a wire from no output": inNode((_, node, pick) => {
    const name = of(Object.keys(node.inputs!), pick)!;
    return {
      node: { ...node, inputs: { ...node.inputs, [name]: "read.constructor" } },
      path: `inputs.${name}`,
      says: "has no output",
    };
  }, wired),
  "an input that is missing": inNode((_, node) => {
    const { name } = operatorOf(node).inputs.find(({ optional }) => !optional)!;
    const inputs = Object.fromEntries(Object.entries(node.inputs!).filter(([each]) => each !== name));
    return { node: { ...node, inputs }, path: `inputs.${name}`, says: "is not wired" };
  }, needy),
  "a path outside of the folder": inNode(
    (_, node, pick) => ({
      node: { ...node, parameters: { file: of(outside, pick) } },
      path: "parameters.file",
      says: "the path is",
    }),
    ({ operator }) => operator === "readTable",
  ),
  "a text of 10 MB": inNode((_, node, pick) => {
    const at = of(["operator", "parameter", "wire", "name"] as const, pick)!;
    const tooLong = "has 10000000 characters";
    if (at === "operator") return { node: { ...node, operator: long }, path: "operator", says: tooLong };
    if (at === "parameter")
      return { node: { ...node, parameters: { k: long } }, path: "parameters.k", says: tooLong };
    if (at === "wire")
      return { node: { ...node, inputs: { table: long } }, path: "inputs.table", says: tooLong };
    return {
      node: { ...node, parameters: { [long]: 1 } },
      path: "parameters",
      says: "cannot be a name here",
    };
  }),
  code: inNode((_, node) => ({ node: { ...node, script: "1" }, path: "", says: 'unknown member "script"' })),
  "a circle": (nodes, pick) => {
    const id = of(
      Object.keys(nodes).filter((each) => wired(nodes[each])),
      pick,
    )!;
    const [input] = Object.keys(nodes[id].inputs!);
    const after = of([id, ...followersOf(nodes, id)], Math.floor(pick / 5))!;
    const node = { ...nodes[id], inputs: { ...nodes[id].inputs, [input]: `${after}.table` } };
    return { nodes: { ...nodes, [id]: node }, path: "nodes.", says: "is on a circle: " };
  },
};

/** Returns the nodes that need this one, directly or not. */
function followersOf(nodes: ProcessDocument["nodes"], id: string): string[] {
  const found = new Set<string>();
  const walk = (from: string) => {
    for (const [each, { inputs = {} }] of Object.entries(nodes)) {
      if (found.has(each) || !Object.values(inputs).some((wire) => wire.startsWith(`${from}.`))) continue;
      found.add(each);
      walk(each);
    }
  };
  walk(id);
  return [...found];
}

/** Returns all that is said against the text, by parsing or by the checks. */
function saidAgainst(text: string): string[] {
  try {
    const document = parseProcess(text, "a.json");
    return checkProcess(document, { files: filesOf(document) }).map(
      ({ path, message }) => `${path}: ${message}`,
    );
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInputError);
    return [(error as Error).message];
  }
}

describe("a process that is broken by", () => {
  it.each(Object.entries(breaks))("%s is refused with the place and a word on it", async (name, breakOne) => {
    const numRuns = name.startsWith("a text of") ? 8 : 60;
    let tried = 0;
    const property = fc.asyncProperty(soundProcess, fc.nat(), async (sound, pick) => {
      const broken = breakOne(sound.nodes, pick);
      if (broken === undefined) return;
      tried++;
      const text = JSON.stringify({ nearfield: 1, nodes: broken.nodes });
      const said = saidAgainst(
        text.length > 10_000_000 ? text.replaceAll(long, long.slice(0, 9_900_000)) : text,
      );
      const expected = broken.says.replace("10000000", "9900000");
      const fitting = said.filter((each) => each.includes(broken.path) && each.includes(expected));
      expect(fitting, said.join("\n").slice(0, 2000)).not.toEqual([]);
      expect(Math.max(...said.map(({ length }) => length))).toBeLessThan(1500);
      await expectNothingRuns(text);
    });
    await fc.assert(property, { numRuns });
    expect(tried).toBeGreaterThan(numRuns / 3);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it("any of these has problems whose mends, where one is offered, take them away and change nothing else", () => {
    const kinds = Object.entries(breaks).filter(([name]) => !/10 MB|hostile/.test(name));
    const offered = new Set<string>();
    const property = fc.property(
      soundProcess,
      fc.constantFrom(...kinds),
      fc.nat(),
      (sound, [name, breakOne], pick) => {
        const broken = breakOne(sound.nodes, pick);
        if (broken === undefined || name === "code") return;
        const process = { nearfield: 1 as const, nodes: broken.nodes as ProcessDocument["nodes"] };
        const before = JSON.stringify(process);
        const problemsOf = (of: ProcessDocument) =>
          checkProcess(of, { files: filesOf(of) }).map(({ path, message }) => `${path}: ${message}`);
        for (const { path, message, mend } of checkProcess(process, { files: filesOf(process) })) {
          if (mend === undefined) continue;
          offered.add(name);
          const mended = mend.apply(process);
          expect(problemsOf(mended)).not.toContain(`${path}: ${message}`);
          expect(JSON.stringify(process)).toBe(before);
          const changed = Object.keys(process.nodes).filter((id) => mended.nodes[id] !== process.nodes[id]);
          expect(changed).toEqual([path.split(".")[1]]);
        }
      },
    );
    fc.assert(property, { numRuns: 600 });
    expect([...offered]).toEqual(
      expect.arrayContaining([
        "an unknown operator",
        "an unknown parameter",
        "an unknown input",
        "a wire from no output",
      ]),
    );
  });

  it("members called __proto__ anywhere is refused by that name", () => {
    const places = [
      '{"nearfield": 1, "nodes": {"__proto__": {"operator": "knn"}}}',
      '{"nearfield": 1, "nodes": {"a": {"operator": "knn", "parameters": {"__proto__": {"k": 3}}}}}',
      '{"nearfield": 1, "nodes": {"a": {"operator": "knn", "inputs": {"__proto__": "a.b"}}}}',
      '{"nearfield": 1, "nodes": {"a": {"operator": "knn", "__proto__": {}}}}',
      '{"nearfield": 1, "__proto__": {}, "nodes": {}}',
      '{"nearfield": 1, "nodes": {}, "layout": {"__proto__": [0, 0]}}',
    ];
    for (const text of places)
      expect(saidAgainst(text), text).toEqual([expect.stringContaining('"__proto__"')]);
  });
});

/** A run must not even look for a device, a file or a place to write. */
async function expectNothingRuns(text: string): Promise<void> {
  let document: ProcessDocument;
  try {
    document = parseProcess(text);
  } catch {
    return;
  }
  const never = () => {
    throw new Error("something ran");
  };
  const device = new Proxy({}, { get: never }) as Device;
  await expect(runProcess(document, { device, open: never, write: never })).rejects.toThrow(
    InvalidInputError,
  );
}

describe("any text", () => {
  it("is a process that prints and checks, or refused in words, however a file was cut and joined", () => {
    const property = fc.property(
      soundProcess,
      fc.array(
        fc.tuple(
          fc.nat(),
          fc.nat(12),
          fc.constantFrom("", '"', "{", "}", "[", ",", ":", "\\", "\u0000", "9", "é", "n", "null"),
        ),
      ),
      (sound, edits) => {
        const text = edits.reduce((before, [at, cut, put]) => {
          const begin = at % (before.length + 1);
          return before.slice(0, begin) + put + before.slice(begin + cut);
        }, printProcess(sound));
        if (saidAgainst(text).length > 0) return;
        expect(saidAgainst(printProcess(parseProcess(text)))).toEqual([]);
      },
    );
    fc.assert(property, { numRuns: 400 });
  });

  it("of a sound process is sound again once it is printed", () => {
    const property = fc.property(soundProcess, (sound) => {
      expect(saidAgainst(printProcess(sound))).toEqual([]);
    });
    fc.assert(property);
  });
});
