/**
 * `histogram` on the CPU: block after block through the WASM module, in shares (shares.ts), with the keys and guesses of core/bins.ts.
 * What a share counts is added at once. What it promises stands in core/primitives/histogram.ts.
 */
import { GUIDED } from "./bins.ts";
import { OUTSIDE, RANGE_WORDS, type HistogramParams } from "../../runtime/primitives.ts";
import { BLOCK, copyIn, COUNTERS, type ArrayWasm } from "../../runtime/cpu/arrayWasm.ts";
import { addressAt, wordsOf, type Place } from "../../runtime/cpu/buffers.ts";
import { TYPES } from "../../runtime/cpu/elements.ts";
import type { RunArrays, RunContext } from "../../runtime/cpu/runners.ts";
import { cutRows, doHere, mayShare, shareOut } from "../../runtime/cpu/shares.ts";

/** Some rows, or columns of one row: a matrix of its own, with its edges. */
export interface HistogramTask {
  readonly params: HistogramParams;
  readonly input: Place;
  readonly edges: Uint32Array;
  readonly ranges: Uint32Array;
}

/** As the bindings of these names. */
export interface HistogramTaskResult {
  readonly counts: Uint32Array;
  readonly outside: Uint32Array;
}

/** Counts of a share at most, unless those of one row are more. */
const MOST_COUNTS = 2 ** 18;
/** Bytes of each count of a share while a worker has it: as an edge and as a count, and both once more in a message. */
const COUNT_BYTES = 16;

export async function runHistogram(
  params: HistogramParams,
  arrays: RunArrays<"histogram">,
  context: RunContext,
): Promise<void> {
  const { rows, cols, bins } = params;
  const { space, threads } = context;
  const affordable = Math.floor(space.free / (COUNT_BYTES * threads));
  const inWorkers = bins <= affordable && mayShare(rows * cols, [arrays.input], context);
  if (!inWorkers) return count(params, arrays, MOST_COUNTS, doHere, context);
  const most = Math.min(Math.max(MOST_COUNTS, bins), rows * bins, affordable);
  await space.holding(most * COUNT_BYTES * threads, () => count(params, arrays, most, shareOut, context));
}

async function count(
  params: HistogramParams,
  { input, edges, ranges, counts, outside }: RunArrays<"histogram">,
  mostCounts: number,
  run: typeof shareOut | typeof doHere,
  context: RunContext,
): Promise<void> {
  const { bins, cols, perRow } = params;
  const shares = cutRows(params, 1, Math.floor(mostCounts / bins), run === shareOut, context);
  const requests = shares.map(({ row, rows, column, cols: width }): HistogramTask => {
    const [set, sets] = perRow ? [row, rows] : [0, 1];
    return {
      params: { ...params, rows, cols: width },
      input: addressAt(input, row * cols + column),
      edges: wordsOf(edges, set * bins, sets * bins),
      ranges: wordsOf(ranges, set * RANGE_WORDS, sets * RANGE_WORDS),
    };
  });
  // A message takes the whole buffer of a view along.
  const toSend = (request: HistogramTask): HistogramTask => ({
    ...request,
    edges: request.edges.slice(),
    ranges: request.ranges.slice(),
  });
  await run({ kind: "histogram", requests, task: histogramTask, toSend }, context, (result, share) => {
    const { row, rows } = shares[share];
    addTo(wordsOf(counts, row * bins, rows * bins), result.counts);
    addTo(wordsOf(outside, row * OUTSIDE, rows * OUTSIDE), result.outside);
  });
}

export function histogramTask(
  { params, input, edges, ranges }: HistogramTask,
  wasm: ArrayWasm,
): HistogramTaskResult {
  const { bins, rows, cols, perRow } = params;
  const counts = new Uint32Array(rows * bins);
  const outside = new Uint32Array(rows * OUTSIDE);
  for (let row = 0; row < rows; row++) {
    const set = perRow ? row : 0;
    const range = ranges.subarray(set * RANGE_WORDS, (set + 1) * RANGE_WORDS);
    prepare(wasm, edges.subarray(set * bins, (set + 1) * bins), range);
    for (let column = 0; column < cols; column += BLOCK) {
      countBlock(params, wasm, range, wordsOf(input, row * cols + column, Math.min(BLOCK, cols - column)));
    }
    wasm.kernels.addCounters(wasm.bins.counters.at, bins);
    counts.set(wasm.bins.counters.words.subarray(0, bins), row * bins);
    outside.set(wasm.bins.outside.words, row * OUTSIDE);
  }
  return { counts, outside };
}

function prepare(
  { bins: { edges, range, counters, outside } }: ArrayWasm,
  keys: Uint32Array,
  words: Uint32Array,
): void {
  edges.words.set(keys);
  range.words.set(words);
  counters.words.fill(0, 0, COUNTERS * keys.length);
  outside.words.fill(0);
}

function countBlock(
  { type }: HistogramParams,
  { kernels, block, words, bins }: ArrayWasm,
  ranges: Uint32Array,
  elements: Uint32Array,
): void {
  copyIn(words, elements);
  const [guard] = new Float32Array(ranges.buffer, ranges.byteOffset + 16, 1);
  const { edges, range, counters, outside } = bins;
  const number = TYPES.indexOf(type);
  const add = guard < GUIDED ? kernels.countGuided : kernels.countSearched;
  add(block, elements.length, number, range.at, edges.at, counters.at, outside.at);
}

function addTo(sums: Uint32Array, more: Uint32Array): void {
  for (let i = 0; i < sums.length; i++) sums[i] += more[i];
}
