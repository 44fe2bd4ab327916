/**
 * Turns the edges of bins into keys, by which a device compares: u32 in the order of the elements, so that no
 * device divides or rounds to decide. It is pure. The counting is in ops/histogram/histogram.wgsl and
 * ops/histogram/cpu.ts.
 *
 * Float keys order as -Infinity ... -0, +0 ... Infinity; a NaN is outside them. An element d lies in the last
 * bin whose edge is at most d. For an edge e that is the smallest element that is not below e: e rounded up
 * to float32, or the next whole number; for the edge 0 it is -0, since -0 equals 0.
 */
import { bitsOfFloat, KEY_OF_ZERO, keyOfFloat } from "../../core/float/keys.ts";
import { froundUp } from "../../core/math.ts";
import type { ElementType } from "../../runtime/element.ts";
import { RANGE_WORDS } from "./contract.ts";

/**
 * Returns bins + 1 edges: edge i = min + i * (max - min) / bins in that order of operations, the last one
 * max.
 * @example
 * evenEdges(0, 1, 4); // => Float64Array [0, 0.25, 0.5, 0.75, 1]
 */
export function evenEdges(min: number, max: number, bins: number, into = new Float64Array(bins + 1)) {
  for (let i = 0; i < bins; i++) into[i] = min + (i * (max - min)) / bins;
  into[bins] = max;
  return into;
}

/**
 * `GpuPrimitives.histogram` takes edges in this form.
 * @example
 * const { edges, ranges }: BinKeys = binKeys(Float64Array.of(-1, 0, 1), 2, "i32", false);
 * edges; // => [2 ** 31 - 1, 2 ** 31]
 * const [low, high] = ranges; // the keys of -1 and of 1
 * high - low; // => 2
 */
export interface BinKeys {
  /** Lower edges have these keys, [rows][bins]. */
  readonly edges: Uint32Array<ArrayBuffer>;
  /** They are [rows][8]; each row begins with the keys of its first and its last edge. */
  readonly ranges: Uint32Array<ArrayBuffer>;
}

/** One row of `ranges`, in this order; the last three are float32. */
interface BinRange {
  /**
   * They are the keys of the smallest and of the largest element that is in a bin; low > high when there is
   * none.
   */
  readonly low: number;
  readonly high: number;
  /** This many edges are searched: those beyond the largest element of the type are left out. */
  readonly reach: number;
  /**
   * The side to which an element outside belongs when its key does not say: BY_KEY, ALL_BELOW or ALL_ABOVE.
   */
  readonly verdict: number;
  /**
   * The error of a guide: the position of an element among even bins is at most `guard` away from (value -
   * base) * scale for f32, or from (key - low) * scale + base for whole numbers, computed in float32 with a
   * unit roundoff of 2^-23. NO_GUIDE means that the edges are searched.
   */
  readonly guard: number;
  readonly base: number;
  readonly scale: number;
}

const BY_KEY = 0;
export const ALL_BELOW = 1;
export const ALL_ABOVE = 2;

/**
 * The guard of ranges whose edges are searched; guides have a guard below GUIDED, which leaves one edge to
 * compare with.
 */
const NO_GUIDE = 1;
export const GUIDED = 0.25;

/**
 * Returns the contents of the buffers `edges` and `ranges` of `GpuPrimitives.histogram`.
 * @param edges [rows][bins + 1], ascending in every row
 * @param even true for those of evenEdges, which need fewer comparisons
 * @example
 * const { edges, ranges } = binKeys(evenEdges(0, 8, 4), 4, "u32", true);
 * edges; // => Uint32Array [0, 2, 4, 6]
 * ranges.length; // => 8
 */
export function binKeys(edges: Float64Array, bins: number, type: ElementType, even: boolean): BinKeys {
  const rows = edges.length / (bins + 1);
  const keys: BinKeys = {
    edges: new Uint32Array(rows * bins),
    ranges: new Uint32Array(rows * RANGE_WORDS),
  };
  for (let row = 0; row < rows; row++) {
    const own = edges.subarray(row * (bins + 1), (row + 1) * (bins + 1));
    const target = keys.edges.subarray(row * bins, (row + 1) * bins);
    writeRange(keys.ranges, row, rangeOf(own, bins, type, even, target));
  }
  return keys;
}

function rangeOf(
  edges: Float64Array,
  bins: number,
  type: ElementType,
  even: boolean,
  keys: Uint32Array,
): BinRange {
  const [min, max] = [edges[0], edges[bins]];
  const none = { low: 1, high: 0, reach: 0, guard: NO_GUIDE, base: 0, scale: 0 };
  if (Number.isNaN(min)) return { ...none, verdict: BY_KEY };
  if (type !== "f32" && Math.ceil(min) > largest[type]) return { ...none, verdict: ALL_BELOW };
  if (type !== "f32" && Math.floor(max) < smallest[type]) return { ...none, verdict: ALL_ABOVE };
  let reach = 0;
  for (let i = 0; i < bins; i++) {
    if (type !== "f32" && edges[i] > largest[type]) break;
    keys[i] = lowerKey(edges[i], type);
    reach++;
  }
  if (min === max) reach = 1;
  const low = keys[0];
  const guide = even && min < max ? guideOf(min, max, bins, type) : undefined;
  return {
    low,
    high: upperKey(max, type),
    reach,
    verdict: BY_KEY,
    ...(guide ?? { guard: NO_GUIDE, base: 0, scale: 0 }),
  };
}

const smallest = { u32: 0, i32: -(2 ** 31) };
const largest = { u32: 2 ** 32 - 1, i32: 2 ** 31 - 1 };

/** Returns the key of the smallest element that is not below `edge`. */
function lowerKey(edge: number, type: ElementType): number {
  if (type !== "f32") return Math.max(Math.ceil(edge), smallest[type]) - smallest[type];
  const rounded = froundUp(edge);
  return rounded === 0 ? KEY_OF_ZERO : keyOfFloat(bitsOfFloat(rounded));
}

/** Returns the key of the largest element that is not above `edge`. */
function upperKey(edge: number, type: ElementType): number {
  if (type !== "f32") return Math.min(Math.floor(edge), largest[type]) - smallest[type];
  return keyOfFloat(bitsOfFloat(-froundUp(-edge) + 0));
}

/** The largest magnitude at which no step of a guide overflows float32 or depends on subnormal numbers. */
const LARGEST_GUIDED = 2 ** 120;
const STEEPEST_GUIDED = 2 ** 100;

function guideOf(
  min: number,
  max: number,
  bins: number,
  type: ElementType,
): Pick<BinRange, "guard" | "base" | "scale"> | undefined {
  const steep = bins / (max - min);
  if (!(Math.max(Math.abs(min), Math.abs(max)) < LARGEST_GUIDED && steep < STEEPEST_GUIDED)) return undefined;
  const scale = Math.fround(steep);
  const first = type === "f32" ? min : Math.max(Math.ceil(min), smallest[type]);
  const base = Math.fround(type === "f32" ? min : (first - min) * steep);
  const baseError = type === "f32" ? Math.abs(base - min) * steep : Math.abs(base - (first - min) * steep);
  // The guard covers four roundings of a number below bins, twice over; the rounding of the base; that of the
  // edges in float64; and what flushed subnormal numbers lose.
  const edgeError = (Math.abs(min) + Math.abs(max)) * steep * 2 ** -51;
  const guard = Math.fround(bins * 2 ** -20 + 2 * baseError + edgeError + steep * 2 ** -120);
  return guard < GUIDED && scale > 0 ? { guard, base, scale } : undefined;
}

function writeRange(
  ranges: Uint32Array,
  row: number,
  { low, high, reach, verdict, guard, base, scale }: BinRange,
): void {
  const at = row * RANGE_WORDS;
  ranges.set([low, high, reach, verdict], at);
  new Float32Array(ranges.buffer, ranges.byteOffset + (at + 4) * 4, 3).set([guard, base, scale]);
}
