/**
 * These are the kinds of parameters. Each knows its check for values of a file, how a command line writes it,
 * and its JSON Schema, so that all three say the same. Options of commands are made of the same descriptions
 * (cli/options/parameter.ts); which operator has which parameter stands with the operators.
 */
import { oneOf } from "../../core/errors.ts";
import { PATH_PATTERN, pathFault } from "../document/paths.ts";
import { shown } from "../document/json.ts";
import type { ParameterValue } from "../document/document.ts";

/**
 * It describes one parameter.
 * @example
 * const knn = operators.find(({ id }) => id === "knn");
 * const k: Parameter | undefined = knn?.parameters.find(({ name }) => name === "k");
 * k?.default; // => 5
 * k?.expects; // => "a whole number of at least 1"
 */
export interface Parameter<Value = unknown> {
  readonly name: string;
  readonly kind:
    | "wholeNumber"
    | "number"
    | "text"
    | "choice"
    | "flag"
    | "column"
    | "columns"
    | "texts"
    | "numbers"
    | "file";
  /** A few words say what it means. */
  readonly says: string;
  /** It applies if a process gives no value; undefined if there is no default. */
  readonly default: Value | undefined;
  /** It says what holds by default, where the default does not say it by itself. */
  readonly otherwise?: string;
  /** It says what false means, of a flag that is true by default. */
  readonly not?: string;
  /** It is true for a flag with which results depend on the device. */
  readonly ofDevice?: true;
  /** It is true where a process must give it. */
  readonly required: boolean;
  /** A choice has these values. */
  readonly choices?: readonly string[];
  /** It names columns of this input. */
  readonly of?: string;
  /** Values follow this rule. */
  readonly expects: string;
  /**
   * Messages about text of a command line state the rule in these words; default "expected" and `expects`.
   */
  readonly textRule?: string;
  /** Says whether a value is one that the rule allows. */
  readonly accepts: (value: ParameterValue) => boolean;
  /** Returns what is wrong with a value, or undefined. */
  readonly fault: (value: ParameterValue) => string | undefined;
  /** Parses text of a command line; for text that is no such value it returns one that `accepts` rejects. */
  readonly fromText: (text: string) => ParameterValue;
  /** Its values follow this JSON Schema. */
  readonly schema: object;
}

/** A parameter before the operator has given it its name; `Value` is what `run` is given. */
export type Unnamed<Value> = Omit<Parameter<Value>, "name" | "fault"> & {
  /** It is never there: it tells the compiler what `run` is given. */
  readonly typed?: { readonly value: Value };
};

interface SaidAlone {
  readonly says: string;
  readonly otherwise?: string;
}

interface Said<Value> extends SaidAlone {
  readonly default: Value;
}

export function wholeNumber({ min, max, ...said }: Said<number> & WholeBounds) {
  return made<number>("wholeNumber", said, wholeWithin({ min, max }));
}

/** Makes a whole number that a process may leave out. */
export function optionalWholeNumber({ min, max, ...said }: SaidAlone & WholeBounds) {
  return made<number | undefined>("wholeNumber", { ...said, default: undefined }, wholeWithin({ min, max }));
}

interface WholeBounds {
  readonly min: number;
  readonly max?: number | undefined;
}

function wholeWithin({ min, max = Number.MAX_SAFE_INTEGER }: WholeBounds) {
  const above = max === Number.MAX_SAFE_INTEGER ? "" : ` and at most ${max}`;
  return {
    expects: `a whole number of at least ${min}${above}`,
    accepts: (value: ParameterValue) =>
      Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
    fromText: wholeNumberOf,
    schema: { type: "integer", minimum: min, maximum: max },
  };
}

export function number(said: Said<number> & Bounds) {
  return made<number>("number", said, numbersWithin(said));
}

/** Makes a number that a process may leave out. */
export function optionalNumber(said: SaidAlone & Bounds) {
  return made<number | undefined>("number", { ...said, default: undefined }, numbersWithin(said));
}

interface Bounds {
  /** It must be above this value. */
  readonly above?: number;
  readonly min?: number;
  readonly max?: number;
}

function numbersWithin({ above, min, max }: Bounds) {
  const least = above !== undefined ? ` above ${above}` : min !== undefined ? ` of at least ${min}` : "";
  const range = max === undefined ? least : `${least} and at most ${max}`;
  return {
    expects: `a number${range}`,
    accepts: (value: ParameterValue) =>
      typeof value === "number" &&
      Number.isFinite(value) &&
      value > (above ?? -Infinity) &&
      value >= (min ?? value) &&
      value <= (max ?? value),
    fromText: numberOf,
    schema: {
      type: "number",
      ...(above === undefined ? {} : { exclusiveMinimum: above }),
      ...(min === undefined ? {} : { minimum: min }),
      ...(max === undefined ? {} : { maximum: max }),
    },
  };
}

/** Makes a number above 0, or "inf", since JSON has no infinity. */
export function exponent(said: Said<number | "inf">) {
  return made<number | "inf">("number", said, {
    expects: "a number above 0, or inf",
    accepts: (value) => value === "inf" || (typeof value === "number" && value > 0 && value < Infinity),
    fromText: (text) => (/^inf(inity)?$/i.test(text) ? "inf" : numberOf(text)),
    schema: { anyOf: [{ type: "number", exclusiveMinimum: 0 }, { const: "inf" }] },
  });
}

export function flag({
  not,
  ofDevice,
  ...said
}: Said<boolean> & { readonly not?: string; readonly ofDevice?: true }) {
  const own = made<boolean>("flag", said, {
    expects: "true or false",
    accepts: (value) => typeof value === "boolean",
    fromText: (text) => (text === "true" ? true : text === "false" ? false : text),
    schema: { type: "boolean" },
  });
  return { ...own, ...(not === undefined ? {} : { not }), ...(ofDevice === undefined ? {} : { ofDevice }) };
}

export function choice<const Name extends string>(names: readonly Name[], said: Said<NoInfer<Name>>) {
  return {
    ...made<Name>("choice", said, {
      expects: oneOf(names),
      textRule: `allowed choices are ${names.join(", ")}`,
      accepts: (value) => (names as readonly ParameterValue[]).includes(value),
      fromText: (text) => text,
      schema: { enum: names },
    }),
    choices: names,
  };
}

/** Makes a text that a process may leave out. */
export function text(said: SaidAlone) {
  return made<string | undefined>("text", { ...said, default: undefined }, someText);
}

/** This is one character, or one of some words; a command line may write tab. */
export function character({ words, ...said }: SaidAlone & { readonly words: readonly string[] }) {
  const pattern = `^(${[...words, "[\\u0001-\\t\\v\\f\\u000e-!#-\\ufefe\\uff00-\\uffff]"].join("|")})$`;
  const test = new RegExp(pattern, "u");
  return made<string | undefined>(
    "text",
    { ...said, default: undefined },
    {
      expects: `one character, such as ";"${words.map((word) => `, or ${word}`).join("")}`,
      textRule: `expected one character, such as ";", tab${words.map((word) => `, or ${word}`).join("")}`,
      accepts: (value) => typeof value === "string" && test.test(value),
      fromText: (text) => (text === "tab" || text === "\\t" ? "\t" : text),
      schema: { type: "string", pattern },
    },
  );
}

/** Makes the name of a column of the table at an input. */
export function column(said: SaidAlone & { readonly of: string }) {
  return { ...made<string | undefined>("column", { ...said, default: undefined }, someText), of: said.of };
}

/** Names of columns of the table at an input; `of` is undefined for those of a file. */
export function columns(said: SaidAlone & { readonly of?: string }) {
  const own = made<readonly string[] | undefined>("columns", { ...said, default: undefined }, someColumns);
  return said.of === undefined ? own : { ...own, of: said.of };
}

/** Makes texts that a process may leave out. */
export function texts(said: SaidAlone) {
  return made<readonly string[] | undefined>("texts", { ...said, default: undefined }, someTexts);
}

export function numbers({ least, most, ...said }: Said<readonly number[]> & { least: number; most: number }) {
  return made<readonly number[]>("numbers", said, {
    expects: `${least} to ${most} numbers above 0, such as [0.7, 0.3]`,
    accepts: (value) =>
      Array.isArray(value) &&
      value.length >= least &&
      value.length <= most &&
      value.every((item) => Number.isFinite(item) && Number(item) > 0),
    fromText: (text) => text.split(",").map(numberOf),
    schema: {
      type: "array",
      items: { type: "number", exclusiveMinimum: 0 },
      minItems: least,
      maxItems: most,
    },
  });
}

/** Makes numbers that a process may leave out. */
export function optionalNumbers({ least, ...said }: SaidAlone & { readonly least: number }) {
  return made<readonly number[] | undefined>(
    "numbers",
    { ...said, default: undefined },
    {
      expects: `${least === 1 ? "numbers" : `at least ${least} numbers`}, such as [1, 0, -1]`,
      textRule: `expected ${least === 1 ? "numbers" : `at least ${least} numbers`}, such as 1,0,-1`,
      accepts: (value) => Array.isArray(value) && value.length >= least && value.every(Number.isFinite),
      fromText: (text) => text.split(",").map(numberOf),
      schema: { type: "array", items: { type: "number" }, minItems: least },
    },
  );
}

/** Makes a file below the process's folder, which a process must name. */
export function file(said: { readonly says: string }): Unnamed<string> {
  const own = made<string>(
    "file",
    { ...said, default: "" },
    {
      expects: "a path below the process's folder",
      accepts: (value) => typeof value === "string" && pathFault(value) === undefined,
      fromText: (text) => text,
      schema: { type: "string", pattern: PATH_PATTERN },
    },
  );
  return { ...own, default: undefined, required: true };
}

/** Makes a parameter one that a process must give. */
export function required<Value>(parameter: Unnamed<Value | undefined>): Unnamed<Value> {
  return { ...parameter, required: true } as Unnamed<Value>;
}

const someText = {
  expects: "a text",
  accepts: (value: ParameterValue) => typeof value === "string",
  fromText: (text: string) => text,
  schema: { type: "string" },
};

const someTexts = {
  expects: "a list of texts",
  textRule: 'expected a list such as a,"b, c",d, each quote closed before a comma',
  accepts: (value: ParameterValue) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  fromText: (text: string) => itemsOf(text) ?? text,
  schema: { type: "array", items: { type: "string" } },
};

const someColumns = {
  ...someTexts,
  textRule: 'expected column names between the commas, such as a,"b, c",d, each quote closed before a comma',
  fromText: (text: string) => {
    const names = itemsOf(text);
    return names === undefined || names.includes("") ? text : names;
  },
};

/** Returns the items of `a,"b, c",d`, where a quote inside quotes is doubled; undefined for another form. */
function itemsOf(text: string): string[] | undefined {
  const item = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  const list: string[] = [];
  for (let last = false; !last;) {
    const match = item.exec(text);
    if (!match) return undefined;
    list.push(match[1]?.replaceAll('""', '"') ?? match[2]);
    last = match[3] === "";
  }
  return list;
}

type ValueRules<Value> = Pick<Unnamed<Value>, "expects" | "accepts" | "fromText" | "schema" | "textRule">;

function made<Value>(
  kind: Parameter["kind"],
  { says, default: usual, otherwise }: Said<Value>,
  rules: ValueRules<Value>,
): Unnamed<Value> {
  const own = { kind, says, default: usual, required: false, ...rules };
  return otherwise === undefined ? own : { ...own, otherwise };
}

/** Returns the number that a text is, or the text, which the check then refuses. There is one zero. */
function numberOf(text: string): number {
  const value = text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(value) ? value + 0 : (text as unknown as number);
}

/** Returns the whole number that digits are; 1e1 and 0x10 stay texts. */
function wholeNumberOf(text: string): number {
  const value = numberOf(text);
  return Number.isInteger(value) && !/^-?\d+$/.test(text) ? (text as unknown as number) : value;
}

/** Gives a parameter its name, and the message for a value that it does not accept. */
export function named<Value>(name: string, parameter: Unnamed<Value>): Parameter<Value> {
  return { ...parameter, name, fault: (value) => faultOf(parameter, value, expected(parameter)) };
}

function expected({ expects }: Unnamed<unknown>): string {
  return `expected ${expects}`;
}

function faultOf(
  { kind, accepts }: Unnamed<unknown>,
  value: ParameterValue,
  rule: string,
): string | undefined {
  if (accepts(value)) return undefined;
  const path = kind === "file" && typeof value === "string" ? pathFault(value) : undefined;
  return path ?? `is ${shown(value)}; ${rule}`;
}

/**
 * Reads the text that a command line gives for a parameter.
 * @returns its value, or the rule that it breaks, alone and as a message after the parameter's name
 */
export function readText(
  parameter: Unnamed<unknown>,
  text: string,
): { readonly value: ParameterValue } | { readonly rule: string; readonly fault: string } {
  const value = parameter.fromText(text);
  const { textRule = expected(parameter) } = parameter;
  const fault = faultOf(parameter, value, textRule);
  return fault === undefined ? { value } : { rule: textRule, fault };
}

/** Returns what holds where an option is left out, in words, or undefined where that goes without saying. */
export function usualOf({ otherwise, default: usual }: Unnamed<unknown>): string | undefined {
  return otherwise ?? (usual === undefined ? undefined : JSON.stringify(usual));
}

/** Returns the same for a parameter of a process, where the default has a name of its own, such as "auto". */
export function defaultOf(parameter: Unnamed<unknown>): string | undefined {
  const { otherwise, default: usual } = parameter;
  if (usual === undefined || otherwise === undefined || usual === otherwise) return usualOf(parameter);
  return `${JSON.stringify(usual)}, ${otherwise}`;
}
