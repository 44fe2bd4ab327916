/**
 * This module has the one description of an operator, from which follow its checks, its help, its part of the
 * JSON Schema, `--set` and its run. `operator` is given it with types, so that `run` knows what it gets; the
 * catalogue has it without, as data.
 */
import type { Device } from "../../runtime/device.ts";
import type { Progress } from "../../runtime/execute.ts";
import type { ByteSource, Pieces } from "../../io/index.ts";
import type { ParameterValue } from "../document/document.ts";
import type { FileFacts, PortFacts, Report } from "../facts.ts";
import type { PortType, PortValues } from "../values.ts";
import { named } from "./parameters.ts";
import type { Parameter, Unnamed } from "./parameters.ts";

/**
 * An operator takes this as an input.
 * @example
 * const knn = operators.find(({ id }) => id === "knn");
 * const train: InputPort | undefined = knn?.inputs.find(({ name }) => name === "train");
 * train?.types; // => ["Table"]
 */
export interface InputPort {
  readonly name: string;
  /** It takes these types; the first is its own, others are converted to it. */
  readonly types: readonly PortType[];
  readonly optional: boolean;
  readonly says: string;
}

/**
 * An operator gives this as an output.
 * @example
 * const knn = operators.find(({ id }) => id === "knn");
 * const model: OutputPort | undefined = knn?.outputs.find(({ name }) => name === "model");
 * model?.type; // => "Model"
 */
export interface OutputPort {
  readonly name: string;
  readonly type: PortType;
  readonly says: string;
  /** Returns why a node, as it is wired and set, has no such output; undefined if it has it. */
  readonly absent: (node: NodeForm) => string | undefined;
}

/**
 * A node has wired inputs, and parameters with defaults.
 * @example
 * const split = operators.find(({ id }) => id === "splitData");
 * const part3 = split?.outputs.find(({ name }) => name === "part3");
 * const node: NodeForm = { wired: new Set(["table"]), parameters: { ratios: [0.7, 0.3] } };
 * part3?.absent(node); // => "ratios has 2 numbers, so there are part1 and part2 alone"
 */
export interface NodeForm {
  readonly wired: ReadonlySet<string>;
  readonly parameters: Readonly<Record<string, ParameterValue | undefined>>;
}

/** An operator has these means while it runs. */
export interface OperatorContext {
  readonly device: Device;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (progress: Progress) => void;
  /** Returns the file that a reading node names. */
  readonly source: () => ByteSource;
  /** Writes the file that a writing node names, whole or not at all. */
  readonly write: (pieces: Pieces) => Promise<void>;
}

/**
 * An operator is what the library can do, as a node of a process.
 * @example
 * import { operators } from "nearfield/graph";
 *
 * const titles = operators.filter(({ group }) => group === "Preparation").map(({ title }) => title);
 * titles; // => ["Replace Missing Values", "Normalize"]
 */
export interface Operator {
  readonly id: string;
  /** It is raised when the same inputs and parameters give another result. */
  readonly version: number;
  readonly title: string;
  readonly group: string;
  /** A sentence says what it does. */
  readonly says: string;
  readonly inputs: readonly InputPort[];
  readonly outputs: readonly OutputPort[];
  readonly parameters: readonly Parameter[];
  /**
   * It is true if the operator does more than give outputs, such as write a file, so that it runs each time.
   */
  readonly effect: boolean;
}

/** It is an operator with what it does, which is the graph's own business. */
export interface OperatorEntry extends Operator {
  /** These are the parameters as they were described: options of commands are made of the same objects. */
  readonly described: Parameters;
  /** Returns the facts of outputs, from those of inputs and the parameters, and reports what is wrong. */
  readonly check: (
    inputs: Readonly<Record<string, PortFacts[PortType] | undefined>>,
    parameters: NodeForm["parameters"],
    report: Report,
    given: GivenFacts,
  ) => Readonly<Record<string, PortFacts[PortType]>>;
  readonly run: (
    inputs: Readonly<Record<string, PortValues[PortType] | undefined>>,
    parameters: NodeForm["parameters"],
    context: OperatorContext,
  ) => Promise<Readonly<Record<string, PortValues[PortType] | undefined>>>;
}

/** The check of an operator cannot find out these facts by itself. */
export interface GivenFacts {
  /** It reads this file, where somebody has looked. */
  readonly file: FileFacts | undefined;
  /** Nodes share this number that do the same to the same, for telling preparations apart. */
  readonly likeness: number;
}

interface In<Type extends PortType, Optional extends boolean> {
  readonly types: readonly Type[];
  readonly optional: Optional;
  readonly says: string;
}

interface OutputOf<Type extends PortType> {
  readonly type: Type;
  readonly says: string;
  readonly absent?: OutputPort["absent"];
}

type OperatorInputs = Readonly<Record<string, In<PortType, boolean>>>;
type OperatorOutputs = Readonly<Record<string, OutputOf<PortType>>>;
type Parameters = Readonly<Record<string, Unnamed<unknown>>>;

type InputsAs<I extends OperatorInputs, Of extends Record<PortType, unknown>> = {
  readonly [Name in keyof I]: I[Name] extends In<infer Type, infer Optional>
    ? Of[Type] | (true extends Optional ? undefined : never)
    : never;
};
type OutputsAs<O extends OperatorOutputs, Of extends Record<PortType, unknown>> = {
  readonly [Name in keyof O]?: Of[O[Name]["type"]] | undefined;
};
type ValuesOf<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends {
    readonly typed?: { readonly value: infer Value };
  }
    ? Value
    : never;
};

interface Description<I extends OperatorInputs, O extends OperatorOutputs, P extends Parameters> {
  readonly id: string;
  readonly version: number;
  readonly title: string;
  readonly group: string;
  readonly says: string;
  readonly inputs: I;
  readonly outputs: O;
  readonly parameters: P;
  readonly effect?: boolean;
  /** The facts of inputs are there where the wires are in order; parameters are checked already. */
  readonly check: (
    inputs: InputsAs<I, PortFacts>,
    parameters: ValuesOf<P>,
    report: Report,
    given: GivenFacts,
  ) => OutputsAs<O, PortFacts>;
  readonly run: (
    inputs: InputsAs<I, PortValues>,
    parameters: ValuesOf<P>,
    context: OperatorContext,
  ) => Promise<OutputsAs<O, PortValues>>;
}

/** Makes an entry of the catalogue of its description. */
export function operator<I extends OperatorInputs, O extends OperatorOutputs, P extends Parameters>(
  description: Description<I, O, P>,
): OperatorEntry {
  const { inputs, outputs, parameters, effect = false, check, run } = description;
  return {
    ...description,
    described: parameters,
    effect,
    inputs: Object.entries(inputs).map(([name, port]) => ({ name, ...port })),
    outputs: Object.entries(outputs).map(([name, port]) => ({ absent: () => undefined, name, ...port })),
    parameters: Object.entries(parameters).map(([name, parameter]) => named(name, parameter)),
    // What is wired and set has been checked against this very description.
    check: check as unknown as OperatorEntry["check"],
    run: run as unknown as OperatorEntry["run"],
  };
}

/** Makes an input of the first type, which reads the others as its own. */
export function input<Type extends PortType>(types: Type | readonly Type[], says: string): In<Type, false> {
  return { types: typeof types === "string" ? [types] : types, optional: false, says };
}

export function optionalInput<Type extends PortType>(
  types: Type | readonly Type[],
  says: string,
): In<Type, true> {
  return { types: typeof types === "string" ? [types] : types, optional: true, says };
}

export function output<Type extends PortType>(
  type: Type,
  says: string,
  absent?: OutputPort["absent"],
): OutputOf<Type> {
  return absent === undefined ? { type, says } : { type, says, absent };
}

/** Makes the rule of outputs that need an optional input. */
export function needs(name: string): OutputPort["absent"] {
  return ({ wired }) => (wired.has(name) ? undefined : `nothing is wired into its input ${name}`);
}
