/**
 * A GPU makes values the faster the more queries go together, since tiles that are not full take as long as
 * full ones. This tells how fast so many queries go: by the rate of a job of that width, or by a share that
 * is assumed while none was seen. It is pure.
 */

/** Jobs of at least this many queries, and of fewer than the width before it, share a rate. */
export const widths = [128, 64, 32, 16] as const;

/** Jobs of some widths did this many multiply-adds per second; undefined where none was timed. */
export type WidthRates = readonly (number | undefined)[];

/**
 * These shares of the best are assumed: measured on an H200, 128 columns, where 16 queries take 0.22 ms, 32
 * take 0.32 and 128 take 0.9 with a million references.
 */
const assumed = [1, 0.9, 0.7, 0.5];

/** A job that took less says little of its width: it is mostly latency. */
const LEAST_MS = 5;

/** Returns the place of a number of queries among the widths. */
function placeOf(queries: number): number {
  const at = widths.findIndex((width) => queries >= width);
  return at < 0 ? widths.length - 1 : at;
}

/** Takes over the rate of a job of so many queries. */
export function withRate(rates: WidthRates, queries: number, cost: number, ms: number): WidthRates {
  if (ms < LEAST_MS || queries < widths[widths.length - 1]) return rates;
  const place = placeOf(queries);
  return widths.map((_, at) => (at === place ? cost / (ms / 1000) : rates[at]));
}

/** So many queries are this many times as fast as others. */
export interface Ratio {
  readonly times: number;
  /** Both rates were measured. */
  readonly isMeasured: boolean;
}

/** Compares how fast values are made for two numbers of queries. */
export function compareWidths(rates: WidthRates, queries: number, others: number): Ratio {
  const [one, other] = [placeOf(queries), placeOf(others)];
  const [own, against] = [rates[one], rates[other]];
  const isMeasured = own !== undefined && against !== undefined;
  const times = isMeasured ? own / against : assumed[one] / assumed[other];
  return { times: (times * fullness(queries)) / fullness(others), isMeasured };
}

/** Fewer queries than the least width take as long as that. */
function fullness(queries: number): number {
  return Math.min(1, queries / widths[widths.length - 1]);
}
