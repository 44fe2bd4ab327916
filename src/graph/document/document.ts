/**
 * This module has a process as data: which operators there are, how they are wired, and their parameters, all
 * by name. This is the form alone; whether operators and ports exist is for checkProcess to say, since a file
 * with an operator of a newer version can still be shown and kept.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { nearestName } from "../../core/nearestName.ts";
import { parseJson, quote, shown } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { migrated } from "./migrate.ts";

/** This version of Nearfield reads and writes this format. */
export const PROCESS_FORMAT = 1;

/**
 * A parameter has a value, as JSON has it.
 * @example
 * import { setParameter } from "nearfield/graph";
 *
 * const process = parseProcess('{"nearfield": 1, "nodes": {"knn": {"operator": "knn"}}}');
 * const k: ParameterValue | undefined = setParameter(process, "knn.k", "7").nodes.knn.parameters?.k;
 * k; // => 7
 */
export type ParameterValue = boolean | number | string | readonly (number | string)[];

/**
 * A node is a step of a process.
 * @example
 * const node: ProcessNode = {
 *   operator: "applyModel",
 *   inputs: { model: "knn.model", table: "split.part2" },
 *   parameters: { confidences: false },
 * };
 * printProcess({ nearfield: 1, nodes: { apply: node } }).includes('"confidences": false'); // => true
 */
export interface ProcessNode {
  /** The catalogue has an operator of this id. */
  readonly operator: string;
  /** Each wired input comes from an output, as "node.output". */
  readonly inputs?: Readonly<Record<string, string>>;
  /** These parameters differ from their defaults. */
  readonly parameters?: Readonly<Record<string, ParameterValue>>;
}

/**
 * A process is what its file holds.
 * @example
 * const process: ProcessDocument = {
 *   nearfield: 1,
 *   nodes: { read: { operator: "readTable", parameters: { file: "penguins.csv" } } },
 *   layout: { read: [0, 0] },
 * };
 * checkProcess(process); // => []
 */
export interface ProcessDocument {
  readonly $schema?: string;
  /** It is the number of the format, which also fixes the defaults of parameters. */
  readonly nearfield: typeof PROCESS_FORMAT;
  readonly name?: string;
  /** Nodes go by their ids, which are letters, digits, - and _, a letter first. */
  readonly nodes: Readonly<Record<string, ProcessNode>>;
  /** An editor draws nodes at these places, in pixels; they mean nothing to a run. */
  readonly layout?: Readonly<Record<string, readonly [x: number, y: number]>>;
}

const MOST_CHARS = 10_000_000;
const MOST_NODES = 1000;
const MOST_TEXT = 100_000;
const MOST_ITEMS = 100_000;
export const ID = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * Reads the text of a process file.
 * @param file the name that errors use; default "the process"
 * @example
 * import { parseProcess } from "nearfield/graph";
 *
 * const text = '{"nearfield": 1, "nodes": {"read": {"operator": "readTable"}}}';
 * parseProcess(text).nodes.read.operator; // => "readTable"
 * @throws InvalidInputError for text that is not JSON, with line and column, or is not a process, with the
 *   path of the member
 */
export function parseProcess(text: string, file = "the process"): ProcessDocument {
  if (text.length > MOST_CHARS)
    throw new InvalidInputError(`has ${text.length} characters; a process has at most ${MOST_CHARS}`, {
      file,
    });
  const fail: Fail = (path, message) => new InvalidInputError(`${path}: ${message}`, { file });
  const given = objectAt(parseJson(text, file), "$", fail);
  const format = given.get("nearfield");
  if (format === undefined)
    throw fail(
      "$",
      `has no member "nearfield", so it is not a process; expected "nearfield": ${PROCESS_FORMAT}`,
    );
  if (!isKnown(format)) {
    const newer = typeof format === "number" && format > PROCESS_FORMAT;
    const remedy = newer ? "; a newer Nearfield wrote it: update this one" : "";
    throw fail("nearfield", `the format is ${shown(format)}, expected ${PROCESS_FORMAT}${remedy}`);
  }
  const root = migrated(given, format);
  onlyMembers(root, ["$schema", "nearfield", "name", "nodes", "layout"], "$", fail);
  const nodes = entriesOf(root.get("nodes"), "nodes", fail, (node, path) => nodeAt(node, path, fail));
  const [$schema, name, layout] = ["$schema", "name", "layout"].map((member) => root.get(member));
  return {
    ...($schema === undefined ? {} : { $schema: textAt($schema, "$schema", fail) }),
    nearfield: PROCESS_FORMAT,
    ...(name === undefined ? {} : { name: textAt(name, "name", fail) }),
    nodes,
    ...(layout === undefined ? {} : { layout: layoutAt(layout, nodes, fail) }),
  };
}

function isKnown(format: Json): format is number {
  return Number.isInteger(format) && Number(format) >= 1 && Number(format) <= PROCESS_FORMAT;
}

type Fail = (path: string, message: string) => InvalidInputError;

function nodeAt(json: Json, path: string, fail: Fail): ProcessNode {
  const node = objectAt(json, path, fail);
  onlyMembers(node, ["operator", "inputs", "parameters"], path, fail);
  const [inputs, parameters] = [node.get("inputs"), node.get("parameters")];
  const textIn = (value: Json, at: string) => textAt(value, at, fail);
  const valueIn = (value: Json, at: string) => valueAt(value, at, fail);
  return {
    operator: textAt(node.get("operator"), `${path}.operator`, fail),
    ...(inputs === undefined ? {} : { inputs: entriesOf(inputs, `${path}.inputs`, fail, textIn) }),
    ...(parameters === undefined
      ? {}
      : { parameters: entriesOf(parameters, `${path}.parameters`, fail, valueIn) }),
  };
}

function layoutAt(json: Json, nodes: ProcessDocument["nodes"], fail: Fail) {
  return entriesOf(json, "layout", fail, (place, path, id): readonly [number, number] => {
    if (!Object.hasOwn(nodes, id)) throw fail(path, `there is no node of this id${didYouMean(id, nodes)}`);
    const [x, y, ...more] = Array.isArray(place) ? (place as readonly Json[]) : [];
    if (typeof x === "number" && typeof y === "number" && more.length === 0) return [x, y];
    throw fail(path, `is ${shown(place)}; expected [x, y]`);
  });
}

/** Makes an object of the members, whose names are ids. */
function entriesOf<T>(
  json: Json | undefined,
  path: string,
  fail: Fail,
  read: (value: Json, path: string, id: string) => T,
): Record<string, T> {
  const members = objectAt(json, path, fail);
  if (members.size > MOST_NODES)
    throw fail(path, `has ${members.size} members; a process has at most ${MOST_NODES}`);
  const entries = [...members].map(([id, value]) => {
    if (ID.test(id)) return [id, read(value, `${path}.${id}`, id)] as const;
    const rule = "a letter, then letters, digits, - and _, at most 64";
    throw fail(path, `${quote(id)} cannot be a name here; expected ${rule}`);
  });
  return Object.fromEntries(entries);
}

function onlyMembers(object: JsonObject, known: readonly string[], path: string, fail: Fail): void {
  const unknown = [...object.keys()].find((member) => !known.includes(member));
  if (unknown === undefined) return;
  const nearest = unknown.length > 64 ? undefined : nearestName(unknown, known);
  const meant = nearest === undefined ? "" : ` (did you mean ${quote(nearest)}?)`;
  throw fail(path, `has an unknown member ${quote(unknown)}${meant}; expected ${known.join(", ")}`);
}

function objectAt(json: Json | undefined, path: string, fail: Fail): JsonObject {
  if (json instanceof Map) return json as JsonObject;
  throw fail(path, `is ${shown(json)}; expected an object`);
}

function textAt(json: Json | undefined, path: string, fail: Fail): string {
  if (typeof json !== "string") throw fail(path, `is ${shown(json)}; expected a text`);
  if (json.length <= MOST_TEXT) return json;
  throw fail(path, `has ${json.length} characters; expected at most ${MOST_TEXT}`);
}

function valueAt(json: Json, path: string, fail: Fail): ParameterValue {
  if (typeof json === "boolean" || typeof json === "number") return json;
  if (typeof json === "string") return textAt(json, path, fail);
  if (!Array.isArray(json))
    throw fail(path, `is ${shown(json)}; expected true or false, a number, a text or a list`);
  const items = json as readonly Json[];
  if (items.length > MOST_ITEMS)
    throw fail(path, `has ${items.length} items; expected at most ${MOST_ITEMS}`);
  return items.map((item, at) => (typeof item === "number" ? item : textAt(item, `${path}[${at}]`, fail)));
}

/** Returns ` (did you mean "x"?)` for the nearest name, or nothing. */
export function didYouMean(name: string, known: object | readonly string[]): string {
  const nearest = nearestOf(name, known);
  return nearest === undefined ? "" : ` (did you mean ${quote(nearest)}?)`;
}

export function nearestOf(name: string, known: object | readonly string[]): string | undefined {
  const names = Array.isArray(known) ? (known as readonly string[]) : Object.keys(known);
  return name.length > 64 ? undefined : nearestName(name, names);
}
