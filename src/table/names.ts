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
  const isName = typeof wanted === "string";
  const nearest = isName ? nearestName(wanted, names) : undefined;
  const meant = nearest === undefined ? "" : ` (did you mean ${JSON.stringify(nearest)}?)`;
  const given = isName
    ? JSON.stringify(wanted)
    : `${String(wanted).slice(0, 40)} of type ${typeof wanted}, expected a string`;
  return new InvalidInputError(
    `there is no column ${given}${meant}; the columns are ${listNames(names)}`,
    file === undefined ? {} : { file },
  );
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
