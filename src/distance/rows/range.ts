/**
 * This module finds what a plan must know of the values of a matrix before it can choose form, centre and
 * scale: how large they are, and whether float32 holds them. It looks at all rows; what a sample says is
 * assumed.ts.
 */
import { assert } from "../../core/errors.ts";
import { INFINITE, largestBits, slicesOf, type ColumnKind, type Matrix } from "../../core/matrix.ts";
import type { Yielding } from "../../core/async/yielding.ts";

/** Rows have this shape before anybody looks at their values. */
export interface RowShape {
  readonly rows: number;
  readonly cols: number;
  readonly kinds?: readonly ColumnKind[] | undefined;
  readonly gaps?: boolean | undefined;
  /** They are float32 as they were given. */
  readonly float32: boolean;
}

/** A plan must know these facts of a matrix to choose form, centre and scale. */
export interface Range {
  /** It is the largest |x - centre|, or |x| without a centre; of bytes the largest that there may be. */
  readonly largest: number;
  /** Every x - centre is a whole number below 2^24, so it is exact in float32. */
  readonly exact: boolean;
  /** Every x is known to be finite. */
  readonly finite?: boolean | undefined;
  /** Every x is a float32, so that a device may prepare the rows. */
  readonly single?: boolean;
  /**
   * Nobody looked at all rows: `largest` is what a sample says, or what a device saw that violated it, and
   * whoever prepares the rows must see whether it holds and whether they are finite.
   */
  readonly assumed?: boolean;
  /** A device saw `largest`, by which rows are not what a sample of others says. */
  readonly seen?: boolean;
  /** It is the smallest |x - centre| that is not 0, for rows with codes or gaps; Infinity where all are. */
  readonly smallest?: number;
  /**
   * No code of a nominal column is larger; these are no part of `largest`, `exact` and `smallest`. By
   * default there are none.
   */
  readonly largestCode?: number;
  /** Each row has at least so many cells that are not missing; default all. */
  readonly fewest?: number;
}

export function rangeOf({ data, cols }: Matrix, centre: Float64Array | undefined): Range {
  if (centre && data instanceof Float32Array) return rangeAround(data, cols, centre);
  const wholeCentre = !centre || centre.every((mean) => Number.isInteger(mean));
  if (data.BYTES_PER_ELEMENT === 1)
    return { largest: largestOfBytes(data instanceof Int8Array, centre), exact: wholeCentre, single: true };
  const largest = largestOf(data, cols, centre);
  const exactFloat = data instanceof Float32Array && !centre;
  const exact = exactFloat || (largest < 2 ** 24 && wholeCentre && isWhole(data));
  return { largest, exact, single: isSingle(data) };
}

/** Returns how large bytes may be, at which nobody need look. */
function largestOfBytes(signed: boolean, centre: ArrayLike<number> = [0]): number {
  const [low, high] = signed ? [-128, 127] : [0, 255];
  return Array.from(centre).reduce((most, mean) => Math.max(most, mean - low, high - mean), 0);
}

/** Does the same for the usual rows, in one pass, which takes half the time of two. */
function rangeAround(data: Float32Array, cols: number, centre: Float64Array): Range {
  let [above, below, rest] = [0, 0, 0];
  for (let begin = 0; begin < data.length; begin += cols) {
    for (let j = 0; j < cols; j++) {
      const x = data[begin + j];
      const away = x - centre[j];
      if (away > above) above = away;
      if (away < below) below = away;
      rest += x - Math.floor(x);
    }
  }
  const largest = Math.max(above, -below);
  // Fractions are never negative, so that their sum is 0 only where all are. NaN and infinities hide it.
  const whole = rest === 0 || (Number.isNaN(rest) && isWhole(data));
  const exact = whole && largest < 2 ** 24 && centre.every((mean) => Number.isInteger(mean));
  return { largest, exact, finite: !Number.isNaN(rest), single: true };
}

/** Applies `of`, such as rangeOf, to all rows, as work that may pause. */
export function* findRange(
  matrix: Matrix,
  centre: Float64Array | undefined,
  of: typeof rangeOf = rangeOf,
): Yielding<Range> {
  let range: Range | undefined;
  for (const slice of slicesOf(matrix)) {
    range = wider(range, of(slice, centre), matrix.cols);
    yield;
  }
  assert(range !== undefined, "a matrix has rows");
  return range;
}

function wider(a: Range | undefined, b: Range, cols: number): Range {
  if (!a) return b;
  return {
    ...b,
    largest: Math.max(a.largest, b.largest),
    smallest: Math.min(a.smallest ?? Infinity, b.smallest ?? Infinity),
    exact: a.exact && b.exact,
    finite: a.finite && b.finite,
    largestCode: Math.max(a.largestCode ?? 0, b.largestCode ?? 0),
    fewest: Math.min(a.fewest ?? cols, b.fewest ?? cols),
  };
}

export function largestOf(data: Matrix["data"], cols: number, centre: Float64Array | undefined): number {
  if (!centre && data instanceof Float32Array) {
    const bits = largestBits(data);
    if (bits <= INFINITE) return new Float32Array(Int32Array.of(bits).buffer)[0];
  }
  let largest = 0;
  for (let begin = 0; begin < data.length; begin += cols) {
    for (let j = 0; j < cols; j++) {
      const x = Math.abs(data[begin + j] - (centre ? centre[j] : 0));
      if (x > largest) largest = x;
    }
  }
  return largest;
}

/** Says whether float32 holds the values of a type. */
export function isSingle(data: Matrix["data"]): boolean {
  return data instanceof Float32Array || data.BYTES_PER_ELEMENT <= 2;
}

export function isWhole(data: Matrix["data"]): boolean {
  if (!(data instanceof Float64Array || data instanceof Float32Array)) return true;
  for (let at = 0; at < data.length; at++)
    if (!Number.isInteger(data[at]) && !Number.isNaN(data[at])) return false;
  return true;
}
