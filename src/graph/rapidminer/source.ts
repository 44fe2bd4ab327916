/**
 * This module describes a process of RapidMiner as its file holds it: operators with their parameters, and
 * the wires between their ports. It says nothing of what they mean.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { readXml } from "./xml.ts";
import type { XmlElement } from "./xml.ts";

export interface SourceOperator {
  /** People see this name, which is unique in a process. */
  readonly name: string;
  /** It is the key of the operator, such as k_nn. */
  readonly key: string;
  readonly isActive: boolean;
  readonly hasBreakpoint: boolean;
  /** It follows the rules of this version, such as 9.10.000. */
  readonly version: string;
  readonly place: readonly [x: number, y: number] | undefined;
  readonly parameters: ReadonlyMap<string, string>;
  /** These parameters are lists of names and values. */
  readonly lists: ReadonlyMap<string, readonly (readonly [name: string, value: string])[]>;
  readonly inner: readonly Subprocess[];
}

/** A wire has two such ends; without an operator it is a port of the process around. */
export interface End {
  readonly operator: string | undefined;
  readonly port: string;
}

export interface Subprocess {
  readonly operators: readonly SourceOperator[];
  readonly wires: readonly { readonly from: End; readonly to: End }[];
}

export interface SourceProcess extends Subprocess {
  readonly name: string;
  /** The file gives these macros values. */
  readonly macros: ReadonlyMap<string, string>;
  /** These entries of a repository come in or go out by the ports of the process. */
  readonly locations: readonly string[];
}

/** @throws InvalidInputError for what is no process of RapidMiner 5 or newer */
export async function readSource(text: string, file: string): Promise<SourceProcess> {
  const root = await readXml(text.replace(/^\uFEFF/, ""), file);
  const top = root.name === "process" ? named(root, "operator")[0] : undefined;
  const [body] = top === undefined ? [] : named(top, "process");
  if (top === undefined || body === undefined) {
    const old = root.name === "process" || root.name === "operator";
    throw new InvalidInputError(
      old
        ? "is of RapidMiner 4 or older, without wires; open it in a newer one and save it there"
        : `begins with <${root.name.slice(0, 60)}>; expected a process of RapidMiner, which begins with <process>`,
      { file },
    );
  }
  const context = named(root, "context");
  const macros = context.flatMap((each) => named(each, "macros")).flatMap((each) => named(each, "macro"));
  const locations = context
    .flatMap(({ children }) => children)
    .filter(({ name }) => name === "input" || name === "output");
  checkCounts(root, file);
  return {
    ...subprocessOf(body),
    name: attribute(top, "name") ?? "",
    macros: new Map(
      macros.flatMap((macro) => {
        const [key] = named(macro, "key");
        const [value] = named(macro, "value");
        return key === undefined || value === undefined ? [] : [[key.text, value.text] as const];
      }),
    ),
    locations: locations.flatMap((each) => named(each, "location").map(() => each.name)),
  };
}

const MOST_OPERATORS = 1000;
const MOST_WIRES = 10_000;

function checkCounts(root: XmlElement, file: string): void {
  for (const [name, most] of [
    ["operator", MOST_OPERATORS],
    ["connect", MOST_WIRES],
  ] as const) {
    const count = countOf(root, name);
    if (count > most)
      throw new InvalidInputError(`has ${count} elements <${name}>; expected at most ${most}`, { file });
  }
}

function countOf(element: XmlElement, name: string): number {
  const within = element.children.reduce((sum, each) => sum + countOf(each, name), 0);
  return within + Number(element.name === name);
}

function subprocessOf(element: XmlElement): Subprocess {
  const end = (wire: XmlElement, side: "from" | "to"): End => ({
    operator: attribute(wire, `${side}_op`),
    port: attribute(wire, `${side}_port`) ?? "",
  });
  return {
    operators: named(element, "operator").map(operatorOf),
    wires: named(element, "connect").map((wire) => ({ from: end(wire, "from"), to: end(wire, "to") })),
  };
}

function operatorOf(element: XmlElement): SourceOperator {
  const [x, y] = ["x", "y"].map((name) => Number(attribute(element, name) ?? NaN));
  const lists = element.children.filter(({ name }) => name === "list" || name === "enumeration");
  return {
    name: attribute(element, "name") ?? "",
    key: attribute(element, "class") ?? "",
    isActive: attribute(element, "activated") !== "false",
    hasBreakpoint: attribute(element, "breakpoints") !== undefined,
    version: attribute(element, "compatibility") ?? "",
    place: Number.isFinite(x) && Number.isFinite(y) ? [x, y] : undefined,
    parameters: parametersOf(element),
    lists: new Map(lists.map((list) => [attribute(list, "key") ?? "", [...entriesOf(list)]] as const)),
    inner: named(element, "process").map(subprocessOf),
  };
}

function parametersOf(element: XmlElement): Map<string, string> {
  return new Map(entriesOf(element));
}

function entriesOf(element: XmlElement): (readonly [string, string])[] {
  return named(element, "parameter").map(
    (each) => [attribute(each, "key") ?? "", attribute(each, "value") ?? ""] as const,
  );
}

function named({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((each) => each.name === name);
}

function attribute({ attributes }: XmlElement, name: string): string | undefined {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}
