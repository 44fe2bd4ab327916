/** Names the nearest of the known names to one that was given wrong. */
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

/** Returns "Did you mean NAME? ", or nothing where no name is near. */
export function asked(wanted: string, names: readonly string[]): string {
  const nearest = nearestOf(wanted, names);
  return nearest === undefined ? "" : `Did you mean ${nearest}? `;
}
