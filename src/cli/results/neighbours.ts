/** Writes neighbours as a file: a table of them all, or a matrix of their indices. */
import { writeMatrix, writeTable } from "../../io/index.ts";
import type { CsvWriteOptions, FormatName, Pieces } from "../../io/index.ts";
import { neighbourTable } from "../../models/neighbourTable.ts";
import type { KnnResult } from "../../node.ts";

export function neighbourPieces(result: KnnResult, format: FormatName, csv: CsvWriteOptions): Pieces {
  const { indices, queries, k } = result;
  if (format === "csv" || format === "jsonl" || format === "json" || format === "parquet")
    return writeTable(format, neighbourTable(result), csv);
  return writeMatrix(format, { data: indices, rows: queries, cols: k });
}
