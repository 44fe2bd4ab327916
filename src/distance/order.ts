/**
 * This is the order of neighbours, the core of the exactness contract: by distance (by value, so -0 = +0; NaN
 * last), then by row index. It is not the sort operator's order of float keys, which separates -0 from +0.
 */

/** This index stands where there is no row. */
export const NO_ROW = 0xffffffff;

/** Returns true when neighbour (distance a, index i) comes before (b, j). */
export function comesBefore(a: number, i: number, b: number, j: number): boolean {
  if (a < b) return true;
  if (a > b) return false;
  if (a === b) return i < j;
  const aIsNaN = Number.isNaN(a);
  return aIsNaN === Number.isNaN(b) ? i < j : !aIsNaN;
}
