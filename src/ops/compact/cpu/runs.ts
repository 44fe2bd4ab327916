/**
 * This module computes `runLength` and `unique` on the CPU, block by block in the WASM module. The main
 * thread does it in one pass, workers in two, of which the first counts the runs that begin in each share.
 * The contracts are in ops/compact/contract/.
 */
import type { ElementType } from "../../../runtime/element.ts";
import type { RunLengthBinding, RunLengthParams } from "../contract/runLength.ts";
import type { UniqueBinding, UniqueParams } from "../contract/unique.ts";
import { BLOCK, copyIn, type ArrayWasm } from "../../../runtime/cpu/arrayWasm.ts";
import { wordsOf, type Address } from "../../../runtime/cpu/buffers.ts";
import { append } from "./compact.ts";
import { eachStretch } from "../../../runtime/cpu/local.ts";
import { addressesOf, type CpuContext, type CpuKernel } from "../../../runtime/cpu/kernel.ts";
import { arrayHandler, arrayTask } from "../../../runtime/cpu/task.ts";
import { cutElements, mayShare, shareOut, workersForTwoPasses } from "../../../runtime/cpu/shares.ts";

/** These functions in wasm.ts work on runs. */
interface RunKernels {
  keepHeads(
    at: number,
    floats: boolean,
    count: number,
    begins: boolean,
    before: number,
    offsets: number,
    first: number,
  ): number;
  differences(offsets: number, count: number, end: number, lengths: number): void;
}

/** The arrays of a call; `unique` has only values. */
type RunAddresses = Readonly<Record<"input" | "values", Address>> &
  Partial<Record<"counts" | "offsets", Address>>;

interface RunParams {
  readonly type: ElementType;
  readonly count: number;
  readonly continued: boolean;
  readonly capacity: number;
  /** Element 0 has this index. */
  readonly firstIndex: number;
}

/** This is about a part of the input. */
export interface RunCountTask {
  readonly params: RunParams;
  readonly input: Address;
  readonly begin: number;
  readonly end: number;
}

/** It has the number of runs that begin in a part, and the indices of the first and the last one, if any. */
export interface RunCount {
  readonly found: number;
  readonly first: number;
  readonly last: number;
}

export interface RunWriteTask extends RunCountTask {
  readonly arrays: RunAddresses;
  /** So many runs begin before it. */
  readonly done: number;
  /** The last run that begins in it ends at this index. */
  readonly close: number;
}

export const uniqueOnCpu: CpuKernel<UniqueParams, UniqueBinding> = {
  run: (params, buffers, context) => {
    const { input, values, found } = addressesOf(buffers);
    return runs({ ...params, firstIndex: 0 }, { input, values }, found, context);
  },
};

export const runLengthOnCpu: CpuKernel<RunLengthParams, RunLengthBinding> = {
  run: (params, buffers, context) => {
    const { found, ...arrays } = addressesOf(buffers);
    return runs(params, arrays, found, context);
  },
};

async function runs(
  params: RunParams,
  arrays: RunAddresses,
  found: Address,
  context: CpuContext,
): Promise<void> {
  const fewest = workersForTwoPasses(context);
  const workers = mayShare(params.count, Object.values(arrays), context, fewest);
  const run = workers ? runShares : runHere;
  wordsOf(found, 0, 1)[0] = await run(params, arrays, context);
}

async function runHere(params: RunParams, arrays: RunAddresses, context: CpuContext): Promise<number> {
  const writer = new RunWriter(params, arrays, 0, await context.local<RunKernels>("writes"));
  await eachStretch(params.count, context, (begin, end) => writer.write(begin, end));
  writer.close(params.firstIndex + params.count);
  return writer.done;
}

async function runShares(params: RunParams, arrays: RunAddresses, context: CpuContext): Promise<number> {
  const { input } = arrays;
  const requests = cutElements(params.count, 1, context).map(([begin, end]) => ({
    params,
    input,
    begin,
    end,
  }));
  const counts: RunCount[] = [];
  const count = { task: runsCount, requests, portion: COUNT_PORTION };
  await shareOut(count, context, (some, share) => (counts[share] = some));
  let done = 0;
  const writes = requests.map((request, share): RunWriteTask => {
    const next = counts.slice(share + 1).find(({ found }) => found > 0);
    const close = next?.first ?? params.firstIndex + params.count;
    const write = { ...request, arrays, done, close };
    done += counts[share].found;
    return write;
  });
  const write = {
    requests: writes,
    task: runsWrite,
    writes: true,
    portion: 1 - COUNT_PORTION,
  } as const;
  await shareOut(write, context, () => {});
  return done;
}

/** The first pass takes this share of the time of both. */
const COUNT_PORTION = 0.4;

function runCountTask({ params, input, begin, end }: RunCountTask, wasm: ArrayWasm<RunKernels>): RunCount {
  const [offsets] = offsetsAndCounts(wasm);
  let seen: RunCount = { found: 0, first: 0, last: 0 };
  eachBlock(params, input, begin, end, wasm, true, (kept) => {
    const first = seen.found > 0 ? seen.first : offsets[0];
    if (kept > 0) seen = { found: seen.found + kept, first, last: offsets[kept - 1] };
  });
  return seen;
}

function runWriteTask(
  { params, arrays, begin, end, done, close }: RunWriteTask,
  wasm: ArrayWasm<RunKernels>,
): void {
  const writer = new RunWriter(params, arrays, done, wasm);
  writer.write(begin, end);
  writer.close(close);
}

/** Writes runs one after the other. The length of a block's last run is known when the next run begins. */
class RunWriter {
  /** So many runs were found here and before. */
  done: number;
  readonly #params: RunParams;
  readonly #arrays: RunAddresses;
  readonly #wasm: ArrayWasm<RunKernels>;
  /** The last run that was found here begins at this index. */
  #open: number | undefined;

  constructor(params: RunParams, arrays: RunAddresses, done: number, wasm: ArrayWasm<RunKernels>) {
    this.#params = params;
    this.#arrays = arrays;
    this.done = done;
    this.#wasm = wasm;
  }

  write(begin: number, end: number): void {
    const { firstIndex, capacity } = this.#params;
    const { input, values, counts, offsets } = this.#arrays;
    const { kernels, words, results } = this.#wasm;
    const [offsetWords, countWords] = offsetsAndCounts(this.#wasm);
    eachBlock(this.#params, input, begin, end, this.#wasm, offsets !== undefined, (kept, at, length) => {
      if (kept === 0) return;
      append(values, words, kept, this.done, capacity);
      if (offsets && counts) {
        this.close(offsetWords[0]);
        kernels.differences(results, kept, firstIndex + at + length, results + BLOCK * 4);
        append(offsets, offsetWords, kept, this.done, capacity);
        append(counts, countWords, kept, this.done, capacity);
        this.#open = offsetWords[kept - 1];
      }
      this.done += kept;
    });
  }

  /** Takes the index at which the last run ends. */
  close(end: number): void {
    const { counts } = this.#arrays;
    if (!counts || this.#open === undefined || this.done > this.#params.capacity) return;
    wordsOf(counts, this.done - 1, 1)[0] = end - this.#open;
  }
}

/** Calls `work` for each block of a part, once the first elements of the block's runs are packed. */
function eachBlock(
  { type, continued, firstIndex }: RunParams,
  input: Address,
  begin: number,
  end: number,
  { kernels, block, words, results }: ArrayWasm<RunKernels>,
  withOffsets: boolean,
  work: (kept: number, at: number, length: number) => void,
): void {
  let before = begin > 0 || continued ? wordsOf(input, Math.max(begin - 1, 0), 1)[0] : undefined;
  for (let at = begin; at < end; at += BLOCK) {
    const length = Math.min(BLOCK, end - at);
    copyIn(words, wordsOf(input, at, length));
    const last = words[length - 1];
    const offsets = withOffsets ? results : 0;
    const begins = before === undefined;
    const kept = kernels.keepHeads(
      block,
      type === "f32",
      length,
      begins,
      before ?? 0,
      offsets,
      firstIndex + at,
    );
    before = last;
    work(kept, at, length);
  }
}

function offsetsAndCounts({
  words,
  results,
}: ArrayWasm<RunKernels>): readonly [offsets: Uint32Array, counts: Uint32Array] {
  return [
    new Uint32Array(words.buffer, results, BLOCK),
    new Uint32Array(words.buffer, results + BLOCK * 4, BLOCK),
  ];
}

const runsCount = arrayTask("runs.count", runCountTask);
const runsWrite = arrayTask("runs.write", runWriteTask);

export const handlers = [arrayHandler(runsCount), arrayHandler(runsWrite)];
