/**
 * These are acos, asin, sin and cos with the same bits on every engine, ported from the algorithms of
 * FreeBSD's msun as fdlibm.ts is (fdlibm 5.3, copyright 1993 Sun Microsystems; free to use with this notice).
 * The error is below 1 ulp. sin and cos take the angles of a globe, at most 2^10; not the huge arguments that
 * need pi to a thousand bits.
 */
import { assert } from "../errors.ts";
import { withZeroLowWord } from "./float64Bits.ts";
import { exponentOf } from "../math.ts";

const HALF_PI = 1.570796326794896558;
const HALF_PI_LOW = 6.12323399573676603587e-17;
const QUARTER_PI = 7.85398163397448278999e-1;

/** Returns (asin(x) - x) / x as a rational function of x^2, for |x| <= 1/2. */
function arcsineRatio(z: number): number {
  const p =
    z *
    (1.66666666666666657415e-1 +
      z *
        (-3.25565818622400915405e-1 +
          z *
            (2.01212532134862925881e-1 +
              z *
                (-4.00555345006794114027e-2 +
                  z * (7.91534994289814532176e-4 + z * 3.4793310759602116757e-5)))));
  const q =
    1 +
    z *
      (-2.40339491173441421878 +
        z * (2.02094576023350569471 + z * (-6.8828397160545329303e-1 + z * 7.70381505559019352791e-2)));
  return p / q;
}

/** Returns the arc cosine, in 0 ... pi; NaN beyond [-1, 1]. */
export function acos(x: number): number {
  if (!(Math.abs(x) <= 1)) return NaN;
  if (x === 1) return 0;
  if (x === -1) return 2 * HALF_PI + 2 * HALF_PI_LOW;
  if (Math.abs(x) < 0.5) {
    if (Math.abs(x) < 2 ** -57) return HALF_PI + HALF_PI_LOW;
    return HALF_PI - (x - (HALF_PI_LOW - x * arcsineRatio(x * x)));
  }
  if (x < 0) {
    const z = (1 + x) * 0.5;
    const s = Math.sqrt(z);
    return 2 * HALF_PI - 2 * (s + (arcsineRatio(z) * s - HALF_PI_LOW));
  }
  const z = (1 - x) * 0.5;
  const s = Math.sqrt(z);
  const high = withZeroLowWord(s);
  const low = (z - high * high) / (s + high);
  return 2 * (high + (arcsineRatio(z) * s + low));
}

/** Returns the arc sine, in -pi/2 ... pi/2; NaN beyond [-1, 1]. */
export function asin(x: number): number {
  const magnitude = Math.abs(x);
  if (!(magnitude <= 1)) return NaN;
  if (magnitude === 1) return x * HALF_PI + x * HALF_PI_LOW;
  if (magnitude < 0.5) return magnitude < 2 ** -26 ? x : x + x * arcsineRatio(x * x);
  const z = (1 - magnitude) * 0.5;
  const ratio = arcsineRatio(z);
  const s = Math.sqrt(z);
  let angle: number;
  if (magnitude >= 0.975) {
    angle = HALF_PI - (2 * (s + s * ratio) - HALF_PI_LOW);
  } else {
    const high = withZeroLowWord(s);
    const low = (z - high * high) / (s + high);
    const p = 2 * s * ratio - (HALF_PI_LOW - 2 * low);
    angle = QUARTER_PI - (p - (QUARTER_PI - 2 * high));
  }
  return x < 0 ? -angle : angle;
}

export function sin(x: number): number {
  const { quadrant, high, low } = reduce(x);
  const y = quadrant % 2 === 0 ? sineKernel(high, low) : cosineKernel(high, low);
  return quadrant < 2 ? y : -y;
}

export function cos(x: number): number {
  const { quadrant, high, low } = reduce(x);
  const y = quadrant % 2 === 0 ? cosineKernel(high, low) : sineKernel(high, low);
  return quadrant === 1 || quadrant === 2 ? -y : y;
}

// pi/2 in three parts of 33 bits, each with what is left after it.
const PARTS = [1.57079632673412561417, 6.0771005063039659766e-11, 2.0222662487111664558e-21];
const RESTS = [6.07710050650619224932e-11, 2.02226624879595063154e-21, 8.47842766036889956997e-32];

/** Returns x less a multiple of pi/2, as high + low, and which multiple, modulo 4. */
function reduce(x: number): { quadrant: number; high: number; low: number } {
  assert(!(Math.abs(x) > 2 ** 10), `${x} is no angle on a globe`);
  if (!(Math.abs(x) > QUARTER_PI)) return { quadrant: 0, high: x, low: 0 };
  const n = Math.trunc(Math.abs(x) * (2 / Math.PI) + 0.5);
  let r = Math.abs(x) - n * PARTS[0];
  let w = n * RESTS[0];
  for (let part = 1; part < 3 && lostBits(x, r - w) > (part === 1 ? 16 : 49); part++) {
    const before = r;
    w = n * PARTS[part];
    r = before - w;
    w = n * RESTS[part] - (before - r - w);
  }
  const high = r - w;
  const low = r - high - w;
  return x < 0 ? { quadrant: (4 - (n % 4)) % 4, high: -high, low: -low } : { quadrant: n % 4, high, low };
}

function lostBits(before: number, after: number): number {
  return exponentOf(before) - exponentOf(after);
}

/** Returns sin(x + low) for |x| <= pi/4. */
function sineKernel(x: number, low: number): number {
  if (Math.abs(x) < 2 ** -27) return x;
  const z = x * x;
  const v = z * x;
  const r =
    8.33333333332248946124e-3 +
    z *
      (-1.98412698298579493134e-4 +
        z * (2.75573137070700676789e-6 + z * (-2.50507602534068634195e-8 + z * 1.58969099521155010221e-10)));
  return x - (z * (0.5 * low - v * r) - low - v * -1.66666666666666324348e-1);
}

/** Returns cos(x + low) for |x| <= pi/4. */
function cosineKernel(x: number, low: number): number {
  const z = x * x;
  const r =
    z *
    (4.16666666666666019037e-2 +
      z *
        (-1.38888888888741095749e-3 +
          z *
            (2.48015872894767294178e-5 +
              z *
                (-2.75573143513906633035e-7 +
                  z * (2.0875723212981748279e-9 + z * -1.13596475577881948265e-11)))));
  const half = 0.5 * z;
  const w = 1 - half;
  return w + (1 - w - half + (z * r - x * low));
}
