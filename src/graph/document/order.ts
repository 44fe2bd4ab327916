/**
 * This module puts the nodes of a process in order: each after those that it needs, ties by id. It is pure.
 */
import type { ProcessDocument, ProcessNode } from "./document.ts";

/** A wire is an input and the output that it comes from. */
export interface Wire {
  readonly input: string;
  readonly node: string;
  readonly output: string;
}

/** Returns the wires into a node, by the names of inputs; a text that names no output has an empty one. */
export function wiresInto({ inputs = {} }: ProcessNode): Wire[] {
  return Object.keys(inputs)
    .sort()
    .map((input) => {
      const [node, output = ""] = inputs[input].split(/\.(.*)/s);
      return { input, node, output };
    });
}

export interface NodeOrder {
  /** These ids can be ordered. */
  readonly ids: readonly string[];
  /** They are the nodes on circles, and those that wait for them; by id. */
  readonly stuck: readonly string[];
}

/** Orders all nodes, or those that `only` needs. Wires from nodes that do not exist are left out. */
export function orderOf({ nodes }: ProcessDocument, only?: string): NodeOrder {
  const wanted = only === undefined ? new Set(Object.keys(nodes)) : neededBy(nodes, only);
  const waitsFor = new Map<string, Set<string>>();
  const feeds = new Map<string, string[]>();
  for (const id of wanted) {
    const before = wiresInto(nodes[id]).flatMap(({ node }) => (wanted.has(node) ? [node] : []));
    waitsFor.set(id, new Set(before));
    for (const node of new Set(before)) feeds.set(node, [...(feeds.get(node) ?? []), id]);
  }
  const ids: string[] = [];
  let ready = [...wanted].filter((id) => waitsFor.get(id)?.size === 0).sort();
  while (ready.length > 0) {
    const [id, ...rest] = ready;
    ids.push(id);
    const freed = (feeds.get(id) ?? []).filter((next) => {
      const before = waitsFor.get(next);
      before?.delete(id);
      return before?.size === 0;
    });
    ready = [...rest, ...freed].sort();
  }
  const done = new Set(ids);
  return { ids, stuck: [...wanted].filter((id) => !done.has(id)).sort() };
}

/** Returns one circle among the nodes that are stuck, each feeding the next and the last one the first. */
export function circleOf({ nodes }: ProcessDocument, stuck: readonly string[]): string[] {
  const path: string[] = [];
  for (let id = stuck[0]; ;) {
    path.unshift(id);
    const before = wiresInto(nodes[id]).find(({ node }) => stuck.includes(node));
    if (before === undefined) return path;
    id = before.node;
    if (path.includes(id)) return path.slice(0, path.indexOf(id) + 1);
  }
}

function neededBy(nodes: ProcessDocument["nodes"], target: string): Set<string> {
  const needed = new Set<string>();
  const open = [target];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (needed.has(id) || !Object.hasOwn(nodes, id)) continue;
    needed.add(id);
    open.push(...wiresInto(nodes[id]).map(({ node }) => node));
  }
  return needed;
}
