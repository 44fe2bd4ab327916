/**
 * Finds the eigenvalues and eigenvectors of a small symmetric matrix, by cyclic Jacobi rotations in float64.
 */

const MOST_SWEEPS = 60;

/** Returns the eigenvalues, the largest first, and the eigenvector of each. @param matrix its rows */
export function jacobi(matrix: readonly Float64Array[]): {
  readonly values: Float64Array;
  readonly vectors: readonly Float64Array[];
} {
  const size = matrix.length;
  const a = matrix.map((row) => row.slice());
  const turned = a.map((_, at) => Float64Array.from({ length: size }, (__, j) => (at === j ? 1 : 0)));
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let changed = false;
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) changed = rotate(a, turned, p, q) || changed;
    }
    if (!changed) break;
  }
  const order = Array.from({ length: size }, (_, at) => at).sort((x, y) => a[y][y] - a[x][x] || x - y);
  return { values: Float64Array.from(order, (at) => a[at][at]), vectors: order.map((at) => turned[at]) };
}

/** Makes a[p][q] zero, unless it is already nothing beside the diagonal. */
function rotate(a: Float64Array[], turned: Float64Array[], p: number, q: number): boolean {
  const off = a[p][q];
  if (Math.abs(off) <= Number.EPSILON * 0.01 * Math.sqrt(Math.abs(a[p][p] * a[q][q]))) return false;
  const theta = (a[q][q] - a[p][p]) / (2 * off);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < a.length; k++) {
    const [x, y] = [a[k][p], a[k][q]];
    a[k][p] = c * x - s * y;
    a[k][q] = s * x + c * y;
  }
  for (let k = 0; k < a.length; k++) {
    const [x, y] = [a[p][k], a[q][k]];
    a[p][k] = c * x - s * y;
    a[q][k] = s * x + c * y;
    const [v, w] = [turned[p][k], turned[q][k]];
    turned[p][k] = c * v - s * w;
    turned[q][k] = s * v + c * w;
  }
  a[p][q] = a[q][p] = 0;
  return true;
}
