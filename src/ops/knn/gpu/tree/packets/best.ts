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
 * High ends are as they were offered: ROUNDED is 0. Its globals are LARGEST, FLOOR and candidates. With
 * `ofResults` entries are in the order of (high, row), `worstRow()` is the row of `worstOfBest()`, and
 * entries go to `distances` and `indices` as which_points makes them.
 */
export function bestSnippet(size: number, ofResults = false): string {
  const each = (line: (i: number) => string) => Array.from({ length: size }, (_, i) => line(i)).join("\n");
  const last = size - 1;
  const isBefore = (i: number) =>
    ofResults ? `((high < high${i}) | ((high == high${i}) & (row < row${i})))` : `high < high${i}`;
  const begin = (i: number) =>
    ofResults
      ? `high${i} = select(farthest(), FLOOR, ${i}u < unused); row${i} = NO_POINT;`
      : `high${i} = select(LARGEST, FLOOR, ${i}u < unused);`;
  const write = (i: number) =>
    ofResults
      ? `indices[begin + ${i}u - first] = row${i}; ` +
        `distances[begin + ${i}u - first] = distanceOf(high${i}, row${i});`
      : `candidates[begin + ${i}u - first] = row${i};`;
  // This goes from the last entry to the first, since each is made of itself and the one before it.
  const take = (i: number) =>
    i === 0
      ? `row0 = select(row0, row, ${isBefore(0)}); high0 = min(high0, high);`
      : `row${i} = select(row${i}, select(row, row${i - 1}, ${isBefore(i - 1)}), ${isBefore(i)});\n` +
        `high${i} = max(high${i - 1}, min(high, high${i}));`;
  return `
const ROUNDED: f32 = 0.0;
${each((i) => `var<private> high${i}: f32;\nvar<private> row${i}: u32;`)}
fn beginBest(unused: u32) {
${each(begin)}
}
fn keepBest(high: f32, row: u32) -> f32 {
let leaving = max(high, high${last});
${each((i) => take(last - i))}
return leaving;
}
fn worstOfBest() -> f32 { return high${last - 1}; }
fn lastOfBest() -> f32 { return high${last}; }
fn worstRow() -> u32 { return row${last - 1}; }
fn writeBest(begin: u32, first: u32, end: u32) {
${each((i) => `if (${i}u >= first && ${i}u < end) { ${write(i)} }`)}
}
`;
}
