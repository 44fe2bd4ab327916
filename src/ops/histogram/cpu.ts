/**
 * This module counts on the CPU, block by block in the WASM module and in shares (runtime/cpu/shares.ts),
 * with the keys and guides of ops/histogram/bins.ts. The counts of a share are added to the result at once.
 * The contract is ops/histogram/contract.ts.
 */
import { GUIDED } from "./bins.ts";
import { MAX_BINS, OUTSIDE, RANGE_WORDS, type HistogramBinding, type HistogramParams } from "./contract.ts";
import { BLOCK, copyIn, type Area, type ArrayWasm } from "../../runtime/cpu/arrayWasm.ts";
import { addressAt, wordsOf, type Address } from "../../runtime/cpu/buffers.ts";
import { TYPES } from "../../runtime/cpu/elements.ts";
import { addressesOf, type CpuContext, type CpuKernel } from "../../runtime/cpu/kernel.ts";
import { arrayHandler, arrayTask } from "../../runtime/cpu/task.ts";
import { cutRows, doHere, mayShare, shareOut } from "../../runtime/cpu/shares.ts";

/** These are the functions in wasm.ts; `type` is numbered as in runtime/cpu/elements.ts. */
interface HistogramKernels {
  countGuided: CountElements;
  countSearched: CountElements;
  addCounters(counters: number, bins: number): void;
}

type CountElements = (
  at: number,
  count: number,
  type: number,
  range: number,
  edges: number,
  counters: number,
  outside: number,
) => void;

type HistogramAddresses = Readonly<Record<HistogramBinding, Address>>;

/** A bin has so many counters in wasm.ts. */
const COUNTERS = 4;

/** It is a share of the input: some rows, or columns of one row, as a matrix of its own with its edges. */
export interface HistogramTask {
  readonly params: HistogramParams;
  readonly input: Address;
  readonly edges: Uint32Array;
  readonly ranges: Uint32Array;
}

/** A share counted so, as the bindings of these names have it. */
export interface HistogramTaskResult {
  readonly counts: Uint32Array;
  readonly outside: Uint32Array;
}

/** The most counts of a share, unless those of one row are more. */
const MOST_COUNTS = 2 ** 18;
/**
 * A worker needs so many bytes for each count of a share: as an edge and as a count, and both once more in a
 * message.
 */
const COUNT_BYTES = 16;

export const onCpu: CpuKernel<HistogramParams, HistogramBinding> = {
  run: (params, buffers, context) => histogram(params, addressesOf(buffers), context),
};

async function histogram(
  params: HistogramParams,
  arrays: HistogramAddresses,
  context: CpuContext,
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
  { input, edges, ranges, counts, outside }: HistogramAddresses,
  mostCounts: number,
  run: typeof shareOut | typeof doHere,
  context: CpuContext,
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
  // A message carries the whole buffer of a view.
  const toSend = (request: HistogramTask): HistogramTask => ({
    ...request,
    edges: request.edges.slice(),
    ranges: request.ranges.slice(),
  });
  await run({ task: countShare, requests, toSend }, context, (result, share) => {
    const { row, rows } = shares[share];
    addTo(wordsOf(counts, row * bins, rows * bins), result.counts);
    addTo(wordsOf(outside, row * OUTSIDE, rows * OUTSIDE), result.outside);
  });
}

function histogramTask(
  { params, input, edges, ranges }: HistogramTask,
  wasm: ArrayWasm<HistogramKernels>,
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
    const { counters, outside: found } = areasIn(wasm);
    wasm.kernels.addCounters(counters.at, bins);
    counts.set(counters.words.subarray(0, bins), row * bins);
    outside.set(found.words, row * OUTSIDE);
  }
  return { counts, outside };
}

/** Returns the places of the arrays in the module's memory, for a row of MAX_BINS. */
function areasIn({ rest }: ArrayWasm): Record<"edges" | "range" | "counters" | "outside", Area> {
  let end = 0;
  const take = (words: number): Area => {
    const begin = end;
    end += words;
    return { at: rest.at + begin * 4, words: rest.words.subarray(begin, end) };
  };
  return {
    edges: take(MAX_BINS),
    range: take(RANGE_WORDS),
    counters: take(MAX_BINS * COUNTERS),
    outside: take(OUTSIDE),
  };
}

function prepare(wasm: ArrayWasm<HistogramKernels>, keys: Uint32Array, words: Uint32Array): void {
  const { edges, range, counters, outside } = areasIn(wasm);
  edges.words.set(keys);
  range.words.set(words);
  counters.words.fill(0, 0, COUNTERS * keys.length);
  outside.words.fill(0);
}

function countBlock(
  { type }: HistogramParams,
  wasm: ArrayWasm<HistogramKernels>,
  ranges: Uint32Array,
  elements: Uint32Array,
): void {
  copyIn(wasm.words, elements);
  const [guard] = new Float32Array(ranges.buffer, ranges.byteOffset + 16, 1);
  const { edges, range, counters, outside } = areasIn(wasm);
  const number = TYPES.indexOf(type);
  const { kernels } = wasm;
  const add = guard < GUIDED ? kernels.countGuided : kernels.countSearched;
  add(wasm.block, elements.length, number, range.at, edges.at, counters.at, outside.at);
}

function addTo(sums: Uint32Array, more: Uint32Array): void {
  for (let i = 0; i < sums.length; i++) sums[i] += more[i];
}

const countShare = arrayTask("histogram", histogramTask);

export const handlers = [arrayHandler(countShare)];
