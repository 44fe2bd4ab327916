/** Writes neighbours as a file: a table of them all, or a matrix of their indices. */
import { writeMatrix, writeTable } from "../../io/index.ts";
import type { CsvWriteOptions, FormatName, Pieces } from "../../io/index.ts";
import type { KnnResult } from "../../node.ts";
import { Table, chunkRows } from "../../table/index.ts";
import type { TableStream } from "../../table/index.ts";

export function neighbourPieces(result: KnnResult, format: FormatName, csv: CsvWriteOptions): Pieces {
  const { indices, queries, k } = result;
  if (format === "csv" || format === "jsonl" || format === "json" || format === "parquet")
    return writeTable(format, neighbourTable(result), csv);
  return writeMatrix(format, { data: indices, rows: queries, cols: k });
}

/** Makes the table in chunks, since memory may hold the result but not a table of it besides. */
function neighbourTable({ indices, distances, k }: KnnResult): TableStream {
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
