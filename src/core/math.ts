/** These are small helpers for integers and powers of two. Functions such as exp and pow are in float/. */

export function ceilDiv(a: number, b: number): number {
  return Math.ceil(a / b);
}

export interface Span {
  readonly begin: number;
  /** It is the first number that is not in the span any more. */
  readonly end: number;
}

/** Cuts 0 to `count` into spans of `size`, the last of which may be shorter. */
export function spans(count: number, size: number): Span[] {
  return Array.from({ length: ceilDiv(count, size) }, (_, at) => ({
    begin: at * size,
    end: Math.min(count, (at + 1) * size),
  }));
}

/** Returns the smallest multiple of `step` that is at least `value`. */
export function roundUp(value: number, step: number): number {
  return ceilDiv(value, step) * step;
}

/** Returns the largest multiple of `step` that is at most `value`. */
export function roundDown(value: number, step: number): number {
  return Math.floor(value / step) * step;
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/**
 * Returns the binary exponent e with 2^(e-1) <= |x| < 2^e for finite x, and -Infinity for 0. It is exact,
 * which Math.log2 is not.
 */
export function exponentOf(x: number): number {
  const magnitude = Math.abs(x);
  if (magnitude === 0) return -Infinity;
  let exponent = Math.floor(Math.log2(magnitude)) + 1;
  while (twoTo(exponent - 1) > magnitude) exponent--;
  while (exponent <= 1023 && twoTo(exponent) <= magnitude) exponent++;
  return exponent;
}

/** Returns 2^e, exact also among the subnormals; Infinity above 2^1023. */
export function twoTo(e: number): number {
  return e >= -1022 ? 2 ** e : 2 ** -1022 * 2 ** (e + 1022);
}

/** Returns x * 2^e without intermediate overflow or underflow. */
export function scaleByPowerOfTwo(x: number, e: number): number {
  const half = Math.trunc(e / 2);
  return x * twoTo(half) * twoTo(e - half);
}

/** Returns the smallest float32 at or above x. */
export function froundUp(x: number): number {
  const rounded = Math.fround(x);
  if (!(rounded < x)) return rounded;
  bits.float[0] = rounded;
  if (rounded === 0) return 2 ** -149;
  bits.word[0] += rounded > 0 ? 1 : -1;
  return bits.float[0];
}

const bits = (() => {
  const float = new Float32Array(1);
  return { float, word: new Uint32Array(float.buffer) };
})();
