/**
 * Ways to break a process that was drawn, each in one place: what becomes of it, the path of the member, and
 * a word that the message must have. Nothing here checks anything.
 */
import { isReadable } from "../../../dist/graph/readAs.js";
import { operators } from "../../../dist/graph/index.js";
import type { Operator, ProcessDocument, ProcessNode } from "../../../dist/graph/index.js";

/** A process that was broken in one place. */
export interface Broken {
  readonly nodes: Readonly<Record<string, unknown>>;
  /** The place, as a message must name it. */
  readonly path: string;
  /** What the message must say besides. */
  readonly says: string;
}

export type Break = (nodes: ProcessDocument["nodes"], pick: number) => Broken | undefined;

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

const takesNoLearner = ({ types }: Operator["inputs"][number]) =>
  !types.includes("Learner") && !isReadable("Learner", types[0]);
const wired = ({ inputs = {} }: ProcessNode) => Object.keys(inputs).length > 0;
const needy = (node: ProcessNode) => operatorOf(node).inputs.some(({ optional }) => !optional);
export const long = "x".repeat(10_000_000);
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

export const breaks: Readonly<Record<string, Break>> = {
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
      node: { ...node, parameters: { ...node.parameters, [name]: 1 } },
      path: `parameters.${name}`,
      says: "no such parameter",
    };
  }),
  "a parameter of another type": inNode(
    (_, node, pick) => {
      const { name, kind } = of(operatorOf(node).parameters, pick)!;
      const value = kind === "flag" ? "yes" : true;
      return {
        node: { ...node, parameters: { ...node.parameters, [name]: value } },
        path: `parameters.${name}`,
        says: "; expected ",
      };
    },
    (node) => operatorOf(node).parameters.length > 0,
  ),
  // A wire of a node into itself would be a circle first.
  "an unknown input": inNode(
    (_, node) => ({
      node: { ...node, inputs: { ...node.inputs, extra: "read.table" } },
      path: "inputs.extra",
      says: "has no such input",
    }),
    ({ operator }) => operator !== "readTable",
  ),
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
  "a wire of another type": (nodes, pick) => {
    const broken = inNode(
      (_, node, at) => {
        const { name } = of(operatorOf(node).inputs.filter(takesNoLearner), at)!;
        return {
          node: { ...node, inputs: { ...node.inputs, [name]: "stray.learner" } },
          path: `inputs.${name}`,
          says: "is a Learner; expected a ",
        };
      },
      (node) => operatorOf(node).inputs.some(takesNoLearner),
    )(nodes, pick);
    return broken && { ...broken, nodes: { ...broken.nodes, stray: { operator: "knn" } } };
  },
  "a part that is not there": inNode((_, node, pick) => {
    const name = of(Object.keys(node.inputs!), pick)!;
    return {
      node: { ...node, inputs: { ...node.inputs, [name]: "read.part9" } },
      path: `inputs.${name}`,
      says: '"read" (Read Table) has no output "part9"',
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
