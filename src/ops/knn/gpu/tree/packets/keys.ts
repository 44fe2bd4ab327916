/**
 * This writes the k best of a query as WGSL, as best.ts does, with one word for each in registers: a key,
 * which is a high end that is rounded up and, in its last bits, the number of the slot that holds its row.
 * Each entry then takes a minimum and a maximum, where one with its row takes a comparison and two selections
 * more. Slots are memory of the lane, since the one that an entry leaves is known by a variable alone.
 */

/**
 * Returns the snippet for lists of `size` entries, which has the functions of `bestSnippet` for lists. High
 * ends that it returns are up to ROUNDED of themselves too high, or, where they are no normal numbers, up to
 * 2^-142. Where there is no entry yet they return a number just below LARGEST. Its globals are LARGEST and
 * candidates.
 */
export function keysSnippet(size: number): string {
  const each = (line: (i: number) => string) => Array.from({ length: size }, (_, i) => line(i)).join("\n");
  const last = size - 1;
  const slotBits = Math.ceil(Math.log2(size));
  // This goes from the last entry to the first, since each is made of itself and the one before it.
  const take = (i: number) =>
    i === 0 ? `key0 = min(key0, key);` : `key${i} = max(key${i - 1}, min(key, key${i}));`;
  const write = (i: number) => `candidates[begin + ${i}u - first] = slots[key${i} & SLOT];`;
  return `
const ROUNDED: f32 = 0x1p${slotBits - 23};
const SLOT: u32 = ${2 ** slotBits - 1}u;
var<private> slots: array<u32, ${size}>;
${each((i) => `var<private> key${i}: u32;`)}
fn beginBest(unused: u32) {
${each((i) => `key${i} = select(bitcast<u32>(LARGEST) & ~SLOT, 0u, ${i}u < unused) | ${i}u;`)}
}
fn keepBest(high: f32, row: u32) -> f32 {
let slot = key${last} & SLOT;
let key = ((bitcast<u32>(high) | SLOT) + 1u) | slot;
if (key < key${last}) { slots[slot] = row; }
let leaving = min(max(key, key${last}), bitcast<u32>(LARGEST));
${each((i) => take(last - i))}
return highOf(leaving);
}
fn highOf(key: u32) -> f32 { return bitcast<f32>(key & ~SLOT); }
fn worstOfBest() -> f32 { return highOf(key${last - 1}); }
fn lastOfBest() -> f32 { return highOf(key${last}); }
fn writeBest(begin: u32, first: u32, end: u32) {
${each((i) => `if (${i}u >= first && ${i}u < end) { ${write(i)} }`)}
}
`;
}
