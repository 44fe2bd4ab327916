/**
 * This module finds a few directions that hold most of what rows differ by: orthonormal axes near the
 * principal components of a sample, and how far from orthonormal rounding has left them. They are no exact
 * eigenvectors: results never depend on the axes, only the time does.
 *
 * The method is subspace iteration, A <- orthonormal(A X'X), from axes drawn at random (Halko, Martinsson and
 * Tropp, Finding structure with randomness, 2011), to one of which each row is added (Clarkson and Woodruff,
 * 2013), then a rotation within the subspace so that leading axes hold most (Rayleigh-Ritz, by Jacobi
 * rotations).
 */

/** Multiplies matrices as `products` does. */
export type Multiply = typeof products;

/**
 * Finds axes.
 * @param rows [count][stride], centred; entries past the columns zero
 * @param axes how many, at most the columns and the rows
 * @param multiply default `products`
 * @returns float64 [axes][stride], largest variance first
 */
export function principalAxes(
  rows: Float64Array,
  stride: number,
  axes: number,
  multiply: Multiply = products,
): Float64Array {
  const count = rows.length / stride;
  const drawn = new Float64Array(axes * stride);
  for (let row = 0; row < count; row++) {
    const factor = noise(row);
    const into = (row % axes) * stride;
    for (let j = 0; j < stride; j++) drawn[into + j] += factor * rows[row * stride + j];
  }
  const first = orthonormal(drawn, stride, 1, multiply);
  const along = transposed(multiply(rows, first, stride), axes);
  const found = orthonormal(multiply(along, transposed(rows, stride), count), stride, 1, multiply);
  return rotated(found, multiply(rows, found, stride), stride, multiply);
}

/** Returns the dot products of rows [count][depth] and others [width][depth], float64 [count][width]. */
export function products(rows: Float64Array, others: Float64Array, depth: number): Float64Array {
  const [count, width] = [rows.length / depth, others.length / depth];
  const found = new Float64Array(count * width);
  for (let i = 0; i < count; i += 2) {
    for (let k = 0; k < width; k += 4) twoByFour(rows, others, depth, i, k, found);
  }
  return found;
}

/**
 * Multiplies two rows by four others, which takes half the time of one by four: each sum waits for its last
 * addition. Past the end the last row is taken again.
 */
function twoByFour(
  rows: Float64Array,
  others: Float64Array,
  depth: number,
  first: number,
  other: number,
  found: Float64Array,
): void {
  const [count, width] = [rows.length / depth, others.length / depth];
  const second = Math.min(first + 1, count - 1);
  const [l, m, n] = [1, 2, 3].map((next) => Math.min(other + next, width - 1));
  const [x, y] = [first * depth, second * depth];
  const [p, q, r, s] = [other * depth, l * depth, m * depth, n * depth];
  let [a, b, c, d] = [0, 0, 0, 0];
  let [e, f, g, h] = [0, 0, 0, 0];
  for (let j = 0; j < depth; j++) {
    const one = rows[x + j];
    const two = rows[y + j];
    a += one * others[p + j];
    b += one * others[q + j];
    c += one * others[r + j];
    d += one * others[s + j];
    e += two * others[p + j];
    f += two * others[q + j];
    g += two * others[r + j];
    h += two * others[s + j];
  }
  const [upper, lower] = [first * width, second * width];
  found[upper + other] = a;
  found[upper + l] = b;
  found[upper + m] = c;
  found[upper + n] = d;
  found[lower + other] = e;
  found[lower + l] = f;
  found[lower + m] = g;
  found[lower + n] = h;
}

/** Returns a matrix [rows][cols] as [cols][rows]. */
function transposed(matrix: Float64Array, cols: number): Float64Array {
  const rows = matrix.length / cols;
  const turned = new Float64Array(matrix.length);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < cols; j++) turned[j * rows + i] = matrix[i * cols + j];
  }
  return turned;
}

/**
 * Returns at least the 2-norm of I - A A' (its Frobenius norm, with what its own evaluation may err by). Axes
 * that are zero are none: rows have nothing along them, and all of their length is left to the others or to
 * the rest.
 */
export function defectOf(axes: Float64Array, stride: number, multiply: Multiply = products): number {
  const count = axes.length / stride;
  const sums = multiply(axes, axes, stride);
  let squares = 0;
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < count; b++) {
      const wanted = a === b && sums[a * count + a] > 0 ? 1 : 0;
      squares += (Math.abs(sums[a * count + b] - wanted) + 2 * (stride + 2) * 2 ** -53) ** 2;
    }
  }
  return Math.sqrt(squares) * (1 + 2 ** -20);
}

/** Returns a number in [-1, 1) that depends on nothing but its place. */
function noise(row: number): number {
  let t = Math.imul(row + 1, 0x9e3779b1);
  t = Math.imul(t ^ (t >>> 15), 0x2c1b3c6d);
  t = Math.imul(t ^ (t >>> 12), 0x297a2d39);
  return ((t ^ (t >>> 15)) | 0) / 2 ** 31;
}

/**
 * Makes rows orthonormal in so many passes, of which two leave a defect of some 1e-15; rows without a
 * direction of their own become zero. Each pass multiplies by the inverse of the Cholesky factor of their
 * products (Yamamoto et al., Roundoff error analysis of the CholeskyQR2 algorithm, 2015).
 */
function orthonormal(axes: Float64Array, stride: number, passes: 1 | 2, multiply: Multiply): Float64Array {
  const count = axes.length / stride;
  for (let pass = 0; pass < passes; pass++) {
    const inverse = inverseRoot(multiply(axes, axes, stride), count);
    axes = multiply(inverse, transposed(axes, stride), count);
  }
  return axes;
}

/** A row of which the rows before it leave less than this share of its square has no direction of its own. */
const LEAST_SHARE = 1e-12;

/** Returns the inverse of the Cholesky factor of a matrix [n][n]; rows that have none are zero. */
function inverseRoot(matrix: Float64Array, n: number): Float64Array {
  const root = new Float64Array(n * n);
  const inverse = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    let square = matrix[i * n + i];
    for (let j = 0; j < i; j++) {
      let rest = matrix[i * n + j];
      for (let k = 0; k < j; k++) rest -= root[i * n + k] * root[j * n + k];
      const factor = root[j * n + j] > 0 ? rest / root[j * n + j] : 0;
      root[i * n + j] = factor;
      square -= factor * factor;
    }
    if (!(square > LEAST_SHARE * matrix[i * n + i])) continue;
    const length = Math.sqrt(square);
    root[i * n + i] = length;
    inverse[i * n + i] = 1 / length;
    for (let j = 0; j < i; j++) {
      for (let k = 0; k <= j; k++) inverse[i * n + k] -= (root[i * n + j] * inverse[j * n + k]) / length;
    }
  }
  return inverse;
}

/** Turns axes within their own span towards the eigenvectors of the coordinates' second moments. */
function rotated(axes: Float64Array, along: Float64Array, stride: number, multiply: Multiply): Float64Array {
  const count = axes.length / stride;
  const columns = transposed(along, count);
  const vectors = eigenvectors(multiply(columns, columns, along.length / count), count);
  return orthonormal(multiply(vectors, transposed(axes, stride), count), stride, 2, multiply);
}

const SWEEPS = 4;

/**
 * Finds nearly the eigenvectors of a symmetric matrix [n][n], which it destroys: the rows of what it returns,
 * in the order of falling eigenvalue.
 */
function eigenvectors(matrix: Float64Array, n: number): Float64Array {
  const vectors = new Float64Array(n * n);
  for (let i = 0; i < n; i++) vectors[i * n + i] = 1;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(matrix, vectors, n, p, q);
  }
  const order = Array.from({ length: n }, (_, i) => i);
  order.sort((a, b) => matrix[b * n + b] - matrix[a * n + a]);
  const sorted = new Float64Array(n * n);
  order.forEach((row, at) => sorted.set(vectors.subarray(row * n, (row + 1) * n), at * n));
  return sorted;
}

/** Does one Jacobi rotation, which makes the entry (p, q) zero. */
function rotate(matrix: Float64Array, vectors: Float64Array, n: number, p: number, q: number): void {
  const pq = matrix[p * n + q];
  if (pq === 0) return;
  const theta = (matrix[q * n + q] - matrix[p * n + p]) / (2 * pq);
  const tangent = Math.sign(theta || 1) / (Math.abs(theta) + Math.hypot(1, theta));
  const cosine = 1 / Math.hypot(1, tangent);
  const sine = tangent * cosine;
  turn(matrix, p, q, n, n, cosine, sine);
  turn(matrix, p * n, q * n, 1, n, cosine, sine);
  turn(vectors, p * n, q * n, 1, n, cosine, sine);
}

/** Turns `count` pairs of numbers, which begin at two places and lie `step` apart. */
function turn(
  target: Float64Array,
  first: number,
  second: number,
  step: number,
  count: number,
  cosine: number,
  sine: number,
): void {
  for (const end = first + count * step; first < end; first += step, second += step) {
    const x = target[first];
    const y = target[second];
    target[first] = cosine * x - sine * y;
    target[second] = sine * x + cosine * y;
  }
}
