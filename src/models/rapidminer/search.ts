/** The neighbours that RapidMiner would find: candidates from one place, then the replay of its heap. */
import { InvalidInputError } from "../../core/errors.ts";
import type { MatrixLike } from "../../core/matrix.ts";
import { neighborsInto } from "../../operators/knnArguments.ts";
import type { KnnIndex, KnnResult, SearchOptions } from "../../operators/knn.ts";
import { candidatesInTrainingOrder } from "./candidates.ts";
import { replayHeap } from "./heap.ts";

/**
 * Row-major [queries][min(k, rows)], in the order of the heap's array: the order of summation, not of distance.
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
    throw new InvalidInputError(`compat "rapidminer" knows no ${given}; leave out one of them`);
  }
  index.look();
  const matrix = index.queryMatrix(queries);
  const kept = Math.min(k, index.train.rows);
  const { indices, distances } = neighborsInto(matrix.rows, kept, out);
  const explanation = await candidatesInTrainingOrder(
    index,
    matrix,
    (query, candidates) => {
      replayHeap(candidates.distances, k).forEach((position, i) => {
        indices[query * kept + i] = candidates.rows[position];
        distances[query * kept + i] = candidates.distances[position];
      });
    },
    options,
  );
  return { indices, distances, queries: matrix.rows, k: kept, explanation };
}
