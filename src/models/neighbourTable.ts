/** Neighbours as a table of one row for each: query, rank, index, distance. It is made in chunks. */
import type { KnnResult } from "../ops/knn/index.ts";
import { chunkRows } from "../table/stream.ts";
import type { TableStream } from "../table/stream.ts";
import { Table } from "../table/table.ts";

/** Makes the table in chunks, since memory may hold the result but not a table of it besides. */
export function neighbourTable({ indices, distances, k }: KnnResult): TableStream {
  const rows = indices.length;
  return {
    name: "the result",
    schema: ["query", "rank", "index", "distance"].map((name) => ({ name, kind: "numeric" })),
    guesses: [],
    rows,
    once: false,
    async *chunks(options = {}) {
      const maxRows = chunkRows(options);
      for (let begin = 0; begin < rows; begin += maxRows) {
        options.signal?.throwIfAborted();
        const part = distances.subarray(begin, begin + maxRows);
        const numbers = (of: (at: number) => number) => Float64Array.from(part, (_, at) => of(begin + at));
        yield new Table([
          { kind: "numeric", name: "query", values: numbers((at) => Math.floor(at / k)) },
          { kind: "numeric", name: "rank", values: numbers((at) => at % k) },
          { kind: "numeric", name: "index", values: numbers((at) => indices[at]) },
          { kind: "numeric", name: "distance", values: part },
        ]);
      }
    },
  };
}
