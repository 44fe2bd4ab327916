/**
 * This module makes a table of neighbours with one row for each: query, rank, index, distance. It is made in
 * chunks. Places that a radius left empty are no rows.
 */
import { NO_NEIGHBOR } from "../ops/knn/index.ts";
import type { KnnResult } from "../ops/knn/index.ts";
import { chunkRows } from "../table/stream.ts";
import type { TableStream } from "../table/stream.ts";
import { Table } from "../table/table.ts";

/** Makes the table in chunks, since memory may hold the result but not a table of it besides. */
export function neighbourTable({
  indices,
  distances,
  k,
  counts,
}: Omit<KnnResult, "explanation">): TableStream {
  const places = indices.length;
  return {
    name: "the result",
    schema: ["query", "rank", "index", "distance"].map((name) => ({ name, kind: "numeric" })),
    guesses: [],
    rows: counts?.reduce((sum, count) => sum + count, 0) ?? places,
    once: false,
    async *chunks(options = {}) {
      const maxRows = chunkRows(options);
      for (let begin = 0; begin < places; begin += maxRows) {
        options.signal?.throwIfAborted();
        const part = Uint32Array.from({ length: Math.min(maxRows, places - begin) }, (_, at) => begin + at);
        const held = counts === undefined ? part : part.filter((at) => indices[at] !== NO_NEIGHBOR);
        if (held.length === 0) continue;
        const numbers = (of: (at: number) => number) => Float64Array.from(held, of);
        yield new Table([
          { kind: "numeric", name: "query", values: numbers((at) => Math.floor(at / k)) },
          { kind: "numeric", name: "rank", values: numbers((at) => at % k) },
          { kind: "numeric", name: "index", values: numbers((at) => indices[at]) },
          { kind: "numeric", name: "distance", values: numbers((at) => distances[at]) },
        ]);
      }
    },
  };
}
