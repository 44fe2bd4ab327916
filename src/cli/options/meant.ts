/** Names the nearest of the known names to one that was given wrong. */
import { oneOf } from "../../core/errors.ts";
import { nearestName } from "../../core/nearestName.ts";

/** Fewer characters are the start of too much. */
const FEWEST = 2;

/** Returns the only name that begins so, or else the one of the fewest edits, if that is near. */
export function nearestOf(wanted: string, names: readonly string[]): string | undefined {
  const begun = wanted.length < FEWEST ? [] : names.filter((name) => name.startsWith(wanted));
  return begun.length === 1 ? begun[0] : nearestName(wanted, names);
}

/** Returns " (did you mean NAME?)", or nothing where no name is near. */
export function meant(wanted: string, names: readonly string[]): string {
  const nearest = nearestOf(wanted, names);
  return nearest === undefined ? "" : ` (did you mean ${nearest}?)`;
}

/** An error suggests at most so many names. */
const FEW = 3;

/** Returns "Did you mean A, B or C? " of a few names that are nearest or hold the text; nothing for none. */
export function askedOfFew(wanted: string, names: readonly string[]): string {
  const within = wanted.toLowerCase();
  const holding = within.length < FEWEST ? [] : names.filter((name) => name.toLowerCase().includes(within));
  const near = new Set<string>();
  for (let left = names; near.size < FEW; left = names.filter((name) => !near.has(name))) {
    const next = nearestOf(wanted, left);
    if (next === undefined) break;
    near.add(next);
  }
  const few = [...new Set([...near, ...holding])].slice(0, FEW);
  return few.length === 0 ? "" : `Did you mean ${oneOf(few)}? `;
}

/** Returns "Did you mean NAME? ", or nothing where no name is near. */
export function asked(wanted: string, names: readonly string[]): string {
  const nearest = nearestOf(wanted, names);
  return nearest === undefined ? "" : `Did you mean ${nearest}? `;
}
