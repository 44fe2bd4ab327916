/**
 * Finds the rotation and translation that bring points nearest to their partners, in closed form: in space by
 * the quaternion of B. K. P. Horn (Closed-Form Solution of Absolute Orientation Using Unit Quaternions,
 * 1987), in the plane by the angle. There are no reflections. Float64 is added in one order, so that bits are
 * the same everywhere. Which points are partners is icp.ts's business.
 */
import { jacobi } from "../../core/jacobi.ts";
import { exponentOf, twoTo } from "../../core/math.ts";

/** A rigid motion: x becomes rotation x + translation. */
export interface Rigid {
  /** It is [columns][columns], row by row. */
  readonly rotation: Float64Array;
  readonly translation: Float64Array;
}

export function identity(cols: number): Rigid {
  const rotation = Float64Array.from({ length: cols * cols }, (_, at) => (at % (cols + 1) === 0 ? 1 : 0));
  return { rotation, translation: new Float64Array(cols) };
}

/** Writes the moved points to `target`. @param data [points][columns] */
export function move(
  { rotation, translation }: Rigid,
  data: ArrayLike<number>,
  target: Float64Array,
): Float64Array {
  const cols = translation.length;
  for (let at = 0; at < data.length; at += cols) {
    for (let i = 0; i < cols; i++) {
      let sum = 0;
      for (let j = 0; j < cols; j++) sum += rotation[i * cols + j] * data[at + j];
      target[at + i] = sum + translation[i];
    }
  }
  return target;
}

/**
 * Returns the motion of the first points for which the sum of squared distances to the second ones is least.
 * Where several are as good, as of points on a line or of one point, it is one of them; of one point or of
 * points that coincide it does not turn.
 * @param from [pairs][columns]
 * @param to [pairs][columns]
 */
export function fitRigid(from: Float64Array, to: Float64Array, cols: number): Rigid {
  const [fromMeans, toMeans] = [meansOf(from, cols), meansOf(to, cols)];
  const rotation = rotationBy(productsOf(centred(from, fromMeans), centred(to, toMeans), cols), cols);
  const translation = toMeans.map((mean, i) => {
    let moved = 0;
    for (let j = 0; j < cols; j++) moved += rotation[i * cols + j] * fromMeans[j];
    return mean - moved;
  });
  return { rotation, translation };
}

/** Returns the mean of each column, by differences to the first point: a far cloud keeps its digits. */
export function meansOf(data: ArrayLike<number>, cols: number): Float64Array {
  const sums = new Float64Array(cols);
  for (let at = 0; at < data.length; at++) sums[at % cols] += data[at] - data[at % cols];
  return sums.map((sum, j) => data[j] + sum / (data.length / cols));
}

/** Subtracts the means, and multiplies by a power of two that makes the largest number one below 1. */
function centred(data: Float64Array, means: Float64Array): Float64Array {
  const cols = means.length;
  const around = data.map((value, at) => value - means[at % cols]);
  const largest = around.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest === 0) return around;
  const scale = twoTo(-Math.max(exponentOf(largest), -1000));
  return around.map((value) => value * scale);
}

/** Returns the sums of the products of each column of the first points with each of the second. */
function productsOf(from: Float64Array, to: Float64Array, cols: number): Float64Array {
  const sums = new Float64Array(cols * cols);
  for (let at = 0; at < from.length; at += cols) {
    for (let a = 0; a < cols; a++) {
      for (let b = 0; b < cols; b++) sums[a * cols + b] += from[at + a] * to[at + b];
    }
  }
  return sums;
}

function rotationBy(products: Float64Array, cols: number): Float64Array {
  if (cols === 1) return Float64Array.of(1);
  return cols === 2 ? turnInPlane(products) : turnInSpace(products);
}

function turnInPlane([xx, xy, yx, yy]: Float64Array): Float64Array {
  const [along, across] = [xx + yy, xy - yx];
  const length = Math.sqrt(along * along + across * across);
  if (length === 0) return Float64Array.of(1, 0, 0, 1);
  const [cosine, sine] = [along / length, across / length];
  return Float64Array.of(cosine, -sine, sine, cosine);
}

/** Takes the unit quaternion that is the eigenvector of the largest eigenvalue of Horn's matrix. */
function turnInSpace([xx, xy, xz, yx, yy, yz, zx, zy, zz]: Float64Array): Float64Array {
  const { vectors } = jacobi([
    Float64Array.of(xx + yy + zz, yz - zy, zx - xz, xy - yx),
    Float64Array.of(yz - zy, xx - yy - zz, xy + yx, zx + xz),
    Float64Array.of(zx - xz, xy + yx, yy - xx - zz, yz + zy),
    Float64Array.of(xy - yx, zx + xz, yz + zy, zz - xx - yy),
  ]);
  const [w, x, y, z] = vectors[0];
  return Float64Array.of(
    ...[w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
    ...[2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
    ...[2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
  );
}
