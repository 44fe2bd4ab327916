/**
 * This finds the k-NN graph: the k nearest other rows of every row of a matrix. It is no graph data
 * structure: indices and distances, row by row, are the edges.
 */
import type { MatrixLike } from "../../core/matrix.ts";
import { InvalidInputError } from "../../core/errors.ts";
import { checkOptions } from "../../core/options.ts";
import { runYielding } from "../../core/async/yielding.ts";
import { kneighborsNames, type KneighborsOptions } from "./kneighbors.ts";
import type { KnnResult } from "./options.ts";
import { withIndex } from "./withIndex.ts";

/**
 * Finds the k nearest other rows of every row. A row is never its own neighbour, but its duplicates are, at
 * distance 0. All else is as in `kneighbors`.
 *
 * @param rows [rows, cols]
 * @param options k from 1 to rows - 1, default 5
 * @throws InvalidInputError
 * @example
 * const { indices } = await kneighborsGraph([[0], [1], [10]], { k: 1 });
 * indices; // => [1, 0, 1]
 */
export async function kneighborsGraph(rows: MatrixLike, options: KneighborsOptions = {}): Promise<KnnResult> {
  checkOptions(options, "kneighborsGraph", kneighborsNames);
  if (options.excludeSelf === false)
    throw new InvalidInputError(
      "excludeSelf is false, but a graph has no edge from a row to itself; use kneighbors(rows, rows)",
    );
  const { k = 5, signal } = options;
  return withIndex(rows, options, async (index) => {
    await runYielding(index.check(), signal); // checks the rows as train, not as queries
    return index.search(index.train, k, { ...options, excludeSelf: true });
  });
}
