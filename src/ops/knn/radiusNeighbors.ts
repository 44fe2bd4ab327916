/**
 * This finds all neighbours within a radius, as many as there are. A GPU that has a tree does so in one
 * search (radius/). Elsewhere it is made of k-NN searches: queries whose k nearest all lie within the radius
 * are searched again with a larger k. `kneighbors` with a radius keeps at most k.
 */
import { runYielding, type Yielding } from "../../core/async/yielding.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { checkOptions, type OptionNames } from "../../core/options.ts";
import { takeRows, type Matrix, type MatrixLike } from "../../core/matrix.ts";
import { deviceNames, type Device, type DeviceOptions } from "../../runtime/device.ts";
import { executeNames, rising, type ExecuteOptions } from "../../runtime/execute.ts";
import { explainAll, type KnnExplanation } from "./plan/explain.ts";
import type { KnnIndex } from "./knnIndex.ts";
import { knnNames, type KnnOptions, type KnnResult } from "./options.ts";
import { checkRadius } from "./arguments.ts";
import { withIndex } from "./withIndex.ts";

/**
 * `radiusNeighbors` takes these options.
 * @example
 * const options: RadiusOptions = { radius: 2, metric: "chebyshev" };
 * const { indices } = await radiusNeighbors([[2, 2], [3, 0], [1, 0]], [[0, 0]], options);
 * indices; // => [2, 0]
 */
export interface RadiusOptions extends KnnOptions, ExecuteOptions, DeviceOptions {
  /**
   * Neighbours are at most this far away. It is at least 0, except for metrics that can be negative, such as
   * inner_product.
   */
  readonly radius: number;
  /**
   * This device is used and stays open. By default, calls without any device options share one; a call with
   * such options opens a device of its own and closes it again.
   */
  readonly device?: Device | undefined;
}

const radiusNames: OptionNames<RadiusOptions> = {
  radius: 1,
  ...knnNames,
  ...executeNames,
  ...deviceNames,
  device: 1,
};

/**
 * `radiusNeighbors` returns this. The neighbours of query i are entries [offsets[i], offsets[i + 1]),
 * ascending by (distance, index).
 * @example
 * const result: RadiusResult = await radiusNeighbors([[0], [1], [9]], [[5], [1]], { radius: 1 });
 * const { offsets, indices, queries } = result;
 * const rowsOf = (query: number) => indices.subarray(offsets[query], offsets[query + 1]);
 * Array.from({ length: queries }, (_, query) => rowsOf(query)); // => [[], [1, 0]]
 */
export interface RadiusResult {
  readonly offsets: Uint32Array;
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
  readonly queries: number;
  /** It explains all searches together, with their counts added up. */
  readonly explanation: KnnExplanation;
}

/**
 * Finds every row of `train` at most `radius` from each row of `queries`, by float64 distances; the same rows
 * with the same bits on every backend.
 *
 * @param train [rows, cols]
 * @param queries [queries, cols]
 * @throws InvalidInputError, also when there are more than 2^32 - 1 neighbours in all
 * @example
 * const { offsets, indices } = await radiusNeighbors([[0], [1], [2], [9]], [[1], [8]], { radius: 1 });
 * offsets; // => [0, 3, 4]
 * indices; // => [1, 0, 2, 3]
 */
export async function radiusNeighbors(
  train: MatrixLike,
  queries: MatrixLike,
  options: RadiusOptions,
): Promise<RadiusResult> {
  if ((options as Partial<RadiusOptions> | undefined)?.radius === undefined) {
    throw new InvalidInputError(
      "radius is missing; expected a distance, as in radiusNeighbors(train, queries, { radius: 0.5 })",
    );
  }
  checkOptions(options, "radiusNeighbors", radiusNames);
  return withIndex(train, options, async (index) =>
    searchRadius(index, await index.queryMatrix(queries, options.signal), options),
  );
}

/**
 * The first search finds this many neighbours; queries that need more are searched for GROWTH times as many.
 */
const FIRST_K = 32;
const GROWTH = 8;
/** One search has at most this many results, so that a large k does not ask for all queries at once. */
const MAX_PLACES = 2 ** 25;
const MAX_RESULT = 2 ** 32 - 1;
/** A GPU searches along a tree for up to this many columns. */
const TREE_COLUMNS = 3;

/** Does what `radiusNeighbors` does, on an index. */
export async function searchRadius(
  index: KnnIndex,
  queries: Matrix,
  { radius, signal, onProgress }: Pick<RadiusOptions, "radius" | keyof ExecuteOptions>,
): Promise<RadiusResult> {
  checkRadius(radius, index.metric);
  // Without a tree there is nothing to do at first, and the search begins anew.
  const report = rising(onProgress && ((progress) => progress.total > 0 && onProgress(progress)));
  if (index.device.info.kind === "gpu" && queries.cols <= TREE_COLUMNS) {
    const { searchWithin } = await import("./radius/search.ts");
    const found = await searchWithin(index.rows, queries, radius, { signal, onProgress: report });
    if (found) return { ...found, queries: queries.rows };
  }
  const counts = new Uint32Array(queries.rows);
  const blocks: NeighborBlock[] = [];
  const explanations: KnnExplanation[] = [];
  let left = Uint32Array.from({ length: queries.rows }, (_, query) => query);
  for (
    let k = Math.min(FIRST_K, index.train.rows);
    left.length > 0;
    k = Math.min(k * GROWTH, index.train.rows)
  ) {
    const again: number[] = [];
    const step = Math.max(1, Math.floor(MAX_PLACES / k));
    for (let begin = 0; begin < left.length; begin += step) {
      const part = left.subarray(begin, begin + step);
      const asked = part.length === queries.rows ? queries : takeRows(queries, part);
      const found = await index.search(asked, k, { signal, radius });
      explanations.push(found.explanation);
      const isMore = (count: number) => count === k && k < index.train.rows;
      part.forEach((query, i) => {
        const count = found.counts?.[i] ?? 0;
        if (isMore(count)) again.push(query);
        else counts[query] = count;
      });
      blocks.push(await runYielding(closed(found, part, counts, isMore), signal));
      const done = queries.rows - again.length - (left.length - Math.min(begin + step, left.length));
      report?.({ phase: "search", done, total: queries.rows });
    }
    left = Uint32Array.from(again);
  }
  const result = await runYielding(joined(blocks, counts), signal);
  return { ...result, explanation: explainAll(explanations) };
}

/** A block has the neighbours of some queries, one after the other. */
interface NeighborBlock {
  readonly queries: Uint32Array;
  readonly indices: Uint32Array;
  readonly distances: Float64Array;
}

/** This many queries are gone through between two chances to pause. */
const PIECE_QUERIES = 4096;

/** Closes the gaps that a search leaves behind the neighbours within the radius. */
function* closed(
  { indices, distances, k, counts: found }: KnnResult,
  part: Uint32Array,
  counts: Uint32Array,
  isMore: (count: number) => boolean,
): Yielding<NeighborBlock> {
  const queries = part.filter((_, i) => !isMore(found?.[i] ?? 0));
  const total = queries.reduce((sum, query) => sum + counts[query], 0);
  const block = { queries, indices: new Uint32Array(total), distances: new Float64Array(total) };
  let to = 0;
  for (let i = 0; i < part.length; i++) {
    if (i % PIECE_QUERIES === 0) yield;
    if (isMore(found?.[i] ?? 0)) continue;
    for (let at = i * k; at < i * k + counts[part[i]]; at++, to++) {
      block.indices[to] = indices[at];
      block.distances[to] = distances[at];
    }
  }
  return block;
}

/** Puts the neighbours in the order of the queries. */
function* joined(
  blocks: readonly NeighborBlock[],
  counts: Uint32Array,
): Yielding<Omit<RadiusResult, "explanation">> {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > MAX_RESULT) {
    throw new InvalidInputError(
      `${total} neighbours lie within the radius, more than ${MAX_RESULT} results; search the queries in several calls`,
    );
  }
  const offsets = new Uint32Array(counts.length + 1);
  for (let query = 0; query < counts.length; query++) offsets[query + 1] = offsets[query] + counts[query];
  const only = blocks.length === 1 ? blocks[0] : undefined;
  if (only) return { offsets, indices: only.indices, distances: only.distances, queries: counts.length };
  const indices = new Uint32Array(total);
  const distances = new Float64Array(total);
  for (const block of blocks) {
    let from = 0;
    for (let i = 0; i < block.queries.length; i++) {
      if (i % PIECE_QUERIES === 0) yield;
      const query = block.queries[i];
      for (let at = offsets[query]; at < offsets[query + 1]; at++, from++) {
        indices[at] = block.indices[from];
        distances[at] = block.distances[from];
      }
    }
  }
  return { offsets, indices, distances, queries: counts.length };
}
