/**
 * Decides what of a process has to run, and says why. A result's key is made of what it follows from: the
 * operator and its version, its parameters, and the keys of its inputs, down to the contents of files. The id
 * of a node and its place are no part of it, so renaming or moving a node leaves its result as it is. It is
 * pure: nothing is read and nothing waited for.
 */
import { entryOf } from "./catalogue/catalogue.ts";
import type { NodeForm, OperatorEntry } from "./catalogue/operator.ts";
import { withDefaults } from "./check.ts";
import type { ProcessDocument } from "./document/document.ts";
import { shown } from "./document/json.ts";
import { orderOf, wiresInto } from "./document/order.ts";
import { keyOf } from "./results/digest.ts";
import type { Ingredients } from "./results/ingredients.ts";
import type { KeptResults } from "./results/kept.ts";

/**
 * A plan has one step for each node.
 * @example
 * const nodes = { learn: { operator: "knn", parameters: { k: 3 } } };
 * const [step]: PlanStep[] = planProcess({ nearfield: 1, nodes });
 * step.state; // => "run"
 * step.reason; // => "no result yet"
 */
export interface PlanStep {
  readonly node: string;
  readonly title: string;
  /** The key has 64 hexadecimal digits, the same for the same result on every machine. */
  readonly key: string;
  readonly state: "run" | "kept";
  /** Says why it runs, such as "k: 3 -> 5", or why it does not. */
  readonly reason: string;
}

/**
 * `planProcess` takes these options.
 * @example
 * const options: PlanOptions = { files: new Map([["read", { name: "a.csv", fingerprint: "00" }]]) };
 * const nodes = { read: { operator: "readTable", parameters: { file: "a.csv" } } };
 * planProcess({ nearfield: 1, nodes }, options).length; // => 1
 */
export interface PlanOptions {
  /** Reading nodes have files: their names and the fingerprints of their contents. */
  readonly files?: ReadonlyMap<string, { readonly name: string; readonly fingerprint: string }>;
  /** They are the results of earlier runs; default none. */
  readonly kept?: KeptResults;
  /**
   * It names the device that runs the process; only results that depend on the device (`float32`) need it.
   */
  readonly device?: string;
}

/** It is a step of a plan with what only the run needs. */
export interface Planned extends PlanStep {
  readonly entry: OperatorEntry;
  readonly parameters: NodeForm["parameters"];
  readonly ingredients: Ingredients;
}

/**
 * Returns the nodes of a process in the order in which they run, each with its key, and whether and why it
 * has to run. The process must have passed `checkProcess`.
 * @example
 * import { parseProcess, planProcess } from "nearfield/graph";
 *
 * const text = (id: string) => `{"nearfield": 1, "nodes": {"${id}": {"operator": "knn"}}}`;
 * const [one, renamed] = ["knn", "nearest"].map((id) => planProcess(parseProcess(text(id)))[0]);
 * one.key === renamed.key; // => true
 */
export function planProcess(document: ProcessDocument, options: PlanOptions = {}): PlanStep[] {
  return plannedSteps(document, options).map(({ node, title, key, state, reason }) => ({
    node,
    title,
    key,
    state,
    reason,
  }));
}

/** Does what `planProcess` does, with what a run needs besides. */
export function plannedSteps(document: ProcessDocument, { files, kept, device }: PlanOptions): Planned[] {
  const keys = new Map<string, string>();
  return orderOf(document).ids.flatMap((id): Planned[] => {
    const node = document.nodes[id];
    const entry = entryOf(node.operator);
    if (entry === undefined) return [];
    const parameters = withDefaults(entry.parameters, node.parameters ?? {});
    const inputs = wiresInto(node).map(({ input, node: from, output }) => [
      input,
      `${keys.get(from)}.${output}`,
    ]);
    const file = files?.get(id);
    const ingredients: Ingredients = {
      operator: entry.id,
      version: entry.version,
      parameters,
      inputs: Object.fromEntries(inputs) as Record<string, string>,
      ...(file === undefined
        ? {}
        : { file: { fingerprint: file.fingerprint, extension: extensionOf(file.name) } }),
      ...(hasOwnBits(entry, parameters) ? { device: device ?? "any" } : {}),
    };
    const key = keyOf(canonical(ingredients));
    keys.set(id, key);
    const isKept = !entry.effect && kept?.has(key) === true;
    const reason = isKept
      ? "same operator, parameters and inputs as before"
      : entry.effect
        ? "it writes"
        : reasonFor(ingredients, kept?.lastOf(id));
    const state = isKept ? "kept" : "run";
    return [{ node: id, title: entry.title, key, state, reason, entry, parameters, ingredients }];
  });
}

/** Returns one text for the same ingredients. A file is what it holds, wherever it lies. */
function canonical({ operator, version, parameters, inputs, file, device }: Ingredients): string {
  const set = Object.entries(parameters).filter(([name]) => file === undefined || name !== "file");
  const own = device === undefined ? [] : [device];
  return JSON.stringify([
    operator,
    version,
    sorted(set),
    sorted(Object.entries(inputs)),
    file ?? null,
    ...own,
  ]);
}

/** Says whether a node takes the bits of the device that it runs on. */
function hasOwnBits({ parameters: known }: OperatorEntry, parameters: NodeForm["parameters"]): boolean {
  return known.some(({ name, ofDevice }) => ofDevice === true && parameters[name] === true);
}

function sorted<T>(entries: [string, T][]): [string, T][] {
  return entries.filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns ".csv.gz" of "a/b.CSV.gz". */
function extensionOf(name: string): string {
  return (/(?:\.[^./\\]*)?(?:\.gz)?$/i.exec(name)?.[0] ?? "").toLowerCase();
}

function reasonFor(now: Ingredients, before: Ingredients | undefined): string {
  if (before === undefined) return "no result yet";
  if (now.operator !== before.operator) return `operator: ${before.operator} -> ${now.operator}`;
  if (now.version !== before.version) return `version: ${before.version} -> ${now.version}`;
  const parameters = Object.keys(now.parameters).flatMap((name) => {
    const [old, value] = [before.parameters[name], now.parameters[name]];
    return same(old, value) ? [] : [`${name}: ${said(old)} -> ${said(value)}`];
  });
  const file = same(now.file, before.file) ? [] : ["the file changed"];
  const device = same(now.device, before.device)
    ? []
    : [`device: ${said(before.device)} -> ${said(now.device)}`];
  const names = [...new Set([...Object.keys(before.inputs), ...Object.keys(now.inputs)])];
  const inputs = names.filter((name) => before.inputs[name] !== now.inputs[name]);
  const reasons = [...parameters, ...file, ...device, ...inputs.map((name) => `input ${name} changed`)];
  return reasons.length === 0 ? "its result is no longer kept" : reasons.join(", ");
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function said(value: unknown): string {
  return value === undefined ? "none" : shown(value);
}
