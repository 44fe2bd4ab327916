/**
 * This searches several indexes, each of some of the rows, as if they were one: it finds exactly what an
 * index of all rows that are left would find. numberedRows.ts decides which rows are in which index.
 */
import { takeRows, type Matrix, type MatrixLike } from "../../../core/matrix.ts";
import { rising } from "../../../runtime/execute.ts";
import { checkK, checkRadius, cutAtRadius, neighborsInto, NO_NEIGHBOR } from "../arguments.ts";
import { Best } from "./best.ts";
import { leftOf, type SomeRows } from "./joinRows.ts";
import type { KnnIndex } from "../knnIndex.ts";
import type { SharedQueries, KnnResult, SearchOptions } from "../options.ts";
import { explainAll, type KnnExplanation } from "../plan/explain.ts";

/** A part of the rows has an index of its own. */
export interface Part extends SomeRows {
  readonly index: KnnIndex;
}

/** Finds the k nearest rows that are left in the parts. Its indices are the numbers of the rows. */
export async function searchParts(
  parts: readonly Part[],
  queries: MatrixLike,
  k: number,
  { signal, radius, onProgress, out }: SearchOptions,
): Promise<KnnResult> {
  const [{ index }] = parts;
  const matrix = await index.queryMatrix(queries, signal);
  checkK(
    k,
    parts.reduce((sum, part) => sum + leftOf(part), 0),
  );
  if (radius !== undefined) checkRadius(radius, index.metric);
  const { indices, distances } = neighborsInto(matrix.rows, k, out);
  const best = new Best(matrix.rows, k);
  const asked: SharedQueries = { matrix };
  const explanations: KnnExplanation[] = [];
  const total = parts.length * matrix.rows;
  for (const [at, part] of parts.entries()) {
    const report = rising(
      onProgress && (({ phase, done }) => onProgress({ phase, done: at * matrix.rows + done, total })),
    );
    const found = await searchPart(part, matrix, asked, k, { signal, onProgress: report });
    explanations.push(...found.explanations);
    best.merge(found, found.wanted, 0);
    if (best.isFull) asked.before = best;
  }
  indices.set(best.indices);
  const { ordersByRank, distance } = index.metric;
  best.distances.forEach((key, at) => (distances[at] = ordersByRank ? distance(key) : key));
  const counts =
    radius === undefined ? {} : { counts: cutAtRadius(indices, distances, matrix.rows, k, radius) };
  return { indices, distances, queries: matrix.rows, k, ...counts, explanation: explainAll(explanations) };
}

/**
 * An index whose rows were removed is asked for up to SPARE neighbours more, and then each time for GROWTH
 * times as many, until enough of them are left.
 */
const SPARE = 8;
const GROWTH = 4;

/**
 * Finds the nearest rows of a part that are left, at most k, with the keys they are ordered by. Queries whose
 * neighbours were removed are searched again for more.
 */
async function searchPart(
  part: Part,
  matrix: Matrix,
  asked: SharedQueries,
  k: number,
  options: Pick<SearchOptions, "signal" | "onProgress">,
) {
  const { index, ids, removed } = part;
  const wanted = Math.min(k, leftOf(part));
  const indices = new Uint32Array(matrix.rows * wanted).fill(NO_NEIGHBOR);
  const distances = new Float64Array(matrix.rows * wanted).fill(Infinity);
  const explanations: KnnExplanation[] = [];
  /** Keeps what is left of query `i` of `found` as that of `query`. @returns whether that is enough */
  const keep = (query: number, { k: size, ...found }: KnnResult, i: number): boolean => {
    let at = query * wanted;
    for (let from = i * size; from < (i + 1) * size && at < (query + 1) * wanted; from++) {
      const row = found.indices[from];
      if (row === NO_NEIGHBOR) return true;
      if (removed.has(row)) continue;
      indices[at] = ids[row];
      distances[at++] = found.distances[from];
    }
    return at === (query + 1) * wanted;
  };
  let queries = Uint32Array.from({ length: matrix.rows }, (_, query) => query);
  let size = wanted + Math.min(removed.size, SPARE);
  while (queries.length > 0) {
    const some = queries.length === matrix.rows ? asked : { matrix: takeRows(matrix, queries) };
    const found = await index.search(some.matrix ?? matrix, size, { ...options, asKeys: true, asked: some });
    explanations.push(found.explanation);
    queries = queries.filter((query, i) => !keep(query, found, i));
    size = Math.min(wanted + removed.size, size * GROWTH);
  }
  return { wanted, indices, distances, explanations };
}
