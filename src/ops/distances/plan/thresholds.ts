/**
 * This makes the thresholds of bins whose edges all queries share, as `distances.count` takes them. Where
 * bins are each query's own, the device makes them (gpu/shaders/distances_thresholds.wgsl). A threshold is
 * the least float32 value, and the least float64 rank, whose distance is at or above an edge; the last one is
 * above the last edge. This is pure.
 */
import { bitsOfFloat } from "../../../core/float/keys.ts";
import { froundUp, scaleByPowerOfTwo } from "../../../core/math.ts";
import { thresholdWords } from "../deviceContract.ts";

/**
 * A value becomes a distance in these steps: value * 2^rankExponent is the rank, and its root the distance.
 */
export interface Steps {
  readonly root: boolean;
  readonly rankExponent: number;
}

/** Float32 guesses bins where that errs by a few at most, as in distances_thresholds.wgsl. */
const GUIDED = 2 ** 24;
/** A place among bins has at most this error, as in distances_thresholds.wgsl. */
const GUARD = 2 ** -19;
const NEVER = 0xffffffff;
/** Bins that are not guessed have these words: no place decides. */
const unguided = Uint32Array.of(0, 0, 0, bitsOfFloat(1));

/**
 * Makes the thresholds of shared edges.
 * @param edges [bins + 1], ascending; NaN where there is no distance
 * @param even the edges are equally far apart
 */
export function sharedThresholds(
  edges: Float64Array,
  even: boolean,
  steps: Steps,
  exact: boolean,
): Uint32Array<ArrayBuffer> {
  const bins = edges.length - 1;
  const words = new Uint32Array(thresholdWords(bins, exact));
  if (Number.isNaN(edges[0])) return words.fill(NEVER, 4);
  words.set(even ? guideOf(edges, steps) : unguided);
  const last = rankAt(edges[bins], steps, true);
  const isConstant = edges[0] === edges[bins];
  const ranks = Float64Array.from(edges, (edge, i) => {
    const own = i === bins || (isConstant && i > 0) ? last : rankAt(edge, steps, false);
    return Math.min(own, last);
  });
  words.set(
    Uint32Array.from(ranks, (rank) => keyAt(rank, steps)),
    4,
  );
  if (exact) words.set(new Uint32Array(ranks.buffer), 5 + bins);
  return words;
}

/** Returns the least rank whose distance is at or above an edge, or above it. */
function rankAt(edge: number, { root }: Steps, above: boolean): number {
  if (edge < 0 || (edge === 0 && !above)) return 0;
  const distance = above ? nextFloat64(edge, 1) : edge;
  if (!root || distance === Infinity) return distance;
  let rank = distance * distance;
  while (rank > 0 && Math.sqrt(nextFloat64(rank, -1)) >= distance) rank = nextFloat64(rank, -1);
  while (Math.sqrt(rank) < distance) rank = nextFloat64(rank, 1);
  return rank;
}

/** Returns the key of the least float32 value that is not below a rank, as ordered_key.wgsl has it. */
function keyAt(rank: number, { rankExponent }: Steps): number {
  const value = scaleByPowerOfTwo(rank, -rankExponent);
  const least = rank > 0 ? Math.max(value, 2 ** -149) : 0;
  return (bitsOfFloat(froundUp(least)) | 0x80000000) >>> 0;
}

function guideOf(edges: Float64Array, { root, rankExponent }: Steps): Uint32Array {
  const [min, max] = [edges[0], edges[edges.length - 1]];
  const exponent = root ? -rankExponent / 2 : -rankExponent;
  const [base, most] = [min, max].map((edge) => Math.fround(scaleByPowerOfTwo(edge, exponent)));
  const scale = Math.fround((edges.length - 1) / scaleByPowerOfTwo(max - min, exponent));
  const reach = Math.max(-base, most) * scale;
  const isGuided = max > min && scale < 2 ** 100 && reach < GUIDED;
  if (!isGuided) return unguided;
  return Uint32Array.of(bitsOfFloat(base), bitsOfFloat(scale), 1, bitsOfFloat(GUARD * (reach + 1)));
}

/** Returns the float64 next to a number that is not negative; above the largest one Infinity. */
function nextFloat64(value: number, by: 1 | -1): number {
  if (value === Infinity) return by > 0 ? Infinity : Number.MAX_VALUE;
  const bits = new BigUint64Array(Float64Array.of(value + 0).buffer);
  bits[0] += BigInt(by);
  return new Float64Array(bits.buffer)[0];
}
