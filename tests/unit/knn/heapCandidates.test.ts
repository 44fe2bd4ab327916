/** That rows which may enter a heap are handed over without holding up the thread for long. */
import { afterEach, expect, it, vi } from "vitest";
import type { Matrix } from "../../../src/core/matrix.ts";
import { resolveMetric } from "../../../src/distance/anyMetric.ts";
import { takeHeapCandidates } from "../../../src/ops/knn/heapCandidates.ts";
import type { KeptLists } from "../../../src/ops/knn/heapCandidates.ts";

const ROWS = 5000;
const train: Matrix = { data: Float64Array.from({ length: ROWS }, (_, row) => row), rows: ROWS, cols: 1 };
const queries: Matrix = { data: Float64Array.of(0), rows: 1, cols: 1 };
const lists: KeptLists = {
  heads: Uint32Array.of(ROWS, 0),
  candidates: Uint32Array.from({ length: ROWS }, (_, at) => ROWS - 1 - at),
  capacity: ROWS,
  intervals: undefined,
  ranks: undefined,
  separates: false,
  places: undefined,
};

afterEach(() => vi.restoreAllMocks());

it.each([
  ["listed", lists],
  ["all", undefined],
])("stops while it evaluates the rows of a query that are %s", async (_, given) => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
  const stop = new AbortController();
  const taken: number[] = [];
  const replay = (query: number) => void taken.push(query);
  const metric = resolveMetric({ metric: "euclidean" });
  const rows = { begin: 0, end: 1 };
  const run = takeHeapCandidates(metric, train, queries, rows, given, { keep: replay, replay }, stop.signal);
  stop.abort(new Error("enough"));
  await expect(run).rejects.toThrow("enough");
  expect(taken).toEqual([]);
});
