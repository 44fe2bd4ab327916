/**
 * Counts, for every query, its distances to the rows of train by bins, exactly: checks arguments, has the
 * distances counted, returns a typed result. Which bin a distance is in is said in bins.ts, how blocks of
 * pairs are worked on in exact.ts.
 */
import { checkOptions } from "../../core/options.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { Matrix, MatrixLike } from "../../core/matrix.ts";
import { currentPlatform } from "../../core/platform.ts";
import { FittedRows } from "../../distance/fittedRows.ts";
import { resolveMetric } from "../../distance/metric.ts";
import { checkSelf } from "../../distance/rows/self.ts";
import { runYielding } from "../../core/async/yielding.ts";
import { isShareable } from "../../distance/exact/allPairs.ts";
import { rising } from "../../runtime/execute.ts";
import { withDevice } from "../../runtime/onArrays.ts";
import { overlap } from "../../runtime/arrayArguments.ts";
import { binRequest, checkWidth, edgesOf, type BinRequest } from "./bins.ts";
import type { Bins } from "./counting.ts";
import { OUTSIDE } from "./contract.ts";
import { countExactly, type ExactCount } from "./exact.ts";
import { explainExact, explainGpu } from "./explanation.ts";
import {
  distanceHistogramNames,
  type DistanceHistogramOptions,
  type DistanceHistogramResult,
} from "./options.ts";
import { mergeRange } from "./cpu.ts";

/**
 * Counts the distances of each query to all rows of `train` by bins, exactly: each distance is
 * the metric's float64 definition, and its bin the last i with edge i <= distance; the last edge belongs to
 * the last bin. Equal bins have the edges min + i * (max - min) / bins, computed in float64 in that order.
 * Distances outside and NaN are counted separately; an infinite distance is in no bin and sets no range.
 *
 * A GPU counts euclidean distances and their squares of float32 values near the origin, also exactly: pairs
 * whose bin float32 does not decide are evaluated there in float64. With `precision: "float32"` it takes more
 * metrics and rows. All else is evaluated by threads of the CPU, also beside a GPU, which takes much longer;
 * the explanation says why.
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

/** The most counts of a result. */
const MAX_COUNTS = 2 ** 32 - 1;

/** Counts the distances of checked queries to fitted rows. */
export async function histogramOf(
  rows: FittedRows,
  queries: Matrix,
  request: BinRequest,
  options: DistanceHistogramOptions,
): Promise<DistanceHistogramResult> {
  const { bins, edges, range } = request;
  const { signal, excludeSelf = false } = options;
  const { train, device } = rows;
  if (excludeSelf) checkSelf(train, queries);
  const start = performance.now();
  const counts = countsFor(options.out, queries.rows, bins, [train, queries]);
  const ranges = new Float64Array(2 * queries.rows);
  const outside = new Uint32Array(OUTSIDE * queries.rows);
  const evenBins = (of: (query: number) => readonly [number, number]): Bins => {
    const all = Array.from({ length: queries.rows }, (_, query) => of(query));
    const [min, max] = [0, 1].map((at) => Float64Array.from(all, (range) => range[at]));
    return { bins, min, max };
  };
  const rangeOf = (query: number) => [ranges[2 * query], ranges[2 * query + 1]] as const;
  const binsFrom = (): Bins => {
    const whole = range === "all" ? wholeRange(ranges) : undefined;
    const found = evenBins((query) => whole ?? rangeOf(query));
    for (let query = 0; query < queries.rows; query++) {
      const [min, max] = whole ?? rangeOf(query);
      checkWidth(min, max, bins);
    }
    return found;
  };
  const isGiven = range !== "query" && range !== "all";
  const known = edges ? { edges } : isGiven ? evenBins(() => range) : undefined;
  const pairCount = queries.rows * (train.rows - (excludeSelf ? 1 : 0));
  const countOnDevice = async () => {
    const { countOnGpu } = await import("./onGpu.ts");
    const ask = {
      bins,
      range: known ? "known" : range === "all" ? "all" : "query",
      withoutSelf: excludeSelf,
    } as const;
    const sharedBins = () => known ?? binsFrom();
    const count = { queries, ask, sharedBins, counts, outside, ranges, tuning: options.tuning ?? {} };
    return countOnGpu(rows, count, { signal, onProgress: options.onProgress });
  };
  const onGpu = device.info.kind === "gpu" ? await countOnDevice() : undefined;
  const byHost = async () => {
    await runYielding(rows.check(), signal);
    const report = rising(options.onProgress);
    const tell = (done: number) => report?.({ phase: "distances", done, total: queries.rows });
    const count: ExactCount = {
      rows: {
        options: pickMetric(options),
        fitted: { ...rows.fittedFor(queries), whitening: undefined },
        train,
        queries,
      },
      ...{ withoutSelf: excludeSelf, binCount: bins, known, binsFrom, allTogether: range === "all" },
      ...{ counts, outside, ranges, signal, tuning: options.tuning ?? {} },
      budget:
        device.info.kind === "cpu" ? device.info.budgetBytes : (options.memory ?? currentPlatform().memory),
      onShare: (share) => {
        const done = Math.floor(share * queries.rows);
        if (done < queries.rows) tell(done);
      },
    };
    tell(0);
    const pairs = { options, train, rows: { begin: 0, end: queries.rows }, k: 0 };
    const isWorth = (threads: number) => isShareable(pairs, threads, options.tuning?.fewest);
    const byWorkers = await device.withWorkers(isWorth, async (workers) =>
      isWorth(workers.threads) ? countExactly(count, workers) : undefined,
    );
    const executed = byWorkers ?? (await countExactly(count, undefined));
    signal?.throwIfAborted();
    tell(queries.rows);
    return explainExact(device, executed, byWorkers !== undefined, onGpu?.unsuited, pairCount, start);
  };
  const explanation =
    onGpu && onGpu.unsuited === undefined ? explainGpu(device, onGpu, pairCount, start) : await byHost();
  const final = known ?? binsFrom();
  return {
    ...{ counts, queries: queries.rows, bins },
    ...{ min: every(ranges, 2, 0), max: every(ranges, 2, 1) },
    ...{
      below: every(outside, OUTSIDE, 0),
      above: every(outside, OUTSIDE, 1),
      nan: every(outside, OUTSIDE, 2),
    },
    constant: Uint8Array.from({ length: queries.rows }, (_, query) =>
      "min" in final && final.min[query] === final.max[query] ? 1 : 0,
    ),
    edges: (query) => {
      if (Number.isInteger(query) && query >= 0 && query < queries.rows) return edgesOf(final, query);
      throw new InvalidInputError(`query ${query} is none of ${queries.rows}`);
    },
    explanation,
  };
}

/** Returns the options that a metric is made of, as workers can be sent them. */
function pickMetric({ metric, p, kernel, columnWeights, missing }: DistanceHistogramOptions) {
  return { metric, p, kernel, columnWeights: columnWeights && Float64Array.from(columnWeights), missing };
}

/** Returns the range of all queries together. */
function wholeRange(ranges: Float64Array): readonly [number, number] {
  const whole = Float64Array.of(NaN, NaN);
  for (let at = 0; at < ranges.length; at += 2) mergeRange(whole, 0, ranges[at], ranges[at + 1]);
  return [whole[0], whole[1]];
}

/** @throws InvalidInputError for an array that cannot take the counts */
function countsFor(out: unknown, queries: number, bins: number, matrices: readonly Matrix[]): Uint32Array {
  const length = queries * bins;
  if (length > MAX_COUNTS)
    throw new InvalidInputError(
      `${queries} queries of ${bins} bins have more than ${MAX_COUNTS} counts; count some queries at a time`,
    );
  if (out === undefined) return new Uint32Array(length);
  if (!(out instanceof Uint32Array) || out.length < length)
    throw new InvalidInputError(
      `out ${out instanceof Uint32Array ? `holds ${out.length} counts` : "is no Uint32Array"}; expected a Uint32Array ` +
        `of at least ${length}, ${bins} for each of ${queries} queries`,
    );
  if (matrices.some(({ data }) => overlap(out, data)))
    throw new InvalidInputError("out shares memory with train or queries; expected an array of its own");
  return out;
}

function every<T extends Float64Array | Uint32Array>(values: T, step: number, at: number): T {
  return values.filter((_, i) => i % step === at) as T;
}
