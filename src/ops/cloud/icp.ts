/**
 * Registers one cloud to another by the iterative closest point algorithm, point to point. Neighbours come
 * from a `PointCloud` that stays on the device, the motion from rigid.ts.
 */
import { runYielding, type Yielding } from "../../core/async/yielding.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { Matrix, MatrixLike } from "../../core/matrix.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import type { PointCloud } from "./pointCloud.ts";
import { fitRigid, identity, meansOf, move, type Rigid } from "./rigid.ts";
import { cloudOptionNames, pointMatrix, withCloud, type CloudOptions } from "./withCloud.ts";
import { plural } from "../../core/plural.ts";

/**
 * `icp` takes these options.
 * @example
 * const options: IcpOptions = { maxDistance: 3 };
 * (await icp([[0], [1], [99]], [[2], [3]], options)).pairs; // => 2
 */
export interface IcpOptions extends CloudOptions {
  /** At most this many motions are fitted, at least 1; default 50. */
  readonly maxIterations?: number | undefined;
  /**
   * It ends when the error changes by less than this share of the size of the target, which is the root mean
   * square distance of its points from their mean. The default is 1e-6.
   */
  readonly tolerance?: number | undefined;
  /** Pairs farther apart than this do not count; default no limit. */
  readonly maxDistance?: number | undefined;
  /**
   * Only this share of the points of source, above 0 and at most 1, is paired: those nearest to target, their
   * number rounded down. The default is 1, all of them.
   */
  readonly overlap?: number | undefined;
  /** The motion to begin with, as `transform` of the result; default none. */
  readonly initial?: ArrayLike<number> | undefined;
}

const icpNames: OptionNames<IcpOptions> = {
  ...{ maxIterations: 1, tolerance: 1, maxDistance: 1, overlap: 1, initial: 1 },
  ...cloudOptionNames,
};

/**
 * `icp` returns this.
 * @example
 * const result: IcpResult = await icp([[0, 0], [1, 0]], [[0.25, 0.5], [1.25, 0.5]]);
 * const { transform, error, converged } = result;
 * transform; // => [1, 0, 0.25, 0, 1, 0.5, 0, 0, 1]
 * [error, converged]; // => [0, true]
 */
export interface IcpResult {
  /**
   * It is the rigid motion of source: a row-major matrix [columns + 1][columns + 1], to be multiplied by a
   * column vector of the point followed by 1. Its last column is the translation.
   */
  readonly transform: Float64Array;
  /** It holds the points of source as moved. */
  readonly aligned: Matrix;
  /** It is the root mean square distance of the pairs after the motion. */
  readonly error: number;
  /** The error is over this many pairs. */
  readonly pairs: number;
  /** This many motions were fitted. */
  readonly iterations: number;
  /** It is true if the error changed by no more than the tolerance in the last iteration, or is 0. */
  readonly converged: boolean;
}

/**
 * Finds the rotation and translation that bring source to target: in turns, each point of source is paired
 * with the nearest of target, and the motion is fitted for which the sum of the squared distances of the
 * pairs is least (P. J. Besl and N. D. McKay, A Method for Registration of 3-D Shapes, 1992; closed form of
 * B. K. P. Horn, 1987). It ends when the root mean square distance changes by no more than the tolerance, or
 * is 0. With `maxDistance`, farther pairs do not count; with `overlap` only that share of the nearest does
 * (D. Chetverikov et al., The Trimmed Iterative Closest Point Algorithm, 2002; of equally far pairs the lower
 * point). It finds a local optimum: the clouds should roughly coincide beforehand.
 *
 * Pairs are those of float64, ties to the lower point of target, and the motion is float64 arithmetic in one
 * order: the result has the same bits on every device.
 *
 * @param source [points, 1 to 3]
 * @param target [points, as many columns]
 * @throws InvalidInputError for points or options that cannot be used, and where no pair counts
 * @example
 * const model = [[0, 0], [4, 0], [4, 2], [0, 3]];
 * // The model, turned a little around its corner.
 * const turned = model.map(([x, y]) => [0.96 * x - 0.28 * y, 0.28 * x + 0.96 * y]);
 * const { transform, converged } = await icp(turned, model);
 * [...transform].map((each) => Number(each.toFixed(6)) + 0); // => [0.96, 0.28, 0, -0.28, 0.96, 0, 0, 0, 1]
 * converged; // => true
 */
export async function icp(
  source: MatrixLike,
  target: MatrixLike,
  options: IcpOptions = {},
): Promise<IcpResult> {
  checkOptions(options, "icp", icpNames);
  const { signal } = options;
  const rules = rulesOf(options);
  const [from, to] = [
    await pointMatrix(source, "source", signal),
    await pointMatrix(target, "target", signal),
  ];
  if (from.cols !== to.cols) {
    throw new InvalidInputError(`source has ${plural(from.cols, "column")}, but target has ${to.cols}`);
  }
  const initial = options.initial ? rigidOf(options.initial, from.cols) : identity(from.cols);
  return withCloud(to, options, (cloud) => iterate(from, to, cloud, initial, rules));
}

type IcpRules = Readonly<Record<"maxIterations" | "tolerance" | "maxDistance" | "overlap", number>> &
  Pick<IcpOptions, "signal">;

function rulesOf(options: IcpOptions): IcpRules {
  const { maxIterations = 50, tolerance = 1e-6, maxDistance = Infinity, overlap = 1, signal } = options;
  const check = (name: string, value: unknown, holds: boolean, expected: string) => {
    if (typeof value !== "number" || !holds)
      throw new InvalidInputError(`${name} is ${String(value)}; expected ${expected}`);
  };
  const isCount = Number.isInteger(maxIterations) && maxIterations >= 1;
  check("maxIterations", maxIterations, isCount, "a whole number of at least 1");
  check("tolerance", tolerance, tolerance >= 0, "a number of at least 0");
  check("maxDistance", maxDistance, maxDistance >= 0, "a number of at least 0");
  check("overlap", overlap, overlap > 0 && overlap <= 1, "a number above 0, at most 1");
  return { maxIterations, tolerance, maxDistance, overlap, signal };
}

/** The columns of a rotation given may miss unit length and right angles by at most so much. */
const ROTATION_TOLERANCE = 1e-6;

function rigidOf(given: ArrayLike<number>, cols: number): Rigid {
  const size = cols + 1;
  const numbers = Float64Array.from(given);
  const motion = identity(cols);
  const { rotation, translation } = motion;
  for (let i = 0; i < cols; i++) {
    rotation.set(numbers.subarray(i * size, i * size + cols), i * cols);
    translation[i] = numbers[i * size + cols];
  }
  const last = numbers.subarray(cols * size);
  const isAffine = numbers.length === size * size && last.every((each, j) => each === (j === cols ? 1 : 0));
  if (!isAffine || !numbers.every(Number.isFinite) || !isRotation(rotation, cols)) {
    throw new InvalidInputError(
      `initial is ${JSON.stringify([...numbers])}; expected ${size} x ${size} numbers, row by row: ` +
        "a rotation, in the last column a translation, and a last row of zeros and 1",
    );
  }
  return motion;
}

function isRotation(rotation: Float64Array, cols: number): boolean {
  for (let a = 0; a < cols; a++) {
    for (let b = 0; b <= a; b++) {
      let dot = 0;
      for (let i = 0; i < cols; i++) dot += rotation[i * cols + a] * rotation[i * cols + b];
      if (!(Math.abs(dot - (a === b ? 1 : 0)) <= ROTATION_TOLERANCE)) return false;
    }
  }
  return determinantOf(rotation, cols) > 0;
}

function determinantOf(m: Float64Array, cols: number): number {
  if (cols === 1) return m[0];
  if (cols === 2) return m[0] * m[3] - m[1] * m[2];
  const minor = (a: number, b: number) => m[3 + a] * m[6 + b] - m[3 + b] * m[6 + a];
  return m[0] * minor(1, 2) - m[1] * minor(0, 2) + m[2] * minor(0, 1);
}

async function iterate(
  source: Matrix,
  target: Matrix,
  cloud: PointCloud,
  initial: Rigid,
  rules: IcpRules,
): Promise<IcpResult> {
  const { rows, cols } = source;
  const { signal, maxIterations } = rules;
  const least = rules.tolerance * sizeOf(target);
  const aligned = { data: new Float64Array(rows * cols), rows, cols };
  const pairsAfter = async (motion: Rigid) => {
    move(motion, source.data, aligned.data);
    return runYielding(pairsOf(await cloud.nearest(aligned, { signal }), rules), signal);
  };
  let motion = initial;
  let pairs = await pairsAfter(motion);
  let iterations = 0;
  let converged = pairs.error === 0;
  while (!converged && iterations < maxIterations) {
    motion = await runYielding(fitted(source, target, pairs), signal);
    const before = pairs.error;
    pairs = await pairsAfter(motion);
    iterations++;
    converged = pairs.error === 0 || Math.abs(before - pairs.error) <= least;
  }
  const { error, points } = pairs;
  return { transform: matrixOf(motion), aligned, error, pairs: points.length, iterations, converged };
}

function* fitted(source: Matrix, target: Matrix, { points, partners }: PartnerPairs): Yielding<Rigid> {
  const from = taken(source, points);
  yield;
  const to = taken(target, partners);
  yield;
  return fitRigid(from, to, source.cols);
}

function taken({ data, cols }: Matrix, rows: Uint32Array): Float64Array {
  const into = new Float64Array(rows.length * cols);
  for (let at = 0; at < into.length; at++) into[at] = data[rows[Math.floor(at / cols)] * cols + (at % cols)];
  return into;
}

/** Returns the root mean square distance of the points from their mean. */
function sizeOf({ data, rows, cols }: Matrix): number {
  const means = meansOf(data, cols);
  let sum = 0;
  for (let at = 0; at < data.length; at++) {
    const difference = data[at] - means[at % cols];
    sum += difference * difference;
  }
  return Math.sqrt(sum / rows);
}

interface PartnerPairs {
  readonly points: Uint32Array;
  readonly partners: Uint32Array;
  /** It is the root mean square of their distances. */
  readonly error: number;
}

/** Keeps the pairs that count: those near enough, and of them the nearest. */
function* pairsOf(
  found: { readonly indices: Uint32Array; readonly distances: Float64Array },
  { maxDistance, overlap }: IcpRules,
): Yielding<PartnerPairs> {
  const { indices, distances } = found;
  const most = Math.max(1, Math.floor(overlap * distances.length));
  const near = distances.filter((distance) => distance <= maxDistance).sort();
  if (near.length === 0) {
    throw new InvalidInputError(
      `no point of source lies within maxDistance, ${maxDistance}, of target: the nearest is ` +
        `${distances.reduce((a, b) => Math.min(a, b))} away; choose a larger one, or an initial transform`,
    );
  }
  yield;
  const limit = near[Math.min(most, near.length) - 1];
  let tied = most - near.findLastIndex((distance) => distance < limit) - 1;
  const points = Uint32Array.from(distances.keys()).filter(
    (row) => distances[row] < limit || (distances[row] === limit && tied-- > 0),
  );
  yield;
  const squares = points.reduce((sum, row) => sum + distances[row] * distances[row], 0);
  const error = Math.sqrt(squares / points.length);
  if (error === Infinity) {
    throw new InvalidInputError("squares of distances exceed float64; divide all points by some number");
  }
  return { points, partners: points.map((row) => indices[row]), error };
}

function matrixOf({ rotation, translation }: Rigid): Float64Array {
  const cols = translation.length;
  const matrix = new Float64Array((cols + 1) ** 2);
  for (let i = 0; i < cols; i++) {
    matrix.set(rotation.subarray(i * cols, (i + 1) * cols), i * (cols + 1));
    matrix[i * (cols + 1) + cols] = translation[i];
  }
  matrix[matrix.length - 1] = 1;
  // -0 becomes 0.
  return matrix.map((entry) => entry + 0);
}
