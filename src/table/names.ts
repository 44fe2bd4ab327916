/**
 * This module calls columns without names by number, and makes errors about names: all of them as far as that
 * is readable, and the one the user probably meant.
 */
import { InvalidInputError } from "../core/errors.ts";
import { nearestName } from "../core/nearestName.ts";

/** A message stays readable with at most so many names. */
const SHOWN = 20;

/** Returns "0", "1" and so on. */
export function numberedNames(count: number): string[] {
  return Array.from({ length: count }, (_, column) => String(column));
}

/** Makes the error for a name that is not among a table's columns, or is no string. */
export function unknownColumn(wanted: unknown, names: readonly string[], file?: string): InvalidInputError {
  const place = file === undefined ? {} : { file };
  const columns = `the columns are ${listNames(names)}`;
  if (typeof wanted !== "string") {
    const given = Array.isArray(wanted)
      ? `a list of ${wanted.length} values`
      : `${String(wanted)}, of type ${typeof wanted}`;
    return new InvalidInputError(`the name of a column is ${given}; expected a string; ${columns}`, place);
  }
  const nearest = nearestName(wanted, names);
  const meant = nearest === undefined ? "" : ` (did you mean ${JSON.stringify(nearest)}?)`;
  return new InvalidInputError(`there is no column ${JSON.stringify(wanted)}${meant}; ${columns}`, place);
}

/** Returns the first name that stood before, or undefined. */
export function repeatedName(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}

/** Lists names as `"a", "b" and 782 more`. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map((name) => JSON.stringify(name));
  const rest = names.length - shown.length;
  return rest === 0 ? shown.join(", ") : `${shown.join(", ")} and ${rest} more`;
}
