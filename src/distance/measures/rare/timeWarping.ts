/**
 * This is RapidMiner's DynamicTimeWarpingDistance. It is not textbook time warping: it averages the
 * cumulative table along the path back to its origin, which itself is left out.
 */

/**
 * Compares two rows. They are taken without their missing values, each on its own; NaN where one has none
 * left.
 */
export function timeWarping(x: Float64Array, q: Float64Array): number {
  const a = x.filter((value) => !Number.isNaN(value));
  const b = q.filter((value) => !Number.isNaN(value));
  const n = a.length;
  const m = b.length;
  if (n === 0 || m === 0) return NaN;
  const table = cumulativeCosts(a, b);
  if (n === 1 && m === 1) return Math.sqrt(table[0]);
  if (n === 1 || m === 1) return Math.sqrt(table.reduce((sum, cost) => sum + cost, 0)) / Math.max(n, m);
  return averageOfPath(table, n, m);
}

/** Computes the table, row-major [a][b]. */
function cumulativeCosts(a: Float64Array, b: Float64Array): Float64Array {
  const m = b.length;
  const table = new Float64Array(a.length * m);
  for (let at = 0, i = 0; i < a.length; i++) {
    for (let j = 0; j < m; j++, at++) {
      const difference = a[i] - b[j];
      const cost = difference * difference;
      if (at === 0) table[at] = cost;
      else if (j === 0) table[at] = cost + table[at - m];
      else if (i === 0) table[at] = cost + table[at - 1];
      else table[at] = cost + Math.min(table[at - m - 1], table[at - m], table[at - 1]);
    }
  }
  return table;
}

/**
 * Walks back from the last cell until i + j <= 2; among equal predecessors the diagonal, then (i - 1, j),
 * wins.
 */
function averageOfPath(table: Float64Array, n: number, m: number): number {
  let i = n - 1;
  let j = m - 1;
  let total = table[i * m + j];
  let count = 1;
  while (i + j > 2) {
    if (i === 0) j--;
    else if (j === 0) i--;
    else {
      const diagonal = table[(i - 1) * m + j - 1];
      const above = table[(i - 1) * m + j];
      const left = table[i * m + j - 1];
      const least = Math.min(diagonal, above, left);
      if (diagonal === least) {
        i--;
        j--;
      } else if (above === least) i--;
      else j--;
    }
    total += table[i * m + j];
    count++;
  }
  return Math.sqrt(total) / count;
}
