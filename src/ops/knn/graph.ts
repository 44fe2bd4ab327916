/**
 * The k-NN graph: the k nearest other rows of every row of a matrix. Not a graph data structure: indices and distances, row by
 * row, are the edges.
 */
import type { MatrixLike } from "../../core/matrix.ts";
import { runYielding } from "../../core/async/yielding.ts";
import { Device } from "../../runtime/device.ts";
import type { KneighborsOptions } from "./kneighbors.ts";
import { KnnIndex, type KnnResult } from "./knnIndex.ts";

/**
 * The k nearest other rows of every row. A row is left out of its own neighbours by its number, so duplicates of it stay, at
 * distance 0. Otherwise as `kneighbors`.
 *
 * @param rows [rows, cols]
 * @param options k from 1 to rows - 1, default 5
 * @throws InvalidInputError
 * @example
 * const { indices } = await kneighborsGraph([[0], [1], [10]], { k: 1 });
 * indices; // => [1, 0, 1]
 */
export async function kneighborsGraph(rows: MatrixLike, options: KneighborsOptions = {}): Promise<KnnResult> {
  const { k = 5, device } = options;
  const used = device ?? (await Device.create(options));
  try {
    const index = await KnnIndex.create(used, rows, options, options.signal);
    try {
      await runYielding(index.look(), options.signal); // as train, not as queries
      return await index.search(index.train, k, { ...options, excludeSelf: true });
    } finally {
      index.dispose();
    }
  } finally {
    if (!device) used.dispose();
  }
}
