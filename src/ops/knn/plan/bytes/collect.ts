/** This reads the neighbours that knn.byteOrder left of a job, whose ranks are whole numbers. */
import type { Metric } from "../../../../distance/metric.ts";
import { sortAscending } from "../../../../distance/topk.ts";
import { rowAt, rowCount } from "../../../../runtime/source.ts";
import { MOST_ORDERED } from "../../contract/byteRows.ts";
import type { Into, OrderedStep } from "../treeOrder.ts";

/**
 * Writes the neighbours of a job into `into`, and leaves out lists that overflowed, whose job does not count.
 * @param k the neighbours of a query that were found: one more where it is one of them and does not count
 */
export function collectBytes(
  { rows }: OrderedStep,
  downloads: ReadonlyMap<string, ArrayBuffer>,
  k: number,
  into: Into,
  metric: Metric,
): number {
  const words = (name: string) => new Uint32Array(downloads.get(name) ?? []);
  const [heads, found, sums] = [words("heads"), words("nearRows"), words("nearSums")];
  const asKeys = into.asKeys === true && metric.ordersByRank;
  const [list, spare] = [0, 1].map(() => ({ keys: new Float64Array(k), indices: new Uint32Array(k) }));
  for (let i = 0; i < rowCount(rows); i++) {
    if (heads[2 * i] !== k) continue;
    const query = rowAt(rows, i);
    list.indices.set(found.subarray(i * k, (i + 1) * k));
    list.keys.set(sums.subarray(i * k, (i + 1) * k));
    if (k > MOST_ORDERED) sortAscending(list, spare, k);
    let to = query * into.k;
    for (let at = 0; at < k && to < (query + 1) * into.k; at++) {
      if (into.withoutSelf && list.indices[at] === query) continue;
      into.indices[to] = list.indices[at];
      into.distances[to++] = asKeys ? list.keys[at] : metric.distance(list.keys[at]);
    }
  }
  return 0;
}
