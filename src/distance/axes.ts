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

/**
 * Finds axes.
 * @param rows [count][stride], centred; entries past the columns zero
 * @param axes how many, at most the columns and the rows
 * @returns float64 [axes][stride], largest variance first
 */
export function principalAxes(rows: Float64Array, stride: number, axes: number): Float64Array {
  const count = rows.length / stride;
  const drawn = new Float64Array(axes * stride);
  for (let row = 0; row < count; row++) {
    const factor = noise(row);
    const into = (row % axes) * stride;
    for (let j = 0; j < stride; j++) drawn[into + j] += factor * rows[row * stride + j];
  }
  orthonormalise(drawn, stride, 1);
  const along = transposed(products(rows, drawn, stride), axes);
  const found = products(along, transposed(rows, stride), count);
  orthonormalise(found, stride, 1);
  return rotated(found, products(rows, found, stride), stride);
}

/** Returns the dot products of rows [count][depth] and others [width][depth], float64 [count][width]. */
export function products(rows: Float64Array, others: Float64Array, depth: number): Float64Array {
  const [count, width] = [rows.length / depth, others.length / depth];
  const found = new Float64Array(count * width);
  for (let i = 0; i < count; i += 2) {
    for (let k = 0; k < width; k += 4) multiply(rows, others, depth, i, k, found);
  }
  return found;
}

/**
 * Multiplies two rows by four others, which takes half the time of one by four: each sum waits for its last
 * addition. Past the end the last row is taken again.
 */
function multiply(
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
export function defectOf(axes: Float64Array, stride: number): number {
  const count = axes.length / stride;
  const sums = products(axes, axes, stride);
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
 * Makes rows orthonormal by Gram-Schmidt in so many passes, of which two leave a defect of some 1e-15; rows
 * without a direction of their own become zero.
 */
function orthonormalise(axes: Float64Array, stride: number, passes: 1 | 2): void {
  for (let at = 0; at < axes.length; at += stride) {
    const before = lengthOf(axes, at, stride);
    for (let pass = 0; pass < passes; pass++) {
      for (let other = 0; other < at; other += stride) {
        let dot = 0;
        for (let j = 0; j < stride; j++) dot += axes[at + j] * axes[other + j];
        for (let j = 0; j < stride; j++) axes[at + j] -= dot * axes[other + j];
      }
    }
    const length = lengthOf(axes, at, stride);
    const factor = length > before * 1e-6 ? 1 / length : 0;
    for (let j = 0; j < stride; j++) axes[at + j] *= factor;
  }
}

function lengthOf(rows: Float64Array, at: number, stride: number): number {
  let sum = 0;
  for (let j = 0; j < stride; j++) sum += rows[at + j] ** 2;
  return Math.sqrt(sum);
}

/** Turns axes within their own span towards the eigenvectors of the coordinates' second moments. */
function rotated(axes: Float64Array, along: Float64Array, stride: number): Float64Array {
  const count = axes.length / stride;
  const columns = transposed(along, count);
  const vectors = eigenvectors(products(columns, columns, along.length / count), count);
  const turned = products(vectors, transposed(axes, stride), count);
  orthonormalise(turned, stride, 2);
  return turned;
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
  const turn = (target: Float64Array, first: number, second: number) => {
    const [x, y] = [target[first], target[second]];
    target[first] = cosine * x - sine * y;
    target[second] = sine * x + cosine * y;
  };
  for (let i = 0; i < n; i++) turn(matrix, i * n + p, i * n + q);
  for (let i = 0; i < n; i++) turn(matrix, p * n + i, q * n + i);
  for (let i = 0; i < n; i++) turn(vectors, p * n + i, q * n + i);
}
