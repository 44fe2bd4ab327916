/**
 * These are powers with the same bits on every engine: Math.pow differs between engines in the last place,
 * and a distance must not. They are ported from the algorithms of FreeBSD's msun (fdlibm 5.3, copyright 1993
 * Sun Microsystems; free to use with this notice). The error is below 0.70 ulp, of the powers 3 and 4 below
 * 1.5. Not here: exp and log (explog.ts), angles (trigonometry.ts), square root, which IEEE 754 makes exact
 * everywhere.
 */
import { highWord, withHighWord, withZeroLowWord } from "./float64Bits.ts";

/**
 * Returns x^y for x >= 0 and finite y, as fdlibm's e_pow does, and NaN for anything else. Small whole powers
 * are products.
 */
export function pow(x: number, y: number): number {
  if (!(x >= 0) || !Number.isFinite(y)) return NaN;
  if (y === 0 || x === 1) return 1;
  if (y === 1) return x;
  if (y === -1) return 1 / x;
  if (y === 2) return x * x;
  if (y === 3) return x * x * x;
  if (y === 4) return x * x * (x * x);
  if (y === 0.5) return Math.sqrt(x);
  if (y === -0.5) return 1 / Math.sqrt(x);
  if (x === 0 || x === Infinity) return y > 0 ? x : x === 0 ? Infinity : 0;
  if (Math.abs(y) > 2 ** 31) return powHuge(x, y);
  const { high, low } = log2Parts(x);
  return exp2Product(high, low, y);
}

const INV_LN2 = 1.442695040888963387;
const INV_LN2_HIGH = 1.44269502162933349609;
const INV_LN2_LOW = 1.92596299112661746887e-8;

/** Returns powers for exponents beyond 2^31: only bases within 2^-20 of 1 neither overflow nor vanish. */
function powHuge(x: number, y: number): number {
  const word = highWord(x);
  const [least, most] = Math.abs(y) > 2 ** 64 ? [0x3ff00000, 0x3fefffff] : [0x3fefffff, 0x3ff00000];
  if (word < least) return y < 0 ? Infinity : 0;
  if (word > most) return y > 0 ? Infinity : 0;
  const t = x - 1;
  const w = t * t * (0.5 - t * (0.3333333333333333 - t * 0.25));
  const u = INV_LN2_HIGH * t;
  const v = t * INV_LN2_LOW - w * INV_LN2;
  const high = withZeroLowWord(u + v);
  return exp2Product(high, v - (high - u), y);
}

// log2(1.5) split in two, for the two reference points 1 and 1.5.
const REFERENCE = [1, 1.5];
const LOG_HIGH = [0, 5.84962487220764160156e-1];
const LOG_LOW = [0, 1.35003920212974897128e-8];

// (3/2) * (log(x) - 2s - 2/3 s^3), s = (x - 1) / (x + 1).
const L1 = 5.99999999999994648725e-1;
const L2 = 4.28571428578550184252e-1;
const L3 = 3.33333329818377432918e-1;
const L4 = 2.72728123808534006489e-1;
const L5 = 2.30660745775561754067e-1;
const L6 = 2.06975017800338417784e-1;

const CP = 9.61796693925975554329e-1; // 2 / (3 ln 2)
const CP_HIGH = 9.61796700954437255859e-1;
const CP_LOW = -7.02846165095275826516e-9;

/** Returns log2(x) as high + low, good to about 2^-70. */
function log2Parts(value: number): { high: number; low: number } {
  let x = value;
  let exponent = 0;
  if (x < 2 ** -1022) {
    x *= 2 ** 53;
    exponent -= 53;
  }
  const word = highWord(x);
  exponent += (word >> 20) - 0x3ff;
  const mantissa = word & 0x000fffff;
  let reduced = mantissa | 0x3ff00000;
  let k = 0;
  if (mantissa > 0x3988e) {
    if (mantissa < 0xbb67a) k = 1;
    else {
      exponent += 1;
      reduced -= 0x00100000;
    }
  }
  x = withHighWord(x, reduced);

  const reference = REFERENCE[k];
  const u = x - reference;
  const v = 1 / (x + reference);
  const s = u * v;
  const sHigh = withZeroLowWord(s);
  const tHigh = withHighWord(0, ((reduced >> 1) | 0x20000000) + 0x00080000 + (k << 18));
  const tLow = x - (tHigh - reference);
  const sLow = v * (u - sHigh * tHigh - sHigh * tLow);
  const s2 = s * s;
  let r = s2 * s2 * (L1 + s2 * (L2 + s2 * (L3 + s2 * (L4 + s2 * (L5 + s2 * L6)))));
  r += sLow * (sHigh + s);
  const sHigh2 = sHigh * sHigh;
  const cubeHigh = withZeroLowWord(3 + sHigh2 + r);
  const cubeLow = r - (cubeHigh - 3 - sHigh2);
  const a = sHigh * cubeHigh;
  const b = sLow * cubeHigh + cubeLow * s;
  const pHigh = withZeroLowWord(a + b);
  const pLow = b - (pHigh - a);
  const zHigh = CP_HIGH * pHigh;
  const zLow = CP_LOW * pHigh + pLow * CP + LOG_LOW[k];
  const high = withZeroLowWord(zHigh + zLow + LOG_HIGH[k] + exponent);
  return { high, low: zLow - (high - exponent - LOG_HIGH[k] - zHigh) };
}

// x - x^2 (P1 + ...) approximates x (e^x + 1) / (e^x - 1).
const P1 = 1.66666666666666019037e-1;
const P2 = -2.77777777770155933842e-3;
const P3 = 6.61375632143793436117e-5;
const P4 = -1.6533902205465251539e-6;
const P5 = 4.13813679705723846039e-8;

const LN2 = 6.93147180559945286227e-1;
const LN2_HIGH = 6.93147182464599609375e-1;
const LN2_LOW = -1.90465429995776804525e-9;
const OVERFLOW_SLACK = 8.0085662595372944372e-17; // -(1024 - log2(overflow + half an ulp))

/** Returns 2^(y * (high + low)). */
function exp2Product(high: number, low: number, y: number): number {
  const yHigh = withZeroLowWord(y);
  const pLow = (y - yHigh) * high + y * low;
  let pHigh = yHigh * high;
  const z = pLow + pHigh;
  if (z >= 1024 && (z > 1024 || pLow + OVERFLOW_SLACK > z - pHigh)) return Infinity;
  if (z <= -1075 && (z < -1075 || pLow <= z - pHigh)) return 0;

  let n = 0;
  if (Math.abs(z) > 0.5) {
    n = roundToInteger(z);
    pHigh -= n;
  }
  const t = withZeroLowWord(pLow + pHigh);
  const u = t * LN2_HIGH;
  const v = (pLow - (t - pHigh)) * LN2 + t * LN2_LOW;
  const w = u + v;
  const remainder = v - (w - u);
  const w2 = w * w;
  const t1 = w - w2 * (P1 + w2 * (P2 + w2 * (P3 + w2 * (P4 + w2 * P5))));
  const r = (w * t1) / (t1 - 2) - (remainder + w * remainder);
  return scale(1 - (r - w), n);
}

/** Returns the nearest integer, halves away from zero; fdlibm reaches it through the bits. */
function roundToInteger(z: number): number {
  return z < 0 ? -Math.floor(-z + 0.5) : Math.floor(z + 0.5);
}

/** Returns x * 2^n for x near 1: the one rounding of a subnormal result happens in the last product. */
function scale(x: number, n: number): number {
  if (n < -1021) return x * 2 ** (n + 54 < -1021 ? -1021 : n + 54) * scaleRest(n);
  if (n > 1023) return x * 2 ** (n - 1) * 2;
  return x * 2 ** n;
}

function scaleRest(n: number): number {
  return n + 54 < -1021 ? 2 ** (n + 1021) : 2 ** -54;
}
