/**
 * Makes a process of one of RapidMiner: nodes of its operators, wires of its wires, and a list of all that
 * has no counterpart. An operator that nobody knows stays as a node that does not run.
 */
import { parseProcess } from "../document/document.ts";
import type { ParameterValue, ProcessDocument, ProcessNode } from "../document/document.ts";
import { quote } from "../document/json.ts";
import { printProcess } from "../document/print.ts";
import { ParameterReader, shownOperator } from "./reader.ts";
import type { LeftOut, TakeDown } from "./reader.ts";
import { readSource } from "./source.ts";
import type { End, SourceOperator, SourceProcess } from "./source.ts";
import { KEEPS_SPECIAL, samplingOf, translations } from "./translate.ts";
import type { Made, Translation } from "./translation.ts";
import { chainOf, crossValidations } from "./validation.ts";

/**
 * It has a process made from one of RapidMiner, and what was left out of it.
 * @example
 * import { importRapidMiner } from "nearfield/graph";
 *
 * const file = '<parameter key="csv_file" value="a.csv"/>';
 * const operator = `<operator class="read_csv" name="Read CSV" x="45" y="34">${file}</operator>`;
 * const text = `<process version="9.10"><operator class="process"><process>${operator}</process></operator></process>`;
 * const { process, left }: ImportedProcess = await importRapidMiner(text);
 * process.nodes.readCSV.operator; // => "readTable"
 * left; // => []
 */
export interface ImportedProcess {
  readonly process: ProcessDocument;
  readonly left: readonly LeftOut[];
}

/**
 * Makes a process of the text of an .rmp file of RapidMiner 5 or newer: of Read CSV, Set Role, Select
 * Attributes, Normalize, Replace Missing Values, Split Data, k-NN, Apply Model, Performance, Multiply, and
 * Cross Validation of a chain of them. k-NN and Normalize reproduce RapidMiner exactly.
 * @param file the name that errors use; default "the process"
 * @example
 * import { importRapidMiner, printProcess } from "nearfield/graph";
 *
 * const k = '<parameter key="k" value="3"/>';
 * const operator = `<operator class="k_nn" compatibility="9.10.000" name="k-NN">${k}</operator>`;
 * const text = `<process version="9.10"><operator class="process"><process>${operator}</process></operator></process>`;
 * const { process } = await importRapidMiner(text, "old.rmp");
 * process.nodes.kNN.parameters?.weights; // => "distance"
 * printProcess(process).includes('"compat": "rapidminer"'); // => true
 * @throws InvalidInputError for text that is not such a process
 */
export async function importRapidMiner(text: string, file = "the process"): Promise<ImportedProcess> {
  const source = await readSource(text, file);
  const left: LeftOut[] = [];
  const nodes = new Importer(source, (each) => left.push(each)).nodes();
  const layout = [...nodes].flatMap(([id, { place }]) => (place === undefined ? [] : [[id, place] as const]));
  const name = ["", "Process", "Root"].includes(source.name) ? {} : { name: source.name };
  const document: ProcessDocument = {
    nearfield: 1,
    ...name,
    nodes: Object.fromEntries([...nodes].map(([id, { node }]) => [id, node])),
    ...(layout.length === 0 ? {} : { layout: Object.fromEntries(layout) }),
  };
  // The printed form, which a process of too many nodes or too long texts does not have.
  return { process: parseProcess(printProcess(document), file), left };
}

interface Placed {
  readonly node: {
    readonly operator: string;
    inputs: Record<string, string>;
    parameters: Record<string, ParameterValue>;
  };
  readonly place: readonly [number, number] | undefined;
}

/** It has the ends of what an operator became. */
interface Ends extends Omit<Translation, "nodes"> {
  readonly first: string;
  readonly last: string;
}

class Importer {
  readonly #source: SourceProcess;
  readonly #takeDown: TakeDown;
  readonly #nodes = new Map<string, Placed>();
  readonly #ends = new Map<string, Ends>();

  constructor(source: SourceProcess, takeDown: TakeDown) {
    this.#source = source;
    this.#takeDown = takeDown;
  }

  nodes(): ReadonlyMap<string, { readonly node: ProcessNode; readonly place: Placed["place"] }> {
    const { operators, locations } = this.#source;
    for (const port of new Set(locations))
      this.#lacks("the process", `has ${port}s in a repository, which processes do not have`);
    for (const each of operators) {
      if (each.isActive) this.#add(each);
      else this.#say(shownOperator(each), "is disabled, and left out", false);
    }
    this.#wire();
    for (const { node } of this.#nodes.values()) {
      for (const wire of Object.values(node.inputs)) this.#trainFor(wire);
      if (node.operator === "selectColumns" && KEEPS_SPECIAL in node.parameters) this.#keepSpecial(node);
    }
    return this.#nodes;
  }

  #add(source: SourceOperator): void {
    const own = new ParameterReader(source, this.#source.macros, this.#takeDown);
    const translate = translations.get(source.key);
    if (crossValidations.includes(source.key) && this.#addValidation(own)) return;
    if (source.key === "multiply") this.#ends.set(source.name, passing());
    else if (translate === undefined) return this.#addUnknown(source);
    else {
      const { nodes, ...ports } = translate(own);
      const ids = nodes.map((made, at) => this.#put(source, made, at));
      for (let at = 1; at < ids.length; at++) this.#nodeOf(ids[at]).inputs.table = `${ids[at - 1]}.table`;
      this.#ends.set(source.name, { ...ports, first: ids[0] ?? "", last: ids.at(-1) ?? "" });
    }
    own.end();
  }

  /** Keeps an operator that is not known, with its parameters and wires, to be seen and replaced. */
  #addUnknown(source: SourceOperator): void {
    const operator = `rapidminer:${source.key}`;
    const parameters = [...source.parameters].filter(([key]) => /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(key));
    const id = this.#put(source, { operator, parameters: Object.fromEntries(parameters) }, 0);
    this.#ends.set(source.name, { first: id, last: id, inputs: {}, outputs: {} });
    const inner = source.inner.some(({ operators }) => operators.length > 0);
    this.#lacks(
      shownOperator(source),
      `has no counterpart; it stands in the process as ${quote(operator)}, which does not run` +
        (inner ? ", without the operators in it" : ""),
    );
  }

  /** @returns false where its subprocesses come to no chain, so that it is not known */
  #addValidation(own: ParameterReader): boolean {
    const { source } = own;
    const chain = chainOf(source.inner);
    if (typeof chain === "string") {
      own.lacks(undefined, chain);
      return false;
    }
    const isOld = source.key === "x_validation";
    const folds = own.number(isOld ? "number_of_validations" : "number_of_folds", 10);
    const drawn = samplingOf(own, isOld ? "stratified sampling" : "automatic");
    own.expect("leave_one_out", "false");
    own.expect("split_on_batch_attribute", "false");
    own.expect("average_performances_only", "true");
    own.skip("enable_parallel_execution", "create_complete_model");
    const id = this.#put(source, { operator: "crossValidation", parameters: { folds, ...drawn } }, 0);
    let before: string | undefined;
    for (const step of [...chain.preparation, chain.estimator]) {
      const [made] = this.#translated(step, source);
      const isLast = step === chain.estimator;
      if (before !== undefined)
        this.#nodeOf(made).inputs[isLast ? "preparation" : "before"] = `${before}.learner`;
      before = made;
    }
    for (const inner of source.inner.flatMap(({ operators }) => operators))
      if (!inner.isActive) this.#say(shownOperator(inner), "is disabled, and left out", false);
    this.#read(chain.apply);
    this.#read(chain.performance);
    this.#nodeOf(id).inputs.learner = `${before}.learner`;
    this.#ends.set(source.name, {
      first: id,
      last: id,
      inputs: { "example set": "table", training: "table" },
      outputs: { "performance 1": "performance", "averagable 1": "performance", model: `${before}.model` },
      through: { "example set": "example set", training: "training" },
    });
    own.end();
    return true;
  }

  /** Makes the node of an operator within another one. */
  #translated(step: SourceOperator, around: SourceOperator): string[] {
    const nodes = this.#read(step)?.nodes ?? [];
    const [x, y] = around.place ?? [0, 0];
    const [dx, dy] = step.place ?? [0, 0];
    return nodes.map((made) => this.#put({ ...step, place: [x + dx, y + BELOW + dy] }, made, 0));
  }

  #read(source: SourceOperator): Translation | undefined {
    const own = new ParameterReader(source, this.#source.macros, this.#takeDown);
    const found = translations.get(source.key)?.(own);
    own.end();
    return found;
  }

  #put({ name, place }: SourceOperator, { operator, parameters }: Made, at: number): string {
    const id = idOf(at === 0 ? name : `${name} ${operator}`, this.#nodes);
    const own = place && ([place[0] + at * ACROSS, place[1]] as const);
    this.#nodes.set(id, { node: { operator, inputs: {}, parameters: { ...parameters } }, place: own });
    return id;
  }

  #nodeOf(id: string): Placed["node"] {
    return this.#nodes.get(id)!.node;
  }

  #wire(): void {
    const { wires, operators } = this.#source;
    for (const { from, to } of wires) {
      const target = operators.find(({ name, isActive }) => isActive && name === to.operator);
      const ends = target && this.#ends.get(target.name);
      if (target === undefined || ends === undefined || ends.first === "") continue;
      const isKnown = translations.has(target.key) || Object.keys(ends.inputs).length > 0;
      const input = isKnown ? at(ends.inputs, to.port) : camel(to.port);
      const output = this.#outputAt(from, new Set());
      if (input === undefined)
        this.#lacks(
          shownOperator(target),
          `takes ${quote(from.operator ?? from.port)} at its port ${quote(to.port)}, which has no counterpart`,
        );
      else if (output === undefined)
        this.#lacks(
          shownOperator(target),
          `takes ${quote(`${from.operator ?? "the process"}, ${from.port}`)} at its port ${quote(to.port)}, which does not exist here; wire ${input} to something else`,
        );
      else this.#nodeOf(ends.first).inputs[input] = output;
    }
  }

  /** Lets k-NN of Cross Validation learn from all rows where a wire wants that model. */
  #trainFor(wire: string): void {
    const [id, port] = wire.split(".");
    const node = this.#nodes.get(id)?.node;
    if (port !== "model" || node?.operator !== "knn" || node.inputs.train !== undefined) return;
    const around = [...this.#nodes.values()].find((each) => each.node.inputs.learner === `${id}.learner`);
    const table = around?.node.inputs.table;
    if (table !== undefined) node.inputs.train = table;
  }

  /** Returns the output that a wire comes from, through what hands on what came in. */
  #outputAt({ operator, port }: End, seen: Set<string>): string | undefined {
    const ends = operator === undefined ? undefined : this.#ends.get(operator);
    if (operator === undefined || ends === undefined || seen.has(`${operator}.${port}`)) return undefined;
    seen.add(`${operator}.${port}`);
    const through =
      at(ends.through ?? {}, port) ?? (ends.first === "" ? Object.values(ends.through ?? {})[0] : undefined);
    if (through !== undefined) {
      const wire = this.#source.wires.find(({ to }) => to.operator === operator && to.port === through);
      return wire && this.#outputAt(wire.from, seen);
    }
    const output = at(ends.outputs, port);
    if (output !== undefined) return output.includes(".") ? output : `${ends.last}.${output}`;
    return Object.keys(ends.outputs).length === 0 && ends.last !== ""
      ? `${ends.last}.${camel(port)}`
      : undefined;
  }

  /** Select Attributes keeps special attributes, which Select Columns must name. */
  #keepSpecial(node: Placed["node"]): void {
    const special = new Set<string>();
    const seen = new Set<string>();
    for (let wire: string | undefined = node.inputs.table; wire !== undefined;) {
      const id: string = wire.split(".")[0];
      const before: Placed["node"] | undefined = seen.has(id) ? undefined : this.#nodes.get(id)?.node;
      seen.add(id);
      if (before?.operator === "setRole") {
        const { label, ignore } = before.parameters;
        for (const name of [label, ...(Array.isArray(ignore) ? (ignore as string[]) : [])])
          if (typeof name === "string") special.add(name);
      }
      wire = before?.inputs.table;
    }
    const columns = node.parameters.columns as readonly string[];
    const leaveOut = node.parameters.leaveOut === true;
    delete node.parameters[KEEPS_SPECIAL];
    node.parameters.columns = leaveOut
      ? columns.filter((name) => !special.has(name))
      : [...new Set([...columns, ...special])];
  }

  #lacks(operator: string, message: string): void {
    this.#say(operator, message, true);
  }

  #say(operator: string, message: string, changesResults: boolean): void {
    this.#takeDown({ operator, message, changesResults });
  }
}

/** This many pixels lie between the nodes of one operator, and from an operator down to those within it. */
const ACROSS = 128;
const BELOW = 112;

/** Looks up the name of a port, which may be any word of a stranger's file. */
function at(names: Readonly<Record<string, string>>, port: string): string | undefined {
  return Object.hasOwn(names, port) ? names[port] : undefined;
}

/** Returns the ends of an operator that is no node, and hands on what came in. */
function passing(): Ends {
  return { first: "", last: "", inputs: {}, outputs: {}, through: { "": "input" } };
}

/** Returns an id that is free, such as readCSV2 of "Read CSV (2)". */
function idOf(name: string, taken: ReadonlyMap<string, unknown>): string {
  const id = camel(name);
  for (let number = 1; ; number++) {
    const free = number === 1 ? id : `${id}_${number}`;
    if (!taken.has(free)) return free;
  }
}

/** Returns a name that can be typed, of the letters and digits of another. */
function camel(name: string): string {
  const [first = "", ...words] = name.match(/[A-Za-z]+|[0-9]+/g) ?? [];
  const id = [first.toLowerCase(), ...words.map((word) => word[0].toUpperCase() + word.slice(1))]
    .join("")
    .slice(0, 56);
  return /^[a-z]/.test(id) ? id : `node${id}`;
}
