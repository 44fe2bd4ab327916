/**
 * This module has the two halves of a float64's bits, which the ports of fdlibm work on. It does no
 * arithmetic.
 */

const view = new DataView(new ArrayBuffer(8));

/** Returns sign, exponent and the upper 20 bits of the mantissa, as a signed integer. */
export function highWord(x: number): number {
  view.setFloat64(0, x);
  return view.getInt32(0);
}

export function withHighWord(x: number, high: number): number {
  view.setFloat64(0, x);
  view.setInt32(0, high);
  return view.getFloat64(0);
}

export function withZeroLowWord(x: number): number {
  view.setFloat64(0, x);
  view.setUint32(4, 0);
  return view.getFloat64(0);
}
