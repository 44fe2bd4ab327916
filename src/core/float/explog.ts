/**
 * These are exp and log with the same bits on every engine, ported from the algorithms of FreeBSD's msun as
 * fdlibm.ts is (fdlibm 5.3, copyright 1993 Sun Microsystems; free to use with this notice). The error is
 * below 1 ulp.
 */
import { highWord, withHighWord } from "./float64Bits.ts";
import { twoTo } from "../math.ts";

const LN2_HIGH = 6.9314718036912381649e-1;
const LN2_LOW = 1.90821492927058770002e-10;
const INV_LN2 = 1.442695040888963387;

const OVERFLOW = 7.09782712893383973096e2;
const UNDERFLOW = -7.4513321910194110842e2;

// x - x^2 (P1 + ...) approximates x (e^x + 1) / (e^x - 1).
const P1 = 1.66666666666666019037e-1;
const P2 = -2.77777777770155933842e-3;
const P3 = 6.61375632143793436117e-5;
const P4 = -1.6533902205465251539e-6;
const P5 = 4.13813679705723846039e-8;

/** Returns e^x, as fdlibm's e_exp does. */
export function exp(x: number): number {
  if (Number.isNaN(x) || x > OVERFLOW) return x > 0 ? Infinity : NaN;
  if (x < UNDERFLOW) return 0;
  const magnitude = Math.abs(x);
  if (magnitude < 2 ** -28) return 1 + x;
  const n = magnitude > 0.5 * Math.LN2 ? Math.trunc(INV_LN2 * x + (x < 0 ? -0.5 : 0.5)) : 0;
  const high = x - n * LN2_HIGH;
  const low = n * LN2_LOW;
  const r = high - low;
  const t = r * r;
  const c = r - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))));
  const y = 1 - (low - (r * c) / (2 - c) - high);
  if (n === 1024) return y * 2 * 2 ** 1023;
  return n >= -1021 ? y * 2 ** n : y * twoTo(n + 1000) * 2 ** -1000;
}

// (log(1 + f) - log(1 - f)) / f - 2 in powers of s^2, s = f / (2 + f).
const G1 = 6.66666666666673513e-1;
const G2 = 3.999999999940941908e-1;
const G3 = 2.857142874366239149e-1;
const G4 = 2.222219843214978396e-1;
const G5 = 1.818357216161805012e-1;
const G6 = 1.531383769920937332e-1;
const G7 = 1.479819860511658591e-1;

/** Returns the natural logarithm, as fdlibm's e_log does: -Infinity of 0, NaN below. */
export function log(value: number): number {
  if (!(value > 0)) return value === 0 ? -Infinity : NaN;
  if (value === Infinity) return Infinity;
  let n = 0;
  let x = value;
  if (x < 2 ** -1022) {
    n = -54;
    x *= 2 ** 54;
  }
  n += (highWord(x) >> 20) - 1023;
  const mantissa = highWord(x) & 0x000fffff;
  // From above sqrt(2) on half of x is nearer to 1.
  const half = (mantissa + 0x95f64) & 0x100000;
  x = withHighWord(x, mantissa | (half ^ 0x3ff00000));
  n += half >> 20;
  const f = x - 1;
  if ((0x000fffff & (2 + mantissa)) < 3) {
    const rest = f * f * (0.5 - 0.33333333333333333 * f);
    return n === 0 ? f - rest : n * LN2_HIGH - (rest - n * LN2_LOW - f);
  }
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const even = w * (G2 + w * (G4 + w * G6));
  const odd = z * (G1 + w * (G3 + w * (G5 + w * G7)));
  const r = odd + even;
  if (((mantissa - 0x6147a) | (0x6b851 - mantissa)) > 0) {
    const square = 0.5 * f * f;
    if (n === 0) return f - (square - s * (square + r));
    return n * LN2_HIGH - (square - (s * (square + r) + n * LN2_LOW) - f);
  }
  if (n === 0) return f - s * (f - r);
  return n * LN2_HIGH - (s * (f - r) - n * LN2_LOW - f);
}
