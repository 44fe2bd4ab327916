/**
 * Checks plain data of unknown origin by small checks that are put together: each takes a value and returns
 * it as its type, or throws a Misfit that knows where in the data it is. Nothing here knows models; header.ts
 * puts the checks together.
 */

export type Check<T> = (value: unknown) => T;

type Checked<C> = C extends Check<infer T> ? T : never;

type Checks = Readonly<Record<string, Check<unknown>>>;
type OptionalIn<Given> = {
  [Name in keyof Given]: undefined extends Checked<Given[Name]> ? Name : never;
}[keyof Given];

/** A record of checks has this result: members that may be undefined may be absent. */
type Checkeds<Given> = {
  readonly [Name in Exclude<keyof Given, OptionalIn<Given>>]: Checked<Given[Name]>;
} & { readonly [Name in OptionalIn<Given>]?: Checked<Given[Name]> };

/** This error says what is wrong with a member, and knows the way to it from the outermost value. */
export class Misfit extends Error {
  readonly #path: (string | number)[];

  /** @param what the fault of the member, beginning with a verb: `is "x"; expected a number` */
  constructor(what: string, ...path: (string | number)[]) {
    super(what);
    this.name = "Misfit";
    this.#path = path;
  }

  /** Adds a step to the way; each value that holds the member calls it, from the inside out. */
  within(key: string | number): this {
    this.#path.unshift(key);
    return this;
  }

  /** It is a JSON path such as `$.train.columns[2].name`. */
  get path(): string {
    const step = (key: string | number) =>
      typeof key === "string" && /^[A-Za-z]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
    return `$${this.#path.map(step).join("")}`;
  }
}

export function misfit(value: unknown, expected: string): Misfit {
  return new Misfit(
    value === undefined ? `is missing; expected ${expected}` : `is ${shown(value)}; expected ${expected}`,
  );
}

export const text: Check<string> = (value) => {
  if (typeof value === "string") return value;
  throw misfit(value, "a text");
};

/** Accepts any number, also Infinity and NaN. */
export const number: Check<number> = (value) => {
  if (typeof value === "number") return value;
  throw misfit(value, "a number");
};

export const finite: Check<number> = (value) => {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw misfit(value, "a finite number");
};

export const aboveZero: Check<number> = (value) => {
  if (typeof value === "number" && value > 0 && value < Infinity) return value;
  throw misfit(value, "a finite number above 0");
};

export const boolean: Check<boolean> = (value) => {
  if (typeof value === "boolean") return value;
  throw misfit(value, "true or false");
};

export function wholeFrom(least: number): Check<number> {
  return (value) => {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
    throw misfit(value, `a whole number of at least ${least}`);
  };
}

export function nameOf<const T extends string>(names: readonly T[]): Check<T> {
  return (value) => {
    const found = names.find((name) => name === value);
    if (found !== undefined) return found;
    throw misfit(value, names.map((name) => JSON.stringify(name)).join(" or "));
  };
}

/** Accepts any object that is no list, whatever it holds. */
export const object: Check<Readonly<Record<string, unknown>>> = (value) => {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw misfit(value, "an object");
};

export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value) => (value === undefined ? undefined : check(value));
}

export function listOf<T>(item: Check<T>): Check<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw misfit(value, "a list");
    const items: T[] = [];
    try {
      for (const each of value as readonly unknown[]) items.push(item(each));
      return items;
    } catch (error) {
      throw error instanceof Misfit ? error.within(items.length) : error;
    }
  };
}

/** Accepts a list that has as many members as there are checks. */
export function tupleOf<const Items extends readonly Check<unknown>[]>(
  ...checks: Items
): Check<{ readonly [At in keyof Items]: Checked<Items[At]> }> {
  return (value) => {
    if (!Array.isArray(value) || value.length !== checks.length)
      throw misfit(value, `a list of ${checks.length}`);
    return checks.map((check, at) => inside(at, () => check(value[at]))) as {
      readonly [At in keyof Items]: Checked<Items[At]>;
    };
  };
}

/** Accepts an object that has these members and no others. Optional members that it lacks are left out. */
export function recordOf<Given extends Checks>(checks: Given): Check<Checkeds<Given>> {
  const names = Object.keys(checks);
  return (value) => {
    const given = object(value);
    const unknown = Object.keys(given).find((name) => !names.includes(name));
    if (unknown !== undefined) throw new Misfit(`is unknown; expected ${names.join(", ")}`, unknown);
    const members = names.map((name) => {
      const member = Object.hasOwn(given, name) ? given[name] : undefined;
      return [name, inside(name, () => checks[name](member))] as const;
    });
    return Object.fromEntries(members.filter(([, member]) => member !== undefined)) as Checkeds<Given>;
  };
}

/** Accepts one of several records; the text in one member tells which it must be. */
export function taggedBy<Cases extends Checks>(
  tag: string,
  cases: Cases,
): Check<Checked<Cases[keyof Cases]>> {
  const names = Object.keys(cases);
  return (value) => {
    const given = object(value);
    const name = inside(tag, () => nameOf(names)(Object.hasOwn(given, tag) ? given[tag] : undefined));
    return cases[name](value) as Checked<Cases[keyof Cases]>;
  };
}

/** Applies one of two checks, by the kind of the value. */
export function either<A, B>(
  isFirst: (value: unknown) => boolean,
  first: Check<A>,
  second: Check<B>,
): Check<A | B> {
  return (value) => (isFirst(value) ? first(value) : second(value));
}

function inside<T>(key: string | number, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof Misfit ? error.within(key) : error;
  }
}

/**
 * Messages show at most so many characters of a text; of a value that holds others they show the kind alone.
 */
const SHOWN_CHARS = 40;

function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  return value.length <= SHOWN_CHARS
    ? JSON.stringify(value)
    : `${JSON.stringify(value.slice(0, SHOWN_CHARS))}...`;
}
