/**
 * Estimates the normals of the surface that points were taken from: of each point's neighbourhood the
 * direction in which it extends least. All after the search is float64 arithmetic of the host.
 */
import { runYielding, type Yielding } from "../../core/async/yielding.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { jacobi } from "../../core/jacobi.ts";
import { exponentOf, twoTo } from "../../core/math.ts";
import type { Matrix, MatrixLike } from "../../core/matrix.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { cloudOptionNames, pointMatrix, withCloud, type CloudOptions } from "./withCloud.ts";

/**
 * `estimateNormals` takes these options.
 * @example
 * const options: NormalsOptions = { k: 3, viewpoint: [0, 0, -5] };
 * const { normals } = await estimateNormals([[0, 0, 0], [1, 0, 0], [0, 1, 0]], options);
 * normals.subarray(0, 3); // => [0, 0, -1]
 */
export interface NormalsOptions extends CloudOptions {
  /**
   * A neighbourhood has this many points, at least the number of columns, at most all; default 30, as in
   * Open3D.
   */
  readonly k?: number | undefined;
  /** Normals point to this place, such as that of the scanner; default none. */
  readonly viewpoint?: ArrayLike<number> | undefined;
}

const normalsNames: OptionNames<NormalsOptions> = { k: 1, viewpoint: 1, ...cloudOptionNames };

/**
 * `estimateNormals` returns this.
 * @example
 * const result: NormalsResult = await estimateNormals([[0, 0], [1, 0], [2, 0]], { k: 3 });
 * const { normals, variations } = result;
 * normals; // => [0, 1, 0, 1, 0, 1]
 * variations; // => [0, 0, 0]
 */
export interface NormalsResult {
  /** They are [points][columns], each of length 1 but for rounding. */
  readonly normals: Float64Array;
  /**
   * Each point has a surface variation: the share of the neighbourhood's variance that lies along the normal,
   * 0 where it is flat, up to 1 / columns.
   */
  readonly variations: Float64Array;
}

/**
 * Estimates a normal for each point: the eigenvector of the least eigenvalue of the covariance of its k
 * nearest points (H. Hoppe et al., Surface Reconstruction from Unorganized Points, 1992), with the surface
 * variation (M. Pauly, M. Gross and L. Kobbelt, Efficient Simplification of Point-Sampled Surfaces, 2002). A
 * point is among its own neighbours. A normal points towards the viewpoint; without a viewpoint, or at right
 * angles to it, its component of the largest magnitude (the first if several tie) is positive.
 *
 * Neighbours are those of float64, and the rest is float64 arithmetic in one order: the result has the same
 * bits on every device. If a neighbourhood lies on a line in space, the normal is one of the directions
 * across it. If all its points coincide, the normal and the variation are NaN.
 *
 * @param points [points, 2 or 3]
 * @throws InvalidInputError for points or options that cannot be used
 * @example
 * const roof = [[0, 0, 0], [1, 0, 1], [0, 1, 0], [1, 1, 1]];
 * const { normals } = await estimateNormals(roof, { k: 4, viewpoint: [0, 0, 9] });
 * [...normals.subarray(0, 3)].map((each) => Number(each.toFixed(4))); // => [-0.7071, 0, 0.7071]
 */
export async function estimateNormals(
  points: MatrixLike,
  options: NormalsOptions = {},
): Promise<NormalsResult> {
  checkOptions(options, "estimateNormals", normalsNames);
  const { k = 30, viewpoint, signal } = options;
  const matrix = await pointMatrix(points, "points", signal);
  const { cols } = matrix;
  if (cols === 1) throw new InvalidInputError("points have 1 column; a normal needs 2 or 3");
  if (k < cols) throw new InvalidInputError(`k is ${k}; expected at least ${cols}, one for each column`);
  if (viewpoint) checkViewpoint(viewpoint, cols);
  const { indices } = await withCloud(matrix, options, (cloud) => cloud.nearest(matrix, { k, signal }));
  return runYielding(normalsOf(matrix, indices, k, viewpoint), signal);
}

function checkViewpoint(viewpoint: ArrayLike<number>, cols: number): void {
  const given = Array.from(viewpoint);
  if (given.length === cols && given.every(Number.isFinite)) return;
  throw new InvalidInputError(
    `viewpoint is ${JSON.stringify(given)}; expected ${cols} finite numbers, one for each column`,
  );
}

const PIECE_POINTS = 64;

function* normalsOf(
  points: Matrix,
  indices: Uint32Array,
  k: number,
  viewpoint: ArrayLike<number> | undefined,
): Yielding<NormalsResult> {
  const { data, rows, cols } = points;
  const normals = new Float64Array(rows * cols).fill(NaN);
  const variations = new Float64Array(rows).fill(NaN);
  for (let point = 0; point < rows; point++) {
    if (point % PIECE_POINTS === 0) yield;
    const moments = momentsOf(points, point, indices.subarray(point * k, (point + 1) * k));
    if (!moments) continue;
    const { values, vectors } = jacobi(moments);
    const normal = vectors[cols - 1];
    const own = data.subarray(point * cols, (point + 1) * cols);
    const sign = signOf(normal, own, viewpoint);
    // Adding 0 leaves no -0.
    for (let j = 0; j < cols; j++) normals[point * cols + j] = sign * normal[j] + 0;
    // Rounding may leave a variance that is 0 on the other side of it.
    variations[point] = Math.max(values[cols - 1], 0) / values.reduce((sum, value) => sum + value, 0);
  }
  return { normals, variations };
}

/**
 * Returns the second moments of neighbours around their mean, times a power of two, row by row; nothing where
 * all of them coincide. Differences to the point itself keep the digits that a cloud far from 0 has.
 */
function momentsOf(
  { data, cols }: Matrix,
  point: number,
  neighbours: Uint32Array,
): readonly Float64Array[] | undefined {
  const k = neighbours.length;
  const from = new Float64Array(k * cols);
  let largest = 0;
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < cols; j++) {
      const difference = data[neighbours[i] * cols + j] - data[point * cols + j];
      from[i * cols + j] = difference;
      largest = Math.max(largest, Math.abs(difference));
    }
  }
  if (largest === 0) return undefined;
  if (largest === Infinity) {
    throw new InvalidInputError(
      `points around row ${point} are too far apart for float64; divide all points by some number`,
    );
  }
  const scale = twoTo(-Math.max(exponentOf(largest), -1000));
  const means = new Float64Array(cols);
  for (let at = 0; at < from.length; at++) means[at % cols] += (from[at] *= scale) / k;
  const moments = Array.from({ length: cols }, () => new Float64Array(cols));
  for (let at = 0; at < from.length; at += cols) {
    for (let a = 0; a < cols; a++) {
      const along = from[at + a] - means[a];
      for (let b = 0; b < cols; b++) moments[a][b] += along * (from[at + b] - means[b]);
    }
  }
  return moments;
}

function signOf(
  normal: Float64Array,
  own: ArrayLike<number>,
  viewpoint: ArrayLike<number> | undefined,
): number {
  const towards = viewpoint ? normal.reduce((sum, each, j) => sum + each * (viewpoint[j] - own[j]), 0) : 0;
  if (towards !== 0) return Math.sign(towards);
  const magnitudes = normal.map(Math.abs);
  const longest = magnitudes.indexOf(Math.max(...magnitudes));
  return Math.sign(normal[longest]);
}
