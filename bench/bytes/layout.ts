/** Where rows quantized to bytes lie in the buffer `quantized`, for the experiment of passes.ts. */
import { ceilDiv, roundUp } from "../../dist/core/math.js";
import type { KnnFilterParams } from "../../dist/ops/knn/contract/filter.js";

type QuantizedRows = Pick<KnnFilterParams, "queryRows" | "refRows" | "dims">;

/** The queries of a tile at most: their bytes are followed by what may be read of rows that are not there. */
const MOST_TILE_QUERIES = 128;

/** Returns the words of a row of bytes: 32 columns at a time. */
export function byteWords(dims: number): number {
  return roundUp(ceilDiv(dims, 4), 8);
}

/**
 * Returns where the parts begin, in vectors of 16 bytes: bytes of rows, their facts (knn_quantize.wgsl), and
 * two words that count pairs which were compared whole, and queries without room for theirs.
 */
export function quantizedPlaces({ queryRows, refRows, dims }: QuantizedRows) {
  const vectors = byteWords(dims) / 4;
  const queryBytes = refRows * vectors;
  const refFacts = queryBytes + (roundUp(queryRows, MOST_TILE_QUERIES) + 1) * vectors;
  const queryFacts = refFacts + refRows;
  return { refBytes: 0, queryBytes, refFacts, queryFacts, counts: queryFacts + queryRows };
}

export function quantizedSize(rows: QuantizedRows): number {
  return 16 * (quantizedPlaces(rows).counts + 1);
}
