/** This module finds the name that somebody meant, who gave it with a slip of the pen. */

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
