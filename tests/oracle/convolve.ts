/**
 * Convolution and correlation in float64, by their definitions, one product after the other. Also the sum of
 * the magnitudes of the products, for the bounds of floats.
 */

export interface NaiveOptions {
  readonly mode?: "full" | "same" | "valid";
  readonly boundary?: "constant" | "reflect" | "symmetric" | "edge" | "wrap";
  readonly fill?: number;
}

export function naiveConvolve(
  signal: ArrayLike<number>,
  mask: ArrayLike<number>,
  flip: boolean,
  { mode = "full", boundary = "constant", fill = 0 }: NaiveOptions = {},
): { values: number[]; magnitudes: number[] } {
  const [n, m] = [signal.length, mask.length];
  const lengths = { full: n + m - 1, same: n, valid: Math.abs(n - m) + 1 };
  const begins = { full: 0, same: Math.floor((m - 1) / 2), valid: Math.min(n, m) - 1 };
  const length = n === 0 || m === 0 ? 0 : lengths[mode];
  const result = { values: [] as number[], magnitudes: [] as number[] };
  for (let o = begins[mode]; o < begins[mode] + length; o++) {
    let [value, magnitude] = [0, 0];
    for (let j = 0; j < m; j++) {
      const product = mask[j] * sampleOf(signal, flip ? o - j : o - (m - 1) + j, boundary, fill);
      value += product;
      magnitude += Math.abs(product);
    }
    result.values.push(value);
    result.magnitudes.push(magnitude);
  }
  return result;
}

/** The full convolution of whole numbers, of any size. */
export function exactConvolve(signal: readonly number[], mask: readonly number[]): bigint[] {
  const sums = new Array<bigint>(signal.length + mask.length - 1).fill(0n);
  signal.forEach((x, i) => mask.forEach((w, j) => (sums[i + j] += BigInt(x) * BigInt(w))));
  return sums;
}

/** The sample at a place: a walk that turns round, goes on or stays at the ends until it is inside. */
function sampleOf(signal: ArrayLike<number>, at: number, boundary: string, fill: number): number {
  const last = signal.length - 1;
  while (at < 0 || at > last) {
    if (boundary === "constant") return fill;
    if (boundary === "edge" || last === 0) at = at < 0 ? 0 : last;
    else if (boundary === "wrap") at += at < 0 ? last + 1 : -last - 1;
    else if (boundary === "reflect") at = at < 0 ? -at : 2 * last - at;
    else at = at < 0 ? -1 - at : 2 * last + 1 - at;
  }
  return signal[at];
}
