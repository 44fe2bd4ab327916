/**
 * Which training rows may enter RapidMiner's heap, with their float64 distances: for now all of them, evaluated on the
 * host. Everything else of the compatible search depends on this one function only, so that a filter on the device can
 * take its place.
 */
import { readRow } from "../../core/matrix.ts";
import type { Matrix } from "../../core/matrix.ts";
import { Breather } from "../../engine/refine.ts";
import type { ExecuteOptions } from "../../engine/execute.ts";
import type { KnnIndex, KnnResult } from "../../operators/knn.ts";

/** Rows of one query in training order, among them every row that enters a heap of k. */
export interface Candidates {
  readonly rows: Uint32Array;
  readonly distances: Float64Array;
}

/**
 * Calls `take` once per query, in their order, with candidates that are overwritten by the next call.
 * @returns how it was done
 */
export async function candidatesInTrainingOrder(
  index: KnnIndex,
  queries: Matrix,
  take: (query: number, candidates: Candidates) => void,
  { signal, onProgress }: ExecuteOptions,
): Promise<KnnResult["explanation"]> {
  signal?.throwIfAborted();
  const start = performance.now();
  const { train, device } = index;
  const metric = index.metricFor(queries);
  const breathe = new Breather(signal);
  const candidates = {
    rows: Uint32Array.from({ length: train.rows }, (_, row) => row),
    distances: new Float64Array(train.rows),
  };
  const row = new Float64Array(train.cols);
  const query = new Float64Array(queries.cols);
  for (let q = 0; q < queries.rows; q++) {
    onProgress?.({ phase: "search", done: q, total: queries.rows });
    readRow(queries, q, query);
    metric.ready?.(query);
    for (let i = 0; i < train.rows; i++) {
      readRow(train, i, row);
      metric.ready?.(row);
      candidates.distances[i] = metric.distance(metric.rank(row, query));
      if ((i & 1023) === 1023) await breathe.between();
    }
    take(q, candidates);
    await breathe.between();
  }
  onProgress?.({ phase: "search", done: queries.rows, total: queries.rows });
  const pairs = queries.rows * train.rows;
  device.countRefined(pairs);
  return {
    backend: device.info.kind,
    device: device.info.name,
    note: device.note,
    technique: "float64 throughout",
    why: "RapidMiner's choice among tied rows depends on the order of all of them",
    references: `${train.rows.toLocaleString("en-US")} rows in host memory`,
    largestTile: undefined,
    jobs: 0,
    dispatches: 0,
    pairs: 0,
    refinedPairs: pairs,
    repeatedQueries: 0,
    exhaustiveQueries: queries.rows,
    timesMemoryHalved: 0,
    timesDeviceLost: 0,
    peakDeviceBytes: device.counters.peakBytes,
    seconds: (performance.now() - start) / 1000,
    stages: undefined,
  };
}
