/**
 * `knn.seed` runs on the main thread, which has little to write. Its contract is ops/knn/contract/seed.ts.
 */
import { type KnnSeedBinding, type KnnSeedParams } from "../contract/seed.ts";
import { NO_ROW } from "../../../distance/order.ts";
import { addressesOf, type CpuKernel } from "../../../runtime/cpu/kernel.ts";
import { wordsOf, type Address } from "../../../runtime/cpu/buffers.ts";

export const seedOnCpu: CpuKernel<KnnSeedParams, KnnSeedBinding> = {
  run: (params, buffers) => seed(params, addressesOf(buffers)),
};

function seed(
  { k, capacity, queryRows }: KnnSeedParams,
  { bounds, heads, candidates, intervals }: Readonly<Record<KnnSeedBinding, Address>>,
): void {
  const bits = wordsOf(bounds, 0, queryRows);
  for (let query = 0; query < queryRows; query++) {
    const begin = query * capacity;
    wordsOf(heads, 2 * query, 2).set([k, bits[query]]);
    wordsOf(candidates, begin, k).fill(NO_ROW);
    wordsOf(intervals, 2 * begin, 2 * k).fill(bits[query]);
  }
}
