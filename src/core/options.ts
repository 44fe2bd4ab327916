/**
 * This module refuses options that a call does not have, so that a slip of the pen is not ignored, and
 * values that are none of a list of names. What other values may be is the call's own matter.
 */
import { InvalidInputError, oneOf } from "./errors.ts";
import { nearestName } from "./nearestName.ts";

/** The names of the options of type T: all of them, 1 where messages list them and 0 where they do not. */
export type OptionNames<T> = Readonly<Record<keyof T, 0 | 1>>;

/** These options are no plain data: each has a method, and a name for messages. */
const live = {
  signal: ["throwIfAborted", "an AbortSignal"],
  device: ["dispose", "a Device"],
  onProgress: ["call", "a function"],
  onExplanation: ["call", "a function"],
};

/**
 * @param call the words of errors for the call
 * @throws InvalidInputError for options that are no object, for one whose name is not among `names`, and for
 *   a signal, a device or a function that is none
 */
export function checkOptions(options: object, call: string, names: Readonly<Record<string, 0 | 1>>): void {
  const given: unknown = options;
  if (typeof given !== "object" || given === null)
    throw new InvalidInputError(`the options of ${call} are ${String(given)}; expected an object`);
  for (const [name, [method, expected]] of Object.entries(live)) {
    const value = (options as Record<string, Record<string, unknown> | null | undefined>)[name];
    if (value !== undefined && typeof value?.[method] !== "function")
      throw new InvalidInputError(
        `${name} is ${value === null ? value : `of type ${typeof value}`}; expected ${expected}`,
      );
  }
  for (const name in options) {
    if (Object.hasOwn(names, name) || options[name as keyof typeof options] === undefined) continue;
    const known = Object.keys(names).filter((each) => names[each]);
    const other = otherNames[name];
    const meant = known.includes(other) ? other : nearestName(name, known);
    throw new InvalidInputError(
      `${call} has no option ${JSON.stringify(name)}${meant === undefined ? "" : ` (did you mean ${meant}?)`}; ` +
        `expected some of ${known.join(", ")}`,
    );
  }
}

/** The number of neighbours is called k by searches, and nNeighbors by estimators, as in scikit-learn. */
const otherNames: Readonly<Record<string, string>> = { k: "nNeighbors", nNeighbors: "k", n_neighbors: "k" };

/** A signal is the only option. */
export const signalOnly: OptionNames<{ signal?: unknown }> = { signal: 1 };

/** @throws InvalidInputError for a value that is there and none of the names */
export function checkOneOf<T extends string | boolean>(
  value: unknown,
  names: readonly T[],
  what: string,
): asserts value is T {
  if (value === undefined || names.includes(value as T)) return;
  throw new InvalidInputError(
    `unknown ${what} ${JSON.stringify(value)}; expected ${oneOf(names.map(String))}`,
  );
}
