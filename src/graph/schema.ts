/**
 * This module makes the JSON Schema of process files from the catalogue, for editors that complete and
 * underline. It says all that is true of one member by itself; wires, circles and columns are checkProcess's.
 */
import { entries } from "./catalogue/catalogue.ts";
import type { OperatorEntry } from "./catalogue/operator.ts";
import { ID, PROCESS_FORMAT } from "./document/document.ts";

/**
 * Returns the JSON Schema (draft 2020-12) of process files, as plain data.
 * @example
 * import { processSchema } from "nearfield/graph";
 *
 * const schema = processSchema() as { required: string[] };
 * schema.required; // => ["nearfield", "nodes"]
 */
export function processSchema(): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A process of Nearfield",
    type: "object",
    properties: {
      $schema: { type: "string" },
      nearfield: { const: PROCESS_FORMAT },
      name: { type: "string" },
      nodes: {
        type: "object",
        propertyNames: { pattern: ID.source },
        maxProperties: 1000,
        additionalProperties: { anyOf: entries.map(nodeSchema) },
      },
      layout: {
        type: "object",
        propertyNames: { pattern: ID.source },
        additionalProperties: { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 },
      },
    },
    required: ["nearfield", "nodes"],
    additionalProperties: false,
  };
}

function nodeSchema({ id, title, says, inputs, parameters }: OperatorEntry): object {
  const wires = inputs.map((port) => [
    port.name,
    { type: "string", pattern: "^[^.]+\\..+$", description: `${port.types.join(" or ")}: ${port.says}` },
  ]);
  const values = parameters.map(({ name, says: description, default: usual, schema }) => [
    name,
    { ...schema, description, ...(usual === undefined ? {} : { default: usual }) },
  ]);
  const wired = inputs.filter(({ optional }) => !optional).map(({ name }) => name);
  const given = parameters.filter(({ required }) => required).map(({ name }) => name);
  return {
    title,
    description: says,
    type: "object",
    properties: {
      operator: { const: id },
      inputs: membersOf(wires, wired),
      parameters: membersOf(values, given),
    },
    required: [
      "operator",
      ...(wired.length === 0 ? [] : ["inputs"]),
      ...(given.length === 0 ? [] : ["parameters"]),
    ],
    additionalProperties: false,
  };
}

function membersOf(entries: unknown[][], required: readonly string[]): object {
  const properties = Object.fromEntries(entries) as object;
  return {
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}
