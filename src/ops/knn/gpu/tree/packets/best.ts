/**
 * This writes the k best of a query as WGSL, an entry at a time, so that they stay in registers: arrays that
 * are indexed by variables do not.
 */

/**
 * Returns the snippet for lists of `size` high ends, ascending, and their rows.
 *
 * - `beginBest(unused)` empties the list but for so many entries that stay,
 * - `keepBest(high, row)` takes an entry and returns the high end of what leaves the list,
 * - `lastOfBest()` returns the last high end, `worstOfBest()` that before it,
 *   LARGEST where there is none yet,
 * - `writeBest(begin, first, end)` writes the rows of entries to `candidates`.
 *
 * Its globals are LARGEST, FLOOR and candidates.
 */
export function bestSnippet(size: number): string {
  const each = (line: (i: number) => string) => Array.from({ length: size }, (_, i) => line(i)).join("\n");
  const last = size - 1;
  // This goes from the last entry to the first, since each is made of itself and the one before it.
  const take = (i: number) =>
    i === 0
      ? `row0 = select(row0, row, high < high0); high0 = min(high0, high);`
      : `row${i} = select(row${i}, select(row, row${i - 1}, high < high${i - 1}), high < high${i});\n` +
        `high${i} = max(high${i - 1}, min(high, high${i}));`;
  return `
${each((i) => `var<private> high${i}: f32;\nvar<private> row${i}: u32;`)}
fn beginBest(unused: u32) {
${each((i) => `high${i} = select(LARGEST, FLOOR, ${i}u < unused);`)}
}
fn keepBest(high: f32, row: u32) -> f32 {
let leaving = max(high, high${last});
${each((i) => take(last - i))}
return leaving;
}
fn worstOfBest() -> f32 { return high${last - 1}; }
fn lastOfBest() -> f32 { return high${last}; }
fn writeBest(begin: u32, first: u32, end: u32) {
${each((i) => `if (${i}u >= first && ${i}u < end) { candidates[begin + ${i}u - first] = row${i}; }`)}
}
`;
}
