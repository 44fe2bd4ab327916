/**
 * Finds the neighbours that RapidMiner would find: a device finds the rows that may enter its heap, which is
 * then replayed with them in training order.
 */
import { InvalidInputError } from "../../core/errors.ts";
import type { MatrixLike } from "../../core/matrix.ts";
import { searchHeapCandidates } from "../../ops/knn/index.ts";
import { neighborsInto } from "../../ops/knn/index.ts";
import type { KnnIndex, KnnResult, SearchOptions } from "../../ops/knn/index.ts";
import { replayHeap } from "./heap.ts";

/**
 * Returns the neighbours, row-major [queries][min(k, rows)], in the order of the heap's array: the order of
 * summation, not of distance.
 * @param k may exceed the number of training rows, all of which are then neighbours
 */
export async function rapidminerSearch(
  index: KnnIndex,
  queries: MatrixLike,
  k: number,
  { out, ...options }: SearchOptions,
): Promise<KnnResult> {
  if (options.radius !== undefined || options.excludeSelf === true) {
    const given = options.radius === undefined ? "excludeSelf" : "radius";
    throw new InvalidInputError(`compat "rapidminer" does not support ${given}; leave out one of them`);
  }
  const matrix = await index.queryMatrix(queries, options.signal);
  const kept = Math.min(k, index.train.rows);
  const { indices, distances } = neighborsInto(matrix.rows, kept, out);
  const keep = (query: number, at: number, row: number, distance: number) => {
    indices[query * kept + at] = row;
    distances[query * kept + at] = distance;
  };
  const explanation = await searchHeapCandidates(
    index,
    matrix,
    kept,
    {
      keep,
      replay(query, candidates, pause) {
        const put = (places: Uint32Array) => {
          for (let at = 0; at < kept; at++)
            keep(query, at, candidates.row(places[at]), candidates.distance(places[at]));
        };
        const places = replayHeap(candidates, kept, pause);
        return places instanceof Promise ? places.then(put) : put(places);
      },
    },
    options,
  );
  return { indices, distances, queries: matrix.rows, k: kept, explanation };
}
