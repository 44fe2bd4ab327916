/**
 * This finds exact k-nearest neighbours of rows that arrive in chunks on either side, so that neither has to
 * fit into memory. Every chunk of train is searched by a chunk of queries, and the k best so far are kept. A
 * matrix in memory needs none of this: every search streams it through a smaller device
 * (ops/knn/plan/tile.ts).
 */
import { untilAborted } from "../../core/async/aborted.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { prefetch } from "../../core/async/prefetch.ts";
import { InvalidInputError } from "../../core/errors.ts";
import type { Matrix } from "../../core/matrix.ts";
import { asStream, passOver, type MatrixStream } from "../../core/matrixStream.ts";
import { resolveMetric } from "../../distance/anyMetric.ts";
import { clamp } from "../../core/math.ts";
import { fetchableRowsOf } from "../../core/fetchable.ts";
import { currentPlatform } from "../../core/platform.ts";
import { Device, deviceNames, type DeviceOptions } from "../../runtime/device.ts";
import { executeNames, rising, type ExecuteOptions } from "../../runtime/execute.ts";
import { Best } from "./changes/best.ts";
import { KnnIndex } from "./knnIndex.ts";
import { knnNames, type KnnOptions, type SharedQueries } from "./options.ts";
import type { AssumedFit } from "../../distance/fit.ts";
import { checkK } from "./arguments.ts";
import { searchPlaced } from "./placed/search.ts";
import { plural } from "../../core/plural.ts";

/**
 * `kneighborsStream` takes these options.
 * @example
 * const points = { data: Float64Array.of(0, 1, 5), rows: 3, cols: 1 };
 * const options: StreamOptions = { k: 2, queryRows: 2 };
 * const sizes: number[] = [];
 * for await (const { queries } of kneighborsStream(points, points, options)) sizes.push(queries);
 * sizes; // => [2, 1]
 */
export interface StreamOptions extends KnnOptions, ExecuteOptions, DeviceOptions {
  /** Each query gets this many neighbours, 1 to the rows of train; default 5. */
  readonly k?: number | undefined;
  /**
   * A chunk of train has this many rows; default what fits an eighth of `memory`. Rows that go straight from
   * their file to a GPU are in no chunk.
   */
  readonly trainRows?: number | undefined;
  /** This many queries are answered together; default what fits an eighth of `memory`. */
  readonly queryRows?: number | undefined;
  /** This device is used and stays open; by default one is opened with the other options and closed again. */
  readonly device?: Device | undefined;
}

const streamNames: OptionNames<StreamOptions> = {
  k: 1,
  trainRows: 1,
  queryRows: 1,
  ...knnNames,
  ...executeNames,
  ...deviceNames,
  device: 1,
};

/**
 * It holds the neighbours of some consecutive queries, row-major [queries][k], ascending by (distance,
 * index).
 * @example
 * const points = { data: Float64Array.of(0, 1, 5), rows: 3, cols: 1 };
 * const nearest: Record<number, number> = {};
 * const keep = ({ begin, queries, k, indices }: KnnChunk) => {
 *   for (let query = 0; query < queries; query++) nearest[begin + query] = indices[query * k];
 * };
 * for await (const chunk of kneighborsStream(points, points, { k: 2, queryRows: 2 })) keep(chunk);
 * nearest; // => { 0: 0, 1: 1, 2: 2 }
 */
export interface KnnChunk {
  /** The first of the queries has this number among all queries. */
  readonly begin: number;
  readonly queries: number;
  readonly k: number;
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
}

/**
 * Finds the k nearest rows of `train` for every row of `queries`, chunk by chunk of queries in their order:
 * the same rows, in the same order, with the same bits as `kneighbors` gives for matrices. It reads train
 * once for each chunk of queries (on a GPU a file of bytes once for every 16,384 queries); while one chunk of
 * train is searched, the next one is read.
 *
 * @param train [rows, cols], a matrix or a stream
 * @param queries [queries, cols], a matrix or a stream
 * @throws InvalidInputError for what `kneighbors` refuses, for precision "float32", and for a train that can
 *   be read only once when the queries need more than one chunk
 * @example
 * import { kneighborsStream, matrixStream } from "nearfield";
 *
 * const train = matrixStream({ data: Float64Array.of(0, 1, 5, 6), rows: 4, cols: 1 }, "train");
 * const queries = { data: Float64Array.of(2, 7), rows: 2, cols: 1 };
 * for await (const { indices } of kneighborsStream(train, queries, { k: 1 })) console.log(indices); // => [1, 3]
 */
export async function* kneighborsStream(
  train: Matrix | MatrixStream,
  queries: Matrix | MatrixStream,
  options: StreamOptions = {},
): AsyncGenerator<KnnChunk> {
  const { k = 5, device, signal } = options;
  const [from, asked] = [asStream(train, "train"), asStream(queries, "queries")];
  checkOptions(options, "kneighborsStream", { ...streamNames, radius: 0, excludeSelf: 0 });
  checkStreams(from, asked, options);
  checkK(k, from.rows ?? Infinity);
  checkRows(from.rows ?? 0);
  const used = device ?? (await Device.among(options));
  try {
    const rows = chunkRows(from, k, options);
    let place = options.trainRows === undefined ? fetchableRowsOf(from) : undefined;
    let { tiles } = options;
    let begin = 0;
    for await (const chunk of untilAborted(asked.chunks({ maxRows: rows.queries, signal }), signal)) {
      if (begin > 0 && from.once) throw readOnlyOnce(from, begin);
      const numbered = { ...chunk, firstRow: begin };
      const onProgress = place ? rising(options.onProgress) : options.onProgress;
      const search = { ...options, k, phase: `search from query ${begin}`, onProgress };
      const whole = place ? await searchPlaced(used, place, numbered, search) : "in chunks";
      const isPlaced = typeof whole !== "string";
      if (!isPlaced) place = undefined;
      // Each chunk of rows in an order would be searched in vain once more.
      if (whole === "in order") tiles = { ...tiles, bytes: false };
      const best = isPlaced ? whole : await searchAll(used, from, numbered, { ...search, tiles }, rows.train);
      yield { begin, queries: chunk.rows, k, indices: best.indices, distances: best.distances };
      begin += chunk.rows;
    }
  } finally {
    if (!device) used.dispose();
  }
}

function checkStreams(
  train: MatrixStream,
  queries: MatrixStream,
  { precision, metric, ...others }: StreamOptions,
): void {
  for (const name of ["radius", "excludeSelf"] as const) {
    const given = (others as Readonly<Record<string, unknown>>)[name];
    if (given === undefined || given === false) continue;
    throw new InvalidInputError(
      `${name} is ${String(given)}, which a stream cannot do; leave it out, or search rows in memory by kneighbors (collectMatrix)`,
    );
  }
  if (metric === "rapidminer:MahalanobisDistance" || metric === "precomputed") {
    throw new InvalidInputError(
      `${metric} needs all training rows at once, and streams give them in chunks; read train into memory (collectMatrix)`,
    );
  }
  if (train.cols !== queries.cols) {
    throw new InvalidInputError(
      `queries have ${plural(queries.cols, "column")}, but train has ${train.cols}; both need the same columns in the same order`,
    );
  }
  if (precision === "float32") {
    throw new InvalidInputError(
      "streams are searched only in float64, since float32 distances depend on the chunks; leave precision out",
    );
  }
}

function readOnlyOnce({ name }: MatrixStream, queries: number): InvalidInputError {
  return new InvalidInputError(
    `can be read only once, but more than ${queries} queries need it again; save it to a file, or raise queryRows or memory`,
    { file: name },
  );
}

/** There are at most this many rows: the last number of 32 bits stands for no neighbour. */
const MAX_ROWS = 2 ** 32 - 2;

function checkRows(rows: number): void {
  if (rows > MAX_ROWS)
    throw new InvalidInputError(`train has more than ${MAX_ROWS} rows, which indices cannot number`);
}

const SHARE = 1 / 8;
const CHUNK_BYTES = { least: 2 ** 20, most: 2 ** 28 };

/**
 * Returns how many rows a chunk has, so that the three of train that are searched or read at a time, and what
 * is known of the queries, fit well into memory.
 */
function chunkRows(
  { cols, rowBytes = cols * 8 }: MatrixStream,
  k: number,
  { memory, trainRows, queryRows }: StreamOptions,
) {
  const budget = memory ?? currentPlatform().memory;
  const bytes = clamp(budget * SHARE, CHUNK_BYTES.least, CHUNK_BYTES.most);
  return {
    train: trainRows ?? Math.max(1, Math.floor(bytes / rowBytes)),
    queries: queryRows ?? Math.max(1, Math.floor((budget * SHARE) / (cols * 8 + k * 36))),
  };
}

/** Finds the k best of every query among all rows of train, chunk by chunk. */
async function searchAll(
  device: Device,
  train: MatrixStream,
  queries: Matrix,
  options: StreamOptions & { readonly k: number; readonly phase: string },
  maxRows: number,
): Promise<Best> {
  const { k, signal, onProgress, phase } = options;
  const best = new Best(queries.rows, k);
  const asked: SharedQueries = {};
  let like: AssumedFit | undefined;
  const together = device.info.kind === "gpu" ? GPU_SEARCHES : 1;
  const share = Math.floor(device.info.budgetBytes / together);
  const tiles = { ...options.tiles, budget: Math.min(options.tiles?.budget ?? Infinity, share) };
  let [seen, done] = [0, 0];
  const pass = passOver(train, { maxRows, signal });
  const searchChunk = async (chunk: Matrix, offset: number, before: Promise<void>) => {
    const numbered = { ...chunk, firstRow: offset };
    const index = await KnnIndex.create(device, numbered, { ...options, tiles }, signal, like);
    try {
      const size = Math.min(k, chunk.rows);
      const found = await index.search(queries, size, { signal, asKeys: true, asked });
      like = index.rows.assumed;
      await before;
      best.merge(found, size, offset);
      if (best.isFull) asked.before = best;
    } finally {
      index.dispose();
    }
    pass.giveBack(chunk);
    done += chunk.rows;
    onProgress?.({ phase, done, total: train.rows ?? Infinity });
  };
  const running: Promise<void>[] = [];
  try {
    for await (const chunk of prefetch(pass.chunks, signal)) {
      const search = searchChunk(chunk, seen, running.at(-1) ?? Promise.resolve());
      search.catch(() => undefined);
      running.push(search);
      seen += chunk.rows;
      checkRows(seen);
      if (running.length >= together) await running.shift();
    }
    while (running.length > 0) await running.shift();
  } finally {
    await Promise.allSettled(running);
  }
  checkK(k, seen);
  if (train.rows === undefined) onProgress?.({ phase, done, total: done });
  const { ordersByRank, distance } = resolveMetric(options);
  if (ordersByRank) best.distances.forEach((key, at) => (best.distances[at] = distance(key)));
  return best;
}

/** This many searches run at a time: rows are uploaded for one while a GPU computes for the other. */
const GPU_SEARCHES = 2;
