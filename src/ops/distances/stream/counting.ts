/**
 * This counts chunk by chunk of queries, over all chunks of train. It reads train once for the ranges, where
 * distances decide them, and once for the counts. Which arguments a stream takes is said in stream.ts.
 */
import { prefetch } from "../../../core/async/prefetch.ts";
import { runYielding } from "../../../core/async/yielding.ts";
import { InvalidInputError } from "../../../core/errors.ts";
import type { Matrix } from "../../../core/matrix.ts";
import { plural } from "../../../core/plural.ts";
import { FittedRows } from "../../../distance/fittedRows.ts";
import type { Device } from "../../../runtime/device.ts";
import type { BinRequest } from "../bins.ts";
import { OUTSIDE } from "../contract.ts";
import { countPairs } from "../count.ts";
import type { Bins } from "../counting.ts";
import { countsBy, givenBins, rangedBins, wholeRange, type CountArrays } from "../counts.ts";
import { mergeRange } from "../tally.ts";
import type { Numbered, ChunkReadings } from "./readings.ts";
import type { DistanceHistogramChunk, DistanceHistogramStreamOptions } from "./options.ts";

export type CountOptions = DistanceHistogramStreamOptions & { readonly device: Device };

/** Train has at most this many rows, so that a count of 32 bits holds their number. */
const MAX_ROWS = 2 ** 32 - 1;

export class StreamCounting {
  readonly #train: ChunkReadings;
  readonly #queries: ChunkReadings;
  readonly #request: BinRequest;
  readonly #options: CountOptions;
  #trainRows = 0;

  constructor(train: ChunkReadings, queries: ChunkReadings, request: BinRequest, options: CountOptions) {
    this.#train = train;
    this.#queries = queries;
    this.#request = request;
    this.#options = options;
  }

  async *chunks(): AsyncGenerator<DistanceHistogramChunk> {
    const { bins, range } = this.#request;
    let counted = 0;
    const whole = range === "all" ? await this.#wholeRange() : undefined;
    for await (const chunk of this.#queries.chunks()) {
      const { rows, firstRow: begin } = chunk;
      const found =
        givenBins(this.#request, rows) ?? rangedBins(bins, whole ?? (await this.#rangesOf(chunk)), rows);
      yield { ...countsBy(found, await this.#overTrain(chunk, found)), begin };
      counted = begin + rows;
    }
    if (this.#options.excludeSelf === true) checkSameRows(this.#trainRows, counted);
  }

  async #wholeRange(): Promise<Float64Array> {
    const whole = Float64Array.of(NaN, NaN);
    for await (const chunk of this.#queries.chunks()) {
      const [min, max] = wholeRange(await this.#rangesOf(chunk));
      mergeRange(whole, 0, min, max);
    }
    return whole;
  }

  /** Finds the ranges of some queries, [queries][2]. */
  async #rangesOf(queries: Numbered): Promise<Float64Array> {
    const { ranges } = await this.#overTrain(queries, undefined);
    return ranges;
  }

  /**
   * Reads train once, and counts the distances of some queries to it by bins, or finds their ranges.
   * @param bins undefined where the ranges alone are asked for
   */
  async #overTrain(queries: Numbered, bins: Bins | undefined): Promise<CountArrays> {
    const { stream } = this.#train;
    const { onProgress, excludeSelf = false } = this.#options;
    const phase = `${bins ? "counts" : "ranges"} from query ${queries.firstRow}`;
    const total = emptyCounts(queries.rows, bins ? this.#request.bins : 0);
    let rows = 0;
    for await (const chunk of prefetch(this.#train.chunks(), this.#options.signal)) {
      addCounts(total, await this.#inChunk(chunk, queries, bins));
      rows += chunk.rows;
      if (rows > MAX_ROWS)
        throw new InvalidInputError(`has more than ${MAX_ROWS} rows`, { file: stream.name });
      onProgress?.({ phase, done: rows, total: stream.rows ?? Infinity });
    }
    if (stream.rows === undefined) onProgress?.({ phase, done: rows, total: rows });
    const asked = this.#queries.stream.rows ?? queries.firstRow + queries.rows;
    if (rows === 0) throw new InvalidInputError("has no rows", { file: stream.name });
    if (excludeSelf && asked > rows) checkSameRows(rows, asked);
    this.#trainRows = rows;
    return total;
  }

  async #inChunk(chunk: Numbered, asked: Numbered, known: Bins | undefined): Promise<CountArrays> {
    const { device, signal, excludeSelf = false } = this.#options;
    const rows = await FittedRows.create(device, chunk, this.#options, signal);
    try {
      const queries = await rows.queryMatrix(asked, signal);
      const width = known ? this.#request.bins : 0;
      const found = emptyCounts(queries.rows, width);
      const self = excludeSelf ? asked.firstRow - chunk.firstRow : undefined;
      if (device.info.kind === "gpu" && (await this.#onGpu(rows, queries, self, known, found))) return found;
      await runYielding(rows.check(), signal);
      const what = { ...found, self, binCount: width, known, binsFrom: undefined, allTogether: false };
      await countPairs(rows, queries, { ...what, onShare: () => undefined }, this.#options);
      return found;
    } finally {
      rows.dispose();
    }
  }

  /**
   * Has a GPU count, or find ranges where no bins are known.
   * @returns false where it cannot count the distances of such rows
   */
  async #onGpu(
    rows: FittedRows,
    queries: Matrix,
    self: number | undefined,
    known: Bins | undefined,
    found: CountArrays,
  ): Promise<boolean> {
    const { tuning = {}, signal } = this.#options;
    const { bins, edges, range } = this.#request;
    const own = known && !edges && range === "query";
    if (own && "min" in known && known.min.some((min) => min > 0 && min < LEAST_RANGED)) return false;
    const ask = { bins: known ? bins : 0, range: own ? "own" : "known", self } as const;
    const { countOnGpu } = await import("../onGpu.ts");
    const count = { ...found, queries, ask, bins: () => known ?? NO_BINS, tuning };
    const { unsuited } = await countOnGpu(rows, count, { signal });
    return unsuited === undefined;
  }
}

/** Below this a rank is subnormal, which a GPU's float64 does not know; workers may find such a range. */
const LEAST_RANGED = 2 ** -500;

/** Ranges are found without bins. */
const NO_BINS: Bins = { edges: new Float64Array() };

function emptyCounts(queries: number, bins: number): CountArrays {
  return {
    queries,
    counts: new Uint32Array(queries * bins),
    outside: new Uint32Array(queries * OUTSIDE),
    ranges: new Float64Array(queries * 2).fill(NaN),
  };
}

function addCounts({ counts, outside, ranges }: CountArrays, more: CountArrays): void {
  for (let at = 0; at < counts.length; at++) counts[at] += more.counts[at];
  for (let at = 0; at < outside.length; at++) outside[at] += more.outside[at];
  for (let at = 0; at < ranges.length; at += 2) mergeRange(ranges, at, more.ranges[at], more.ranges[at + 1]);
}

export function checkSameRows(train: number, queries: number): void {
  if (train !== queries)
    throw new InvalidInputError(
      `excludeSelf needs the training rows as queries, but there are ${plural(queries, "query", "queries")} and ${plural(train, "row")}`,
    );
}
