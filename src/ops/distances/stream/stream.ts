/**
 * This counts distances by bins where rows arrive in chunks on either side, so that neither has to fit into
 * memory: it checks arguments and chooses the chunks. How they are counted is said in counting.ts.
 */
import { InvalidInputError } from "../../../core/errors.ts";
import { clamp } from "../../../core/math.ts";
import type { Matrix } from "../../../core/matrix.ts";
import { asStream, type MatrixStream } from "../../../core/matrixStream.ts";
import { checkOptions } from "../../../core/options.ts";
import { currentPlatform } from "../../../core/platform.ts";
import { resolveMetric } from "../../../distance/anyMetric.ts";
import { Device } from "../../../runtime/device.ts";
import { binRequest } from "../bins.ts";
import { MAX_COUNTS } from "../distances.ts";
import { ChunkReadings } from "./readings.ts";
import { checkSameRows, StreamCounting } from "./counting.ts";
import {
  distanceHistogramStreamNames,
  type DistanceHistogramChunk,
  type DistanceHistogramStreamOptions,
} from "./options.ts";
import { plural } from "../../../core/plural.ts";

/**
 * Counts the distances of each query to all rows of `train` by bins, chunk by chunk of queries in their
 * order: what `distanceHistogram` gives for matrices. It reads train once for each chunk of queries, and once
 * more where the distances decide the range of the bins, unless train is one chunk. With the range "all" it
 * first reads both sides for the range, and then again. While one chunk of train is worked on, the next one
 * is read. A GPU counts the metrics and rows that it counts for `distanceHistogram`; threads of the CPU do
 * all else.
 *
 * @param train [rows, cols], a matrix or a stream
 * @param queries [queries, cols], a matrix or a stream
 * @throws InvalidInputError for what `distanceHistogram` refuses, for metrics that need all training rows at
 *   once, and for a side that can be read only once when another reading is needed
 * @throws UnavailableError where the options ask for a GPU and there is none
 * @example
 * import { distanceHistogramStream, matrixStream } from "nearfield";
 *
 * const train = matrixStream({ data: Float64Array.of(0, 1, 5, 6), rows: 4, cols: 1 }, "train");
 * const queries = { data: Float64Array.of(0, 6), rows: 2, cols: 1 };
 * for await (const { counts } of distanceHistogramStream(train, queries, { bins: 3, trainRows: 2 }))
 *   console.log(counts); // => [2, 0, 2, 2, 0, 2]
 */
export async function* distanceHistogramStream(
  train: Matrix | MatrixStream,
  queries: Matrix | MatrixStream,
  options: DistanceHistogramStreamOptions,
): AsyncGenerator<DistanceHistogramChunk> {
  const [from, asked] = [asStream(train, "train"), asStream(queries, "queries")];
  checkOptions(options, "distanceHistogramStream", distanceHistogramStreamNames);
  const request = binRequest(options);
  resolveMetric(options);
  checkSides(from, asked, options);
  const rows = chunkRows(from, request.bins, options);
  const device = options.device ?? (await Device.among(options));
  try {
    const { signal } = options;
    const counting = new StreamCounting(
      new ChunkReadings(from, rows.train, signal),
      new ChunkReadings(asked, rows.queries, signal),
      request,
      { ...options, device },
    );
    yield* counting.chunks();
  } finally {
    if (!options.device) device.dispose();
  }
}

function checkSides(
  train: MatrixStream,
  queries: MatrixStream,
  { metric, excludeSelf }: DistanceHistogramStreamOptions,
): void {
  if (metric === "rapidminer:MahalanobisDistance" || metric === "precomputed")
    throw new InvalidInputError(
      `${metric} needs all training rows at once, and streams give them in chunks; read train into memory (collectMatrix)`,
    );
  if (train.cols !== queries.cols)
    throw new InvalidInputError(
      `queries have ${plural(queries.cols, "column")}, but train has ${train.cols}; both need the same columns in the same order`,
    );
  if (excludeSelf === true && train.rows !== undefined && queries.rows !== undefined)
    checkSameRows(train.rows, queries.rows);
}

const SHARE = 1 / 8;
const CHUNK_BYTES = { least: 2 ** 20, most: 2 ** 28 };
/** A query has this many arrays of counts at a time: all, those of a chunk, and those of tasks. */
const COUNTS_AT_ONCE = 3;

function chunkRows(
  { cols, rowBytes = cols * 8 }: MatrixStream,
  bins: number,
  { memory, trainRows, queryRows }: DistanceHistogramStreamOptions,
) {
  const budget = memory ?? currentPlatform().memory;
  const bytes = clamp(budget * SHARE, CHUNK_BYTES.least, CHUNK_BYTES.most);
  const most = Math.floor(MAX_COUNTS / bins);
  if (queryRows !== undefined && queryRows > most)
    throw new InvalidInputError(
      `${queryRows} queries of ${bins} bins have more than ${MAX_COUNTS} counts; give queryRows up to ${most}`,
    );
  const queryBytes = cols * 8 + bins * 4 * COUNTS_AT_ONCE;
  return {
    train: trainRows ?? Math.max(1, Math.floor(bytes / rowBytes)),
    queries: queryRows ?? clamp(Math.floor((budget * SHARE) / queryBytes), 1, most),
  };
}
