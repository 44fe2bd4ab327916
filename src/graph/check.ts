/**
 * Finds what is wrong with a process before it runs: operators, ports and parameters that do not exist or do
 * not fit, circles, and what the operators themselves can tell of roles, columns and preparation. It is pure,
 * and finds all of it rather than the first.
 */
import { InvalidInputError } from "../core/errors.ts";
import { entries, entryOf } from "./catalogue/catalogue.ts";
import type { NodeForm, OperatorEntry } from "./catalogue/operator.ts";
import { didYouMean, nearestOf } from "./document/document.ts";
import type { ProcessDocument, ProcessNode } from "./document/document.ts";
import { quote, shown } from "./document/json.ts";
import { circleOf, orderOf, wiresInto } from "./document/order.ts";
import type { Fault, FileFacts, PortFacts, Report } from "./facts.ts";
import { inNode, insertApply, otherColumn, otherValue, rename, rewire } from "./mend.ts";
import type { Mend } from "./mend.ts";
import { isReadable, readFacts } from "./readAs.ts";
import type { PortType } from "./values.ts";

/**
 * This is wrong with a process.
 * @example
 * const nodes = { knn: { operator: "knn", parameters: { k: 0 } } };
 * const [problem]: Problem[] = checkProcess({ nearfield: 1, nodes });
 * problem.path; // => "nodes.knn.parameters.k"
 * problem.message; // => "is 0; expected a whole number of at least 1"
 */
export interface Problem {
  /** It is the path of the member in the file, such as "nodes.knn.parameters.k". */
  readonly path: string;
  readonly message: string;
  /** This change solves it, if there is an obvious one. */
  readonly mend?: Mend;
}

/**
 * `checkProcess` takes these options.
 * @example
 * const nodes = {
 *   read: { operator: "readTable", parameters: { file: "a.csv" } },
 *   role: { operator: "setRole", inputs: { table: "read.table" }, parameters: { label: "specie" } },
 * };
 * const columns = [{ name: "species", kind: "nominal" as const }];
 * const options: CheckOptions = { files: new Map([["read", { columns }]]) };
 * const [{ message }] = checkProcess({ nearfield: 1, nodes }, options);
 * message.includes('did you mean "species"?'); // => true
 */
export interface CheckOptions {
  /** They are the facts about the files of reading nodes, by node, as `inspectFiles` returns them. */
  readonly files?: ReadonlyMap<string, FileFacts>;
}

/**
 * Returns all that is wrong with a process, in the order of the nodes; an empty list if it can run.
 * @example
 * import { checkProcess, parseProcess } from "nearfield/graph";
 *
 * const text = '{"nearfield": 1, "nodes": {"apply": {"operator": "applyModle"}}}';
 * const [{ path, message }] = checkProcess(parseProcess(text));
 * path; // => "nodes.apply.operator"
 * message.startsWith('there is no operator "applyModle" (did you mean "applyModel"?)'); // => true
 */
export function checkProcess(document: ProcessDocument, { files }: CheckOptions = {}): Problem[] {
  const problems: Problem[] = [];
  const { ids, stuck } = orderOf(document);
  if (stuck.length > 0) problems.push(circle(circleOf(document, stuck)));
  const facts = new Map<string, NodeFacts>();
  const likenesses = new Map<string, number>();
  for (const id of [...ids, ...stuck]) {
    const own: Problem[] = [];
    const report: SayProblem = (path, message, mend) =>
      own.push({ path: `nodes.${id}.${path}`, message, ...(mend === undefined ? {} : { mend }) });
    const found = checkNode(document, id, report, { facts, likenesses, file: files?.get(id) });
    if (found) facts.set(id, found);
    problems.push(...own);
  }
  problems.push(...sharedFiles(document));
  return problems;
}

/** @throws InvalidInputError that names the first problem, and how many more there are */
export function assertSound(document: ProcessDocument, options: CheckOptions = {}, file?: string): void {
  const [first, ...more] = checkProcess(document, options);
  if (first === undefined) return;
  const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
  throw new InvalidInputError(`${first.path}: ${first.message}${rest}`, file === undefined ? {} : { file });
}

interface NodeFacts {
  readonly form: NodeForm;
  readonly likeness: number;
  /** They are the facts of its outputs; undefined where its own checks could not be made. */
  readonly outputs: Readonly<Record<string, PortFacts[PortType]>> | undefined;
}

interface Known {
  readonly facts: ReadonlyMap<string, NodeFacts>;
  readonly likenesses: Map<string, number>;
  readonly file: FileFacts | undefined;
}

type SayProblem = (path: string, message: string, mend?: Mend) => void;

function checkNode(
  document: ProcessDocument,
  id: string,
  say: SayProblem,
  known: Known,
): NodeFacts | undefined {
  const node = document.nodes[id];
  const entry = entryOf(node.operator);
  if (entry === undefined) {
    const ids = entries.map((each) => each.id);
    const there = `there are ${ids.join(", ")}`;
    const nearest = nearestOf(node.operator, ids);
    say(
      "operator",
      `there is no operator ${quote(node.operator)}${didYouMean(node.operator, ids)}; ${there}`,
      nearest === undefined
        ? undefined
        : inNode(id, `use the operator ${quote(nearest)}`, (own) => ({ ...own, operator: nearest })),
    );
    return undefined;
  }
  let sound = true;
  const fail: SayProblem = (...problem) => {
    sound = false;
    say(...problem);
  };
  const parameters = checkParameters(entry, id, node, fail);
  const inputs = checkInputs(document, entry, id, fail, known.facts);
  const form = { wired: new Set(Object.keys(node.inputs ?? {})), parameters };
  const likeness = likenessOf(entry, node, parameters, known);
  if (!sound || inputs === undefined) return { form, likeness, outputs: undefined };
  const report: Report = (message, at = {}) => {
    const { parameter, input } = at;
    const inInput = input === undefined ? "operator" : `inputs.${input}`;
    const path = parameter === undefined ? inInput : `parameters.${parameter}`;
    say(path, message, mendOf(document, id, at, known.facts));
  };
  const outputs = entry.check(inputs, parameters, report, { file: known.file, likeness });
  return { form, likeness, outputs };
}

function mendOf(
  { nodes }: ProcessDocument,
  id: string,
  fault: Fault,
  facts: Known["facts"],
): Mend | undefined {
  const { parameter, input, column, lacking } = fault;
  if (parameter !== undefined && column !== undefined)
    return otherColumn(id, parameter, column.from, column.to);
  if (parameter !== undefined && Object.hasOwn(fault, "value")) return otherValue(id, parameter, fault.value);
  if (input === undefined || lacking === undefined) return undefined;
  const [fitted] = [...facts].find(([, { likeness }]) => likeness === lacking.likeness) ?? [];
  const hasModel = fitted !== undefined && entryOf(nodes[fitted].operator)?.outputs.some(isModel) === true;
  return hasModel ? insertApply(id, input, `${fitted}.model`) : undefined;
}

function isModel({ name }: { readonly name: string }): boolean {
  return name === "model";
}

function checkParameters(
  { title, parameters }: OperatorEntry,
  id: string,
  node: ProcessNode,
  say: SayProblem,
): NodeForm["parameters"] {
  const given = node.parameters ?? {};
  const names = parameters.map(({ name }) => name);
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue;
    const there = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
    const mend = rename(id, "parameters", name, given, nearestOf(name, names));
    say(`parameters.${name}`, `${title} has no such parameter${didYouMean(name, names)}; ${there}`, mend);
  }
  for (const { name, fault, required, expects } of parameters) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    const wrong =
      value === undefined ? (required ? `is missing; expected ${expects}` : undefined) : fault(value);
    if (wrong !== undefined) say(`parameters.${name}`, wrong);
  }
  return withDefaults(parameters, given);
}

/** Returns every parameter of an operator, with its default where none is given. */
export function withDefaults(
  parameters: OperatorEntry["parameters"],
  given: NonNullable<ProcessNode["parameters"]>,
): NodeForm["parameters"] {
  return Object.fromEntries(
    parameters.map(({ name, default: usual }) => [
      name,
      Object.hasOwn(given, name) ? given[name] : (usual as NodeForm["parameters"][string]),
    ]),
  );
}

/** Returns the facts of what is wired; undefined where what some come from is wrong. */
function checkInputs(
  document: ProcessDocument,
  { title, inputs }: OperatorEntry,
  id: string,
  say: SayProblem,
  facts: Known["facts"],
): Readonly<Record<string, PortFacts[PortType] | undefined>> | undefined {
  const node = document.nodes[id];
  const found: Record<string, PortFacts[PortType] | undefined> = {};
  let complete = true;
  const names = inputs.map(({ name }) => name);
  for (const { input, node: from, output } of wiresInto(node)) {
    const path = `inputs.${input}`;
    const port = inputs.find(({ name }) => name === input);
    if (port === undefined) {
      const there = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
      const mend = rename(id, "inputs", input, node.inputs ?? {}, nearestOf(input, names));
      say(path, `${title} has no such input${didYouMean(input, names)}; ${there}`, mend);
      continue;
    }
    const type = outputType(document, from, output, facts, (message, wire) =>
      say(path, message, wire === undefined ? undefined : rewire(id, input, wire)),
    );
    const isFit = type !== undefined && (port.types.includes(type) || isReadable(type, port.types[0]));
    if (type !== undefined && !isFit)
      say(path, `${from}.${output} is a ${type}; expected a ${port.types.join(" or ")}`);
    const fact = facts.get(from)?.outputs?.[output];
    if (fact === undefined) complete = false;
    found[input] = fact && isFit ? readFacts(fact, type, port.types, (message) => say(path, message)) : fact;
  }
  for (const { name, types, optional, says } of inputs) {
    if (optional || Object.hasOwn(node.inputs ?? {}, name)) continue;
    say(`inputs.${name}`, `is not wired; expected a ${types.join(" or ")}: ${says}`);
  }
  return complete ? found : undefined;
}

function outputType(
  { nodes }: ProcessDocument,
  from: string,
  output: string,
  facts: Known["facts"],
  say: (message: string, wire?: string) => void,
): PortType | undefined {
  if (output === "") {
    say(`is ${shown(from)}; expected "node.output", such as "read.table"`);
    return undefined;
  }
  if (!Object.hasOwn(nodes, from)) {
    const nearest = nearestOf(from, nodes);
    const wire = nearest === undefined ? undefined : `${nearest}.${output}`;
    say(`there is no node ${quote(from)}${didYouMean(from, nodes)}`, wire);
    return undefined;
  }
  const entry = entryOf(nodes[from].operator);
  if (entry === undefined) return undefined;
  const port = entry.outputs.find(({ name }) => name === output);
  if (port === undefined) {
    const names = entry.outputs.map(({ name }) => name);
    const there = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
    const nearest = nearestOf(output, names) ?? (names.length === 1 ? names[0] : undefined);
    say(
      `${quote(from)} (${entry.title}) has no output ${quote(output)}${didYouMean(output, names)}; ${there}`,
      nearest === undefined ? undefined : `${from}.${nearest}`,
    );
    return undefined;
  }
  const form = facts.get(from)?.form;
  const missing = form && typeIsSound(form) ? port.absent(form) : undefined;
  if (missing !== undefined) say(`${from}.${output} does not exist: ${missing}`);
  return port.type;
}

/** Says whether the parameters that decide about outputs are of the right form. */
function typeIsSound({ parameters: { ratios } }: NodeForm): boolean {
  return ratios === undefined || Array.isArray(ratios);
}

/** Numbers nodes by what they do to what, so that two that do the same are alike. */
function likenessOf(
  { id, version }: OperatorEntry,
  node: ProcessNode,
  parameters: NodeForm["parameters"],
  { facts, likenesses }: Known,
): number {
  const inputs = wiresInto(node).map(({ input, node: from, output }) => [
    input,
    facts.get(from)?.likeness,
    output,
  ]);
  const signature = JSON.stringify([id, version, parameters, inputs]);
  const likeness = likenesses.get(signature) ?? likenesses.size;
  likenesses.set(signature, likeness);
  return likeness;
}

function circle(path: readonly string[]): Problem {
  const [first] = path;
  const round = [...path, first].join(" -> ");
  return { path: `nodes.${first}.inputs`, message: `is on a circle: ${round}; cut one of these wires` };
}

/** Two nodes that write one file would each leave only their own rows. */
function sharedFiles({ nodes }: ProcessDocument): Problem[] {
  const writers = new Map<string, string>();
  return Object.keys(nodes).flatMap((id) => {
    const { operator, parameters = {} } = nodes[id];
    const { file } = parameters;
    if (entryOf(operator)?.effect !== true || typeof file !== "string") return [];
    const other = writers.get(file);
    writers.set(file, id);
    if (other === undefined) return [];
    return [
      {
        path: `nodes.${id}.parameters.file`,
        message: `${other} writes ${quote(file)} too; name another file`,
      },
    ];
  });
}
