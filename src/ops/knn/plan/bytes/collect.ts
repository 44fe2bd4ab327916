/** This reads the neighbours that knn.byteOrder left of a job, whose ranks are whole numbers. */
import { Yielder } from "../../../../core/async/yielding.ts";
import { rowAt, rowCount } from "../../../../runtime/source.ts";
import type { Collect } from "../order.ts";

/** So many neighbours are written between two looks at the clock. */
const LOOK = 2 ** 14;

/**
 * Writes the neighbours of a job into `into`, and leaves out lists that overflowed, whose job does not count.
 * Other events have their turn in between.
 */
export const collectBytes: Collect = async (rows, downloads, k, into, metric, signal) => {
  const words = (name: string) => new Uint32Array(downloads.get(name) ?? []);
  const [heads, found, sums] = [words("heads"), words("nearRows"), words("nearSums")];
  const { indices, distances, withoutSelf, k: wanted } = into;
  const asKeys = into.asKeys === true && metric.ordersByRank;
  const { distance } = metric;
  const yielder = new Yielder(signal);
  const step = Math.ceil(LOOK / k);
  for (let i = 0; i < rowCount(rows); i++) {
    if (i % step === 0 && yielder.due) await yielder.next();
    if (heads[2 * i] !== k) continue;
    const query = rowAt(rows, i);
    const begin = i * k;
    const self = withoutSelf ? found.subarray(begin, begin + k).indexOf(query) : -1;
    if (self >= 0) for (const all of [found, sums]) all.copyWithin(begin + self, begin + self + 1, begin + k);
    const to = query * wanted;
    indices.set(found.subarray(begin, begin + wanted), to);
    for (let c = 0; c < wanted; c++) distances[to + c] = asKeys ? sums[begin + c] : distance(sums[begin + c]);
  }
  return 0;
};
