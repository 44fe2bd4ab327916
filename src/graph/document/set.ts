/** Changes one parameter of a process, given as a command line or a form gives it: a path and a text. */
import { InvalidInputError } from "../../core/errors.ts";
import { entryOf } from "../catalogue/catalogue.ts";
import { readText } from "../catalogue/parameters.ts";
import { didYouMean } from "./document.ts";
import type { ProcessDocument } from "./document.ts";
import { quote } from "./json.ts";

/**
 * Returns the process with another value of a parameter.
 * @param path node and parameter, such as "knn.k"
 * @param text the value as text; the items of a list are separated by commas
 * @example
 * import { parseProcess, setParameter } from "nearfield/graph";
 *
 * const process = parseProcess('{"nearfield": 1, "nodes": {"split": {"operator": "splitData"}}}');
 * const { split } = setParameter(process, "split.ratios", "0.8,0.2").nodes;
 * split.parameters?.ratios; // => [0.8, 0.2]
 * @throws InvalidInputError for a node or parameter that does not exist, with the nearest one, and for a
 *   value that does not fit
 */
export function setParameter(document: ProcessDocument, path: string, text: string): ProcessDocument {
  const [id, name = ""] = path.split(/\.(.*)/s);
  const node = Object.hasOwn(document.nodes, id) ? document.nodes[id] : undefined;
  if (node === undefined) {
    const ids = Object.keys(document.nodes);
    throw new InvalidInputError(
      `there is no node ${quote(id)}${didYouMean(id, ids)}; there are ${ids.join(", ")}`,
    );
  }
  const entry = entryOf(node.operator);
  const parameter = entry?.parameters.find((each) => each.name === name);
  if (entry === undefined || parameter === undefined) {
    const names = entry?.parameters.map((each) => each.name) ?? [];
    throw new InvalidInputError(
      `${id} (${entry?.title ?? node.operator}) has no parameter ${quote(name)}${didYouMean(name, names)}; it has ` +
        (names.join(", ") || "none"),
    );
  }
  const read = readText(parameter, text);
  if ("fault" in read) throw new InvalidInputError(`${id}.${name}: ${read.fault}`);
  const parameters = { ...node.parameters, [name]: read.value };
  return { ...document, nodes: { ...document.nodes, [id]: { ...node, parameters } } };
}
