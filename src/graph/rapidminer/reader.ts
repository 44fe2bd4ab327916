/**
 * Reads the parameters of one operator of RapidMiner, and takes down what has no counterpart. A parameter
 * that nobody asked for is taken down as well, so that nothing is left out in silence.
 */
import { quote } from "../document/json.ts";
import type { SourceOperator } from "./source.ts";

/**
 * The import of a process of RapidMiner left this out or changed it.
 * @example
 * import { importRapidMiner } from "nearfield/graph";
 *
 * const operator = '<operator class="filter_examples" name="Filter" activated="true"/>';
 * const text = `<process version="9.10"><operator class="process"><process>${operator}</process></operator></process>`;
 * const [left]: readonly LeftOut[] = (await importRapidMiner(text)).left;
 * left.operator; // => "Filter (filter_examples)"
 * left.changesResults; // => true
 */
export interface LeftOut {
  /** It names the operator by its name and its key; "the process" stands for what belongs to none. */
  readonly operator: string;
  /** The parameter has this key; undefined where it is about the operator or its wires. */
  readonly parameter?: string;
  readonly message: string;
  /** It is false if results stay the same, as for what is only drawn or shown. */
  readonly changesResults: boolean;
}

export type TakeDown = (left: LeftOut) => void;

export class ParameterReader {
  readonly #source: SourceOperator;
  readonly #takeDown: TakeDown;
  readonly #macros: ReadonlyMap<string, string>;
  readonly #read = new Set<string>();

  constructor(source: SourceOperator, macros: ReadonlyMap<string, string>, takeDown: TakeDown) {
    this.#source = source;
    this.#macros = macros;
    this.#takeDown = takeDown;
  }

  get source(): SourceOperator {
    return this.#source;
  }

  has(key: string): boolean {
    return this.#source.parameters.has(key);
  }

  text(key: string, usual: string): string {
    this.#read.add(key);
    const value = this.#source.parameters.get(key);
    return value === undefined ? usual : this.#expanded(key, value);
  }

  flag(key: string, usual: boolean): boolean {
    const text = this.text(key, String(usual));
    if (text === "true" || text === "false") return text === "true";
    this.lacks(key, `is ${quote(text)}, neither true nor false; ${usual} is taken`);
    return usual;
  }

  number(key: string, usual: number): number {
    const text = this.text(key, String(usual));
    const value = text.trim() === "" ? NaN : Number(text);
    if (Number.isFinite(value)) return value;
    this.lacks(key, `is ${quote(text)}, which is not a number; ${usual} is used`);
    return usual;
  }

  /** Reads one of the names that a parameter knows, which old files write as its number. */
  choice<Name extends string>(key: string, names: readonly Name[], usual: Name): Name | undefined {
    const text = this.text(key, usual);
    const found = names.find((name, at) => name === text || String(at) === text);
    if (found === undefined) this.lacks(key, `is ${quote(text)}, which has no counterpart`);
    return found;
  }

  list(key: string): readonly (readonly [name: string, value: string])[] {
    this.#read.add(key);
    const entries = this.#source.lists.get(key) ?? [];
    return entries.map(([name, value]) => [this.#expanded(key, name), this.#expanded(key, value)] as const);
  }

  /** Takes down a parameter that has another value than the one that means the same here. */
  expect(key: string, value: string): void {
    const text = this.text(key, value);
    if (text !== value) this.lacks(key, `is ${quote(text)}, which has no counterpart; ${value} is taken`);
  }

  /** Passes over parameters that change no result. */
  skip(...keys: readonly string[]): void {
    for (const key of keys) this.#read.add(key);
  }

  /** Takes down what has no counterpart; without a key, about the operator as a whole. */
  lacks(key: string | undefined, message: string): void {
    this.#say(key, message, true);
  }

  /** Takes down what gives the same results otherwise. */
  note(key: string | undefined, message: string): void {
    this.#say(key, message, false);
  }

  /** Takes down what nobody has read, the breakpoint included. */
  end(): void {
    const { parameters, lists, hasBreakpoint } = this.#source;
    for (const [key, value] of parameters)
      if (!this.#read.has(key)) this.lacks(key, `is ${quote(value)}, which has no counterpart`);
    for (const [key, entries] of lists)
      if (!this.#read.has(key) && entries.length > 0)
        this.lacks(key, `has ${entries.length} entries, which have no counterpart`);
    if (hasBreakpoint) this.note(undefined, "has a breakpoint, which processes do not have");
  }

  #say(key: string | undefined, message: string, changesResults: boolean): void {
    const operator = shownOperator(this.#source);
    this.#takeDown({ operator, ...(key === undefined ? {} : { parameter: key }), message, changesResults });
  }

  /** Puts the values of macros in the place of their names. */
  #expanded(key: string, text: string): string {
    return text.replace(/%\{([^{}]*)\}/g, (whole, name: string) => {
      const value = this.#macros.get(name);
      if (value === undefined)
        this.lacks(key, `names the macro ${quote(whole)}, which the file gives no value`);
      return value ?? whole;
    });
  }
}

export function shownOperator({ name, key }: SourceOperator): string {
  return `${quote(name).slice(1, -1)} (${quote(key).slice(1, -1)})`;
}
