/**
 * This module calls columns without names by number, and makes errors about names: all of them as far as that
 * is readable, and the one the user probably meant.
 */
import { InvalidInputError } from "../core/errors.ts";

/** A message stays readable with at most so many names. */
const SHOWN = 20;

/** Returns "0", "1" and so on. */
export function numberedNames(count: number): string[] {
  return Array.from({ length: count }, (_, column) => String(column));
}

/** Makes the error for a name that is not among a table's columns. */
export function unknownColumn(wanted: string, names: readonly string[], file?: string): InvalidInputError {
  const nearest = nearestName(wanted, names);
  const meant = nearest === undefined ? "" : ` (did you mean ${JSON.stringify(nearest)}?)`;
  return new InvalidInputError(
    `there is no column ${JSON.stringify(wanted)}${meant}; the columns are ${listNames(names)}`,
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

/**
 * Returns the name that takes the fewest edits, upper and lower case and outer spaces aside; none when over
 * half would change.
 */
export function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const folded = wanted.trim().toLowerCase();
  let best: string | undefined;
  let fewest = Math.floor(folded.length / 2) + 1;
  for (const name of names) {
    const edits = editDistance(folded, name.trim().toLowerCase());
    if (edits < fewest) [best, fewest] = [name, edits];
  }
  return best;
}

/** Counts the insertions, deletions, replacements and swaps of neighbours that make b of a. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(Math.min(replaced, above[j] + 1, row[j - 1] + 1, isSwap ? before[j - 2] + 1 : Infinity));
    }
    [before, above] = [above, row];
  }
  return above[b.length];
}
