/**
 * The kinds of parameters: each knows its check for values of a file, how a command line writes it, and its
 * JSON Schema, so that all three say the same.
 */
import { oneOf } from "../../core/errors.ts";
import { PATH_PATTERN, pathFault } from "../document/paths.ts";
import { shown } from "../document/document.ts";
import type { ParameterValue } from "../document/document.ts";

/**
 * The description of one parameter.
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
  /** The meaning, in a few words. */
  readonly says: string;
  /** The value where a process gives none; undefined where that means nothing is given. */
  readonly default: Value | undefined;
  /** True where a process must give it. */
  readonly required: boolean;
  /** The values there are, of a choice. */
  readonly choices?: readonly string[];
  /** The input whose columns it names. */
  readonly of?: string;
  /** The rule for values, as messages say it. */
  readonly expects: string;
  /** Returns what is wrong with a value of the right form, or undefined. */
  readonly fault: (value: ParameterValue) => string | undefined;
  /** Makes a value of the text that a command line gives. */
  readonly fromText: (text: string) => ParameterValue;
  /** The JSON Schema of its values. */
  readonly schema: object;
}

/** A parameter before the operator has given it its name; `Value` is what `run` is given. */
export type Unnamed<Value> = Omit<Parameter<Value>, "name" | "fault"> & {
  readonly accepts: (value: ParameterValue) => boolean;
  /** Never there: it tells the compiler what `run` is given. */
  readonly typed?: { readonly value: Value };
};

interface Said<Value> {
  readonly says: string;
  readonly default: Value;
}

export function wholeNumber({
  min,
  max = Number.MAX_SAFE_INTEGER,
  ...said
}: Said<number> & { min: number; max?: number }) {
  const above = max === Number.MAX_SAFE_INTEGER ? "" : ` and at most ${max}`;
  return made<number>("wholeNumber", said, {
    expects: `a whole number of at least ${min}${above}`,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
    fromText: numberOf,
    schema: { type: "integer", minimum: min, maximum: max },
  });
}

export function number({ above = -Infinity, ...said }: Said<number> & { above?: number }) {
  return made<number>("number", said, {
    expects: above === -Infinity ? "a number" : `a number above ${above}`,
    accepts: (value) => Number.isFinite(value) && Number(value) > above,
    fromText: numberOf,
    schema: { type: "number", ...(above === -Infinity ? {} : { exclusiveMinimum: above }) },
  });
}

export function flag(said: Said<boolean>) {
  return made<boolean>("flag", said, {
    expects: "true or false",
    accepts: (value) => typeof value === "boolean",
    fromText: (text) => (text === "true" ? true : text === "false" ? false : text),
    schema: { type: "boolean" },
  });
}

export function choice<const Name extends string>(names: readonly Name[], said: Said<NoInfer<Name>>) {
  return {
    ...made<Name>("choice", said, {
      expects: oneOf(names),
      accepts: (value) => (names as readonly ParameterValue[]).includes(value),
      fromText: (text) => text,
      schema: { enum: names },
    }),
    choices: names,
  };
}

/** A text that a process may leave out. */
export function text(said: { readonly says: string }) {
  return made<string | undefined>("text", { ...said, default: undefined }, someText);
}

/** The name of a column of the table at an input. */
export function column(said: { readonly says: string; readonly of: string }) {
  return { ...made<string | undefined>("column", { ...said, default: undefined }, someText), of: said.of };
}

/** Names of columns of the table at an input; `of` is undefined for those of a file. */
export function columns(said: { readonly says: string; readonly of?: string }) {
  const own = made<readonly string[] | undefined>("columns", { ...said, default: undefined }, someTexts);
  return said.of === undefined ? own : { ...own, of: said.of };
}

/** Texts that a process may leave out. */
export function texts(said: { readonly says: string }) {
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

/** A file below the process's folder, which a process must name. */
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
  accepts: (value: ParameterValue) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  fromText: listOf,
  schema: { type: "array", items: { type: "string" } },
};

function made<Value>(
  kind: Parameter["kind"],
  { says, default: usual }: { readonly says: string; readonly default: Value },
  rules: Pick<Unnamed<Value>, "expects" | "accepts" | "fromText" | "schema">,
): Unnamed<Value> {
  return { kind, says, default: usual, required: false, ...rules };
}

/**
 * Returns the items of a list such as `a,"b, c"`, where a quote inside quotes is doubled, or the text, which
 * the check then refuses.
 */
function listOf(text: string): ParameterValue {
  const item = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  const list: string[] = [];
  for (;;) {
    const found = item.exec(text);
    if (found === null) return text;
    list.push(found[1]?.replaceAll('""', '"') ?? found[2]);
    if (found[3] === "") return list;
  }
}

/** Returns the number that a text is, or the text, which the check then refuses. There is one zero. */
function numberOf(text: string): number {
  const value = text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(value) ? value + 0 : (text as unknown as number);
}

/** Gives a parameter its name, and the message for a value that it does not accept. */
export function named<Value>(name: string, { accepts, ...rest }: Unnamed<Value>): Parameter<Value> {
  const fault = (value: ParameterValue): string | undefined => {
    if (accepts(value)) return undefined;
    const path = rest.kind === "file" && typeof value === "string" ? pathFault(value) : undefined;
    return path ?? `is ${shown(value)}; expected ${rest.expects}`;
  };
  return { ...rest, name, fault };
}
