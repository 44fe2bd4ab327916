/**
 * Prints a process in its one form: nodes in the order in which they run, ties by id, each on a line of its
 * own; inputs and parameters by name, those at their defaults left out; layout at the end. So a changed
 * parameter is a diff of one line, and a moved node one other line.
 */
import { entryOf } from "../catalogue/catalogue.ts";
import { orderOf } from "./order.ts";
import type { ParameterValue, ProcessDocument, ProcessNode } from "./document.ts";

/** The layout has a grid of so many pixels. */
const GRID = 16;

/**
 * Returns the text of a process file; printing what was parsed from it gives the same text again.
 * @example
 * import { parseProcess, printProcess } from "nearfield/graph";
 *
 * const read = '"read": {"parameters": {"file": "a.csv", "header": true}, "operator": "readTable"}';
 * const text = printProcess(parseProcess(`{"nodes": {${read}}, "nearfield": 1}`));
 * text.split("\n")[3]; // => '    "read": { "operator": "readTable", "parameters": { "file": "a.csv" } }'
 * printProcess(parseProcess(text)) === text; // => true
 */
export function printProcess(document: ProcessDocument): string {
  const { $schema, nearfield, name, nodes, layout } = document;
  const { ids, stuck } = orderOf(document);
  const lines = [
    ...($schema === undefined ? [] : [`"$schema": ${JSON.stringify($schema)}`]),
    `"nearfield": ${nearfield}`,
    ...(name === undefined ? [] : [`"name": ${JSON.stringify(name)}`]),
    `"nodes": ${block([...ids, ...stuck].map((id) => `${JSON.stringify(id)}: ${nodeText(nodes[id])}`))}`,
    ...(layout === undefined ? [] : [`"layout": ${block(layoutLines(layout))}`]),
  ];
  return `{\n${lines.map((line) => `  ${line}`).join(",\n")}\n}\n`;
}

function block(lines: readonly string[]): string {
  return lines.length === 0 ? "{}" : `{\n${lines.map((line) => `    ${line}`).join(",\n")}\n  }`;
}

function nodeText({ operator, inputs = {}, parameters = {} }: ProcessNode): string {
  const own = Object.keys(parameters).filter((name) => !isDefault(operator, name, parameters[name]));
  const members = [
    `"operator": ${JSON.stringify(operator)}`,
    ...objectMember("inputs", Object.keys(inputs), (name) => JSON.stringify(inputs[name])),
    ...objectMember("parameters", own, (name) => valueText(parameters[name])),
  ];
  return `{ ${members.join(", ")} }`;
}

function objectMember(name: string, keys: readonly string[], textOf: (key: string) => string): string[] {
  if (keys.length === 0) return [];
  const members = [...keys].sort().map((key) => `${JSON.stringify(key)}: ${textOf(key)}`);
  return [`${JSON.stringify(name)}: { ${members.join(", ")} }`];
}

function valueText(value: ParameterValue): string {
  if (typeof value !== "object") return JSON.stringify(value);
  return `[${value.map((item) => JSON.stringify(item)).join(", ")}]`;
}

function isDefault(operator: string, name: string, value: ParameterValue): boolean {
  const parameter = entryOf(operator)?.parameters.find((each) => each.name === name);
  return parameter !== undefined && JSON.stringify(parameter.default) === JSON.stringify(value);
}

function layoutLines(layout: NonNullable<ProcessDocument["layout"]>): string[] {
  const snapped = (pixels: number) => Math.round(pixels / GRID) * GRID + 0;
  return Object.keys(layout)
    .sort()
    .map((id) => `${JSON.stringify(id)}: [${snapped(layout[id][0])}, ${snapped(layout[id][1])}]`);
}
