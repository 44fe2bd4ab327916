/**
 * This module mends problems where it is plain how: by a change of the process that takes the problem away.
 * They are offered and never made unasked, and they may bring other problems to light.
 */
import type { ParameterValue, ProcessDocument, ProcessNode } from "./document/document.ts";
import { quote, shown } from "./document/json.ts";

/**
 * It is a change to a process that solves a problem.
 * @example
 * const process = { nearfield: 1 as const, nodes: { learn: { operator: "kn" } } };
 * const [{ mend }] = checkProcess(process);
 * const mends: (Mend | undefined)[] = [mend];
 * mend?.says; // => 'use the operator "knn"'
 * checkProcess(mend!.apply(process)); // => []
 */
export interface Mend {
  /** It describes the change in the words of a button. */
  readonly says: string;
  /** Returns the process with the change; the one given stays as it is. */
  readonly apply: (document: ProcessDocument) => ProcessDocument;
}

/** Changes one node. */
export function inNode(id: string, says: string, change: (node: ProcessNode) => ProcessNode): Mend {
  return {
    says,
    apply: (document) => ({ ...document, nodes: { ...document.nodes, [id]: change(document.nodes[id]) } }),
  };
}

/** Gives a member of `inputs` or `parameters` another name, or takes it out where none is near and free. */
export function rename(
  id: string,
  where: "inputs" | "parameters",
  name: string,
  taken: object,
  near: string | undefined,
): Mend {
  const nearest = near === undefined || Object.hasOwn(taken, near) ? undefined : near;
  const says = nearest === undefined ? `leave out ${quote(name)}` : `rename it to ${quote(nearest)}`;
  return inNode(id, says, (node) => {
    const members = Object.entries(node[where] ?? {}).flatMap(([each, value]) =>
      each !== name ? [[each, value]] : nearest === undefined ? [] : [[nearest, value]],
    );
    return { ...node, [where]: Object.fromEntries(members) as object };
  });
}

/** Wires an input to another output. */
export function rewire(id: string, input: string, wire: string): Mend {
  return inNode(id, `wire it to ${wire}`, (node) => ({ ...node, inputs: { ...node.inputs, [input]: wire } }));
}

/** Gives a parameter another value, or leaves it out. */
export function otherValue(id: string, parameter: string, value: ParameterValue | undefined): Mend {
  const says = value === undefined ? `leave out ${parameter}` : `set ${parameter} to ${shown(value)}`;
  return inNode(id, says, (node) => {
    const { [parameter]: _, ...others } = node.parameters ?? {};
    return { ...node, parameters: value === undefined ? others : { ...others, [parameter]: value } };
  });
}

/** Names another column in a parameter, which holds one or a list of them. */
export function otherColumn(id: string, parameter: string, from: string, to: string): Mend {
  return inNode(id, `name the column ${quote(to)}`, (node) => {
    const value = node.parameters?.[parameter];
    const changed = Array.isArray(value)
      ? (value as readonly (string | number)[]).map((each) => (each === from ? to : each))
      : to;
    return { ...node, parameters: { ...node.parameters, [parameter]: changed } };
  });
}

/** Sends the rows of an input through Apply Model, with the model of another node. */
export function insertApply(id: string, input: string, model: string): Mend {
  return {
    says: `insert Apply Model with ${model}`,
    apply: (document) => {
      const { nodes } = document;
      let number = 1;
      while (Object.hasOwn(nodes, `prepare${number}`)) number++;
      const added = `prepare${number}`;
      const wire = nodes[id].inputs?.[input] ?? "";
      const node = { ...nodes[id], inputs: { ...nodes[id].inputs, [input]: `${added}.table` } };
      const apply = { operator: "applyModel", inputs: { model, table: wire } };
      return { ...document, nodes: { ...nodes, [added]: apply, [id]: node } };
    },
  };
}
