/**
 * Leaves out points that lie on or near others, in one pass over the points in their order. Points that were
 * kept lie in cells as wide as a few tolerances, so that each is compared with those around it alone. It is
 * work of the host: which point is kept depends on all before it.
 */
import { runYielding, type Yielding } from "../../core/async/yielding.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { takeRows, type Matrix, type MatrixLike } from "../../core/matrix.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { checkColumns } from "./pointCloud.ts";
import { pointMatrix } from "./withCloud.ts";

/**
 * `removeDuplicatePoints` takes these options.
 * @example
 * const options: DuplicatePointsOptions = { tolerance: 0.5 };
 * (await removeDuplicatePoints([[0], [0.25], [1]], options)).kept; // => [0, 2]
 */
export interface DuplicatePointsOptions {
  /** A duplicate is at most this far from the point that is kept; default 0, for points that coincide. */
  readonly tolerance?: number | undefined;
  /** Aborts the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const duplicateNames: OptionNames<DuplicatePointsOptions> = { tolerance: 1, signal: 1 };

/**
 * `removeDuplicatePoints` returns this.
 * @example
 * const points = [[0], [5], [0]];
 * const { kept, representatives }: DuplicatePointsResult = await removeDuplicatePoints(points);
 * kept; // => Uint32Array [0, 1]
 * representatives; // => Uint32Array [0, 1, 0]
 */
export interface DuplicatePointsResult {
  /** These points were kept, in their order. */
  readonly points: Matrix;
  /** These rows, ascending, have the points that were kept. */
  readonly kept: Uint32Array;
  /**
   * Each point is represented by the kept point of this row: itself, or the nearest of those kept before it.
   */
  readonly representatives: Uint32Array;
}

/**
 * Goes through the points in their order and keeps each that is farther than the tolerance from all that were
 * kept before it: the first maximal independent set of the points within the tolerance of each other, in the
 * order of the points (S. A. Cook, A Taxonomy of Problems with Fast Parallel Algorithms, 1985). So no two
 * points that are kept are within the tolerance of each other, and each that is left out is within the
 * tolerance of one that is kept. Distances are those of float64; of kept points that are equally near to one
 * left out, the lower represents it. Needs no device.
 *
 * @param points [points, 1 to 3]
 * @throws InvalidInputError for points or options that cannot be used
 * @example
 * const { kept } = await removeDuplicatePoints([[0, 0], [0, 3], [0, 4], [0, 5]], { tolerance: 1 });
 * kept; // => Uint32Array [0, 1, 3]
 */
export async function removeDuplicatePoints(
  points: MatrixLike,
  options: DuplicatePointsOptions = {},
): Promise<DuplicatePointsResult> {
  checkOptions(options, "removeDuplicatePoints", duplicateNames);
  const { tolerance = 0, signal } = options;
  if (typeof tolerance !== "number" || !(tolerance >= 0)) {
    throw new InvalidInputError(`tolerance is ${String(tolerance)}; expected a number of at least 0`);
  }
  signal?.throwIfAborted();
  const matrix = await pointMatrix(points, "points", signal);
  checkColumns(matrix.cols);
  const representatives = await runYielding(representativesOf(matrix, tolerance), signal);
  const kept = Uint32Array.from(representatives.keys()).filter((row) => representatives[row] === row);
  return { points: takeRows(matrix, kept), kept, representatives };
}

/** Squares of differences below this are 0 in float64, and so are distances. */
const LEAST_REACH = 2 ** -536;
const NONE = 0xffffffff;
const PIECE_POINTS = 512;

function* representativesOf({ data, rows, cols }: Matrix, tolerance: number): Yielding<Uint32Array> {
  // No point within the tolerance lies farther along a column, whatever was rounded.
  const reach = Math.max(tolerance * (1 + 2 ** -40), LEAST_REACH);
  const side = 4 * reach;
  const cellOf = (value: number) => Math.floor(value / side);
  const buckets = 2 ** Math.ceil(Math.log2(2 * rows + 1));
  // The last point that was kept in each bucket, and the one before each.
  const lasts = new Uint32Array(buckets).fill(NONE);
  const before = new Uint32Array(rows);
  const representatives = new Uint32Array(rows);
  const own = [0, 0, 0];
  const around: number[][] = [[0], [0], [0]];
  for (let row = 0; row < rows; row++) {
    if (row % PIECE_POINTS === 0) yield;
    const at = row * cols;
    for (let j = 0; j < cols; j++) {
      own[j] = cellOf(data[at + j]);
      const low = cellOf(data[at + j] - reach);
      const high = cellOf(data[at + j] + reach);
      around[j] = [low, own[j], high].filter((cell, i) => i === 1 || cell !== own[j]);
    }
    let nearest = row;
    let least = Infinity;
    for (const x of around[0]) {
      for (const y of around[1]) {
        for (const z of around[2]) {
          for (let other = lasts[bucketOf(x, y, z, buckets)]; other !== NONE; other = before[other]) {
            let sum = 0;
            for (let j = 0; j < cols; j++) {
              const difference = data[at + j] - data[other * cols + j];
              sum += difference * difference;
            }
            const distance = Math.sqrt(sum);
            if (distance > tolerance || distance > least) continue;
            if (distance === least && other > nearest) continue;
            [least, nearest] = [distance, other];
          }
        }
      }
    }
    representatives[row] = nearest;
    if (nearest !== row) continue;
    const bucket = bucketOf(own[0], own[1], own[2], buckets);
    before[row] = lasts[bucket];
    lasts[bucket] = row;
  }
  return representatives;
}

const numbers = new Float64Array(3);
const words = new Uint32Array(numbers.buffer);

/** Returns the bucket of a cell, which it may share with others. */
function bucketOf(x: number, y: number, z: number, buckets: number): number {
  // Adding 0 makes -0 the 0 it equals.
  numbers[0] = x + 0;
  numbers[1] = y + 0;
  numbers[2] = z + 0;
  let hash = 0;
  for (let i = 0; i < 6; i++) {
    hash = Math.imul(hash ^ words[i], 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash & (buckets - 1);
}
