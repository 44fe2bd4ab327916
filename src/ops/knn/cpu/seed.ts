/** `knn.seed` on the main thread, which has little to write. What it promises stands in core/primitives/seed.ts. */
import { NO_ROW, type KnnSeedBinding, type KnnSeedParams } from "../contract/seed.ts";
import { wordsOf, type Place } from "../../../runtime/cpu/buffers.ts";

export function runSeed(
  { k, capacity, queryRows }: KnnSeedParams,
  { bounds, heads, candidates, intervals }: Readonly<Record<KnnSeedBinding, Place>>,
): void {
  const bits = wordsOf(bounds, 0, queryRows);
  for (let query = 0; query < queryRows; query++) {
    const begin = query * capacity;
    wordsOf(heads, 2 * query, 2).set([k, bits[query]]);
    wordsOf(candidates, begin, k).fill(NO_ROW);
    wordsOf(intervals, 2 * begin, 2 * k).fill(bits[query]);
  }
}
