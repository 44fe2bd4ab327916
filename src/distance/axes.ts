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

const ITERATIONS = 2;

/**
 * Finds axes.
 * @param rows float32 [count][stride], centred; entries past the columns zero
 * @param axes how many, at most the columns and the rows
 * @returns float64 [axes][stride], largest variance first
 */
export function principalAxes(rows: Float32Array, stride: number, axes: number): Float64Array {
  const count = rows.length / stride;
  let found: Float64Array = new Float64Array(axes * stride);
  for (let row = 0; row < count; row++) {
    const factor = noise(row);
    for (let j = 0; j < stride; j++) found[(row % axes) * stride + j] += factor * rows[row * stride + j];
  }
  orthonormalise(found, stride);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const along = coordinates(rows, found, stride);
    if (iteration === ITERATIONS - 1) return rotated(found, along, stride);
    found = combined(rows, along, stride);
    orthonormalise(found, stride);
  }
  return found;
}

/** Returns the coordinates of rows along axes, float64 [rows][axes]. */
export function coordinates(rows: Float32Array, axes: Float64Array, stride: number): Float64Array {
  const count = rows.length / stride;
  const width = axes.length / stride;
  const along = new Float64Array(count * width);
  for (let i = 0; i < count; i++) {
    const row = rows.subarray(i * stride, (i + 1) * stride);
    // Four sums side by side take half the time, since each waits for its last addition.
    for (let axis = 0; axis < width; axis += 4) {
      const [p, q, r, s] = fourOf(axis, width, stride);
      let [a, b, c, d] = [0, 0, 0, 0];
      for (let j = 0; j < stride; j++) {
        const x = row[j];
        a += x * axes[p + j];
        b += x * axes[q + j];
        c += x * axes[r + j];
        d += x * axes[s + j];
      }
      along.set([a, b, c, d].slice(0, width - axis), i * width + axis);
    }
  }
  return along;
}

/** Returns for each axis the sum of the rows, each by its factor, float64 [rows][axes]: [axes][stride]. */
function combined(rows: Float32Array, factors: Float64Array, stride: number): Float64Array {
  const count = rows.length / stride;
  const width = factors.length / count;
  const sums = new Float64Array(width * stride);
  for (let i = 0; i < count; i += 4) {
    const [p, q, r, s] = fourOf(i, count, stride);
    for (let axis = 0; axis < width; axis++) {
      const at = axis * stride;
      const [a, b, c, d] = [0, 1, 2, 3].map((next) =>
        i + next < count ? factors[(i + next) * width + axis] : 0,
      );
      for (let j = 0; j < stride; j++) {
        sums[at + j] = sums[at + j] + a * rows[p + j] + b * rows[q + j] + c * rows[r + j] + d * rows[s + j];
      }
    }
  }
  return sums;
}

/** Returns where four rows begin from this one on; the last one stands for those past the end. */
function fourOf(first: number, count: number, stride: number): number[] {
  return [0, 1, 2, 3].map((next) => Math.min(first + next, count - 1) * stride);
}

/**
 * Returns at least the 2-norm of I - A A' (its Frobenius norm, with what its own evaluation may err by). Axes
 * that are zero are none: rows have nothing along them, and all of their length is left to the others or to
 * the rest.
 */
export function defectOf(axes: Float64Array, stride: number): number {
  const count = axes.length / stride;
  let squares = 0;
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < count; b++) {
      let sum = a === b && lengthOf(axes, a * stride, stride) > 0 ? -1 : 0;
      for (let j = 0; j < stride; j++) sum += axes[a * stride + j] * axes[b * stride + j];
      squares += (Math.abs(sum) + 2 * (stride + 2) * 2 ** -53) ** 2;
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
 * Makes rows orthonormal by Gram-Schmidt, every row twice, which leaves a defect of some 1e-15; rows without
 * a direction of their own become zero.
 */
function orthonormalise(axes: Float64Array, stride: number): void {
  for (let at = 0; at < axes.length; at += stride) {
    const before = lengthOf(axes, at, stride);
    for (let pass = 0; pass < 2; pass++) {
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
  const { vectors, order } = eigenvectors(moments(along, count), count);
  const turned = new Float64Array(axes.length);
  order.forEach((vector, at) => {
    for (let axis = 0; axis < count; axis++) {
      const factor = vectors[axis * count + vector];
      for (let j = 0; j < stride; j++) turned[at * stride + j] += factor * axes[axis * stride + j];
    }
  });
  orthonormalise(turned, stride);
  return turned;
}

function moments(along: Float64Array, width: number): Float64Array {
  const sums = new Float64Array(width * width);
  for (let row = 0; row < along.length; row += width) {
    for (let a = 0; a < width; a++) {
      for (let b = 0; b < width; b++) sums[a * width + b] += along[row + a] * along[row + b];
    }
  }
  return sums;
}

const SWEEPS = 6;

/**
 * Finds the eigenvectors of a symmetric matrix [n][n], which it destroys: columns of `vectors`, in `order` of
 * falling eigenvalue.
 */
function eigenvectors(matrix: Float64Array, n: number): { vectors: Float64Array; order: number[] } {
  const vectors = new Float64Array(n * n);
  for (let i = 0; i < n; i++) vectors[i * n + i] = 1;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(matrix, vectors, n, p, q);
  }
  const order = Array.from({ length: n }, (_, i) => i);
  order.sort((a, b) => matrix[b * n + b] - matrix[a * n + a]);
  return { vectors, order };
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
  for (let i = 0; i < n; i++) turn(vectors, i * n + p, i * n + q);
}
