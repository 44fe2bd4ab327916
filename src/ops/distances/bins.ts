/**
 * This checks the bins that callers ask for, and makes their edges. Which bin a distance is in is said in
 * counting.ts. This is pure.
 */
import { InvalidInputError } from "../../core/errors.ts";
import { evenEdges, MAX_BINS } from "../histogram/index.ts";
import type { Bins } from "./counting.ts";

/**
 * A caller asks for these bins. Without edges and without a range of numbers, the distances decide the range.
 */
export interface BinRequest {
  readonly bins: number;
  readonly edges: Float64Array | undefined;
  readonly range: "query" | "all" | readonly [min: number, max: number];
}

export interface BinOptions {
  readonly bins?: number | undefined;
  readonly edges?: ArrayLike<number> | undefined;
  readonly range?: "query" | "all" | readonly [min: number, max: number] | undefined;
}

/**
 * Returns the request of a caller, once it is checked.
 * @throws InvalidInputError for bins that cannot be
 */
export function binRequest({ bins, edges, range }: BinOptions): BinRequest {
  if ((bins === undefined) === (edges === undefined))
    throw new InvalidInputError("expected either bins, the number of equal bins, or edges");
  if (edges && range !== undefined)
    throw new InvalidInputError("edges and range were given; edges say the range themselves");
  const count = bins ?? edges!.length - 1;
  if (!Number.isInteger(count) || count < 1 || count > MAX_BINS)
    throw new InvalidInputError(`${count} bins; expected a whole number from 1 to ${MAX_BINS}`);
  return { bins: count, edges: edges && checkedEdges(edges), range: checkedRange(range ?? "query", count) };
}

function checkedEdges(edges: ArrayLike<number>): Float64Array {
  const checked = Float64Array.from(edges);
  const at = checked.findIndex((edge, i) => Number.isNaN(edge) || (i > 0 && !(checked[i - 1] < edge)));
  if (at < 0) return checked;
  const before = at > 0 ? `${checked[at - 1]}, ` : "";
  throw new InvalidInputError(
    `edge ${at} breaks the order: ${before}${checked[at]}; expected ascending numbers`,
  );
}

function checkedRange(range: unknown, bins: number): BinRequest["range"] {
  if (range === "query" || range === "all") return range;
  if (!Array.isArray(range) || range.length !== 2 || !range.every(Number.isFinite) || range[0] > range[1])
    throw new InvalidInputError(
      `range is ${JSON.stringify(range)}; expected "query", "all", or two finite numbers in ascending order`,
    );
  const [min, max] = range as [number, number];
  checkWidth(min, max, bins);
  return [min, max];
}

/**
 * Checks that equal bins of a range have edges that float64 holds.
 * @throws InvalidInputError for a range whose edges overflow
 */
export function checkWidth(min: number, max: number, bins: number): void {
  if (Number.isNaN(min) || Number.isFinite((bins - 1) * (max - min))) return;
  throw new InvalidInputError(
    `the range from ${min} to ${max} is too wide for ${bins} bins in float64; choose a smaller one or give edges`,
  );
}

/** Takes the bins of queries [begin, end) out of those of all queries. */
export function binsOfQueries(bins: Bins, begin: number, end: number): Bins {
  if ("edges" in bins) return bins;
  return { bins: bins.bins, min: bins.min.slice(begin, end), max: bins.max.slice(begin, end) };
}

/** Returns the edges of a query, [bins + 1]. */
export function edgesOf(bins: Bins, query: number): Float64Array {
  return "edges" in bins ? bins.edges.slice() : evenEdges(bins.min[query], bins.max[query], bins.bins);
}
