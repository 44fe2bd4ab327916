/**
 * This counts, for every query, its distances to the rows of train by bins, exactly: it checks arguments, has
 * the distances counted, and returns a typed result. Which bin a distance is in is said in counting.ts, how
 * blocks of pairs are worked on in exact.ts.
 */
import { checkOptions } from "../../core/options.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { Matrix, MatrixLike } from "../../core/matrix.ts";
import { FittedRows } from "../../distance/fittedRows.ts";
import { resolveMetric } from "../../distance/anyMetric.ts";
import { checkSelf } from "../../distance/rows/self.ts";
import { runYielding } from "../../core/async/yielding.ts";
import { rising } from "../../runtime/execute.ts";
import { withDevice } from "../../runtime/onArrays.ts";
import { overlap } from "../../runtime/arrayArguments.ts";
import { binRequest, type BinRequest } from "./bins.ts";
import { OUTSIDE } from "./contract.ts";
import { countPairs } from "./count.ts";
import { countsBy, givenBins, rangedBins, wholeRange } from "./counts.ts";
import { explainExact, explainGpu } from "./explanation.ts";
import {
  distanceHistogramNames,
  type DistanceHistogramOptions,
  type DistanceHistogramResult,
} from "./options.ts";

/**
 * Counts the distances of each query to all rows of `train` by bins, exactly: each distance is
 * the metric's float64 definition, and its bin the last i with edge i <= distance; the last edge belongs to
 * the last bin. Equal bins have the edges min + i * (max - min) / bins, computed in float64 in that order.
 * Distances outside and NaN are counted separately; an infinite distance is in no bin and sets no range.
 *
 * A GPU counts euclidean distances, their squares, Manhattan and Chebyshev distances of float32 values near
 * the origin, also exactly: pairs whose bin float32 does not decide are evaluated there in float64. With
 * `precision: "float32"` it takes more metrics and rows. Threads of the CPU evaluate all else, even if there
 * is a GPU. This takes much longer; the explanation says why.
 *
 * @param train [rows, cols]
 * @param queries [queries, cols]
 * @throws InvalidInputError for a matrix, bins or options that cannot be used, and for more than 2^32 - 1
 *   counts in all
 * @throws UnavailableError where the options ask for a GPU and there is none
 * @example
 * const { counts, edges } = await distanceHistogram([[0, 0], [3, 4], [6, 8]], [[0, 0]], { bins: 2 });
 * counts; // => Uint32Array [1, 2]
 * edges(0); // => Float64Array [0, 5, 10]
 */
export async function distanceHistogram(
  train: MatrixLike,
  queries: MatrixLike,
  options: DistanceHistogramOptions,
): Promise<DistanceHistogramResult> {
  checkOptions(options, "distanceHistogram", distanceHistogramNames);
  const request = binRequest(options);
  resolveMetric(options);
  return withDevice(options, async (device) => {
    const rows = await FittedRows.create(device, train, options, options.signal);
    try {
      const matrix = await rows.queryMatrix(queries, options.signal);
      return await histogramOf(rows, matrix, request, options);
    } finally {
      rows.dispose();
    }
  });
}

/** A result has at most this many counts. */
export const MAX_COUNTS = 2 ** 32 - 1;

/** Counts the distances of checked queries to fitted rows. */
export async function histogramOf(
  rows: FittedRows,
  queries: Matrix,
  request: BinRequest,
  options: DistanceHistogramOptions,
): Promise<DistanceHistogramResult> {
  const { bins, range } = request;
  const { signal, excludeSelf = false } = options;
  const { train, device } = rows;
  if (excludeSelf) checkSelf(train, queries);
  const start = performance.now();
  const counts = countsFor(options.out, queries.rows, bins, [train, queries]);
  const ranges = new Float64Array(2 * queries.rows);
  const outside = new Uint32Array(OUTSIDE * queries.rows);
  const known = givenBins(request, queries.rows);
  const binsFrom = () => rangedBins(bins, range === "all" ? wholeRange(ranges) : ranges, queries.rows);
  const pairCount = queries.rows * (train.rows - (excludeSelf ? 1 : 0));
  const countOnDevice = async () => {
    const { countOnGpu } = await import("./onGpu.ts");
    const ask = {
      bins,
      range: known ? "known" : range === "all" ? "all" : "query",
      self: excludeSelf ? 0 : undefined,
    } as const;
    const binsOf = () => known ?? binsFrom();
    const count = { queries, ask, bins: binsOf, counts, outside, ranges, tuning: options.tuning ?? {} };
    return countOnGpu(rows, count, { signal, onProgress: options.onProgress });
  };
  const onGpu = device.info.kind === "gpu" ? await countOnDevice() : undefined;
  const byHost = async () => {
    await runYielding(rows.check(), signal);
    const report = rising(options.onProgress);
    const tell = (done: number) => report?.({ phase: "distances", done, total: queries.rows });
    const onShare = (share: number) => {
      const done = Math.floor(share * queries.rows);
      if (done < queries.rows) tell(done);
    };
    tell(0);
    const { executed, inWorkers } = await countPairs(
      rows,
      queries,
      {
        ...{ self: excludeSelf ? 0 : undefined, binCount: bins, known, binsFrom },
        ...{ allTogether: range === "all", counts, outside, ranges, onShare },
      },
      options,
    );
    signal?.throwIfAborted();
    tell(queries.rows);
    return explainExact(device, executed, inWorkers, onGpu?.unsuited, pairCount, start);
  };
  const explanation =
    onGpu && onGpu.unsuited === undefined ? explainGpu(device, onGpu, pairCount, start) : await byHost();
  const final = known ?? binsFrom();
  return {
    ...countsBy(final, { counts, outside, ranges, queries: queries.rows }),
    explanation,
  };
}

/**
 * Returns the array that takes the counts: the caller's, or a new one.
 * @throws InvalidInputError for an array that cannot take the counts
 */
function countsFor(out: unknown, queries: number, bins: number, matrices: readonly Matrix[]): Uint32Array {
  const length = queries * bins;
  if (length > MAX_COUNTS)
    throw new InvalidInputError(
      `${queries} queries of ${bins} bins have more than ${MAX_COUNTS} counts; count some queries at a time, ` +
        "as distanceHistogramStream does",
    );
  if (out === undefined) return new Uint32Array(length);
  if (!(out instanceof Uint32Array) || out.length < length)
    throw new InvalidInputError(
      `out ${out instanceof Uint32Array ? `holds ${out.length} counts` : "is not a Uint32Array"}; expected a Uint32Array ` +
        `of at least ${length}, ${bins} for each of ${queries} queries`,
    );
  if (matrices.some(({ data }) => overlap(out, data)))
    throw new InvalidInputError("out shares memory with train or queries; expected an array of its own");
  return out;
}
