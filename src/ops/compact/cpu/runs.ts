/**
 * `runLength` and `unique` on the CPU: block after block through the WASM module, in one pass on the main thread; by workers in
 * two, of which the first counts the runs that begin in each share. What they promise stands in core/primitives/.
 */
import type { ElementType, RunLengthParams, UniqueParams } from "../../../runtime/primitives.ts";
import { BLOCK, copyIn, type ArrayWasm } from "../../../runtime/cpu/arrayWasm.ts";
import { wordsOf, type Place } from "../../../runtime/cpu/buffers.ts";
import { append } from "./compact.ts";
import { eachStretch } from "../../../runtime/cpu/local.ts";
import type { RunArrays, RunContext } from "../../../runtime/cpu/runners.ts";
import { cutElements, mayShare, shareOut } from "../../../runtime/cpu/shares.ts";

/** Of unique only values. */
type Arrays = Readonly<Record<"input" | "values", Place>> & Partial<Record<"counts" | "offsets", Place>>;

interface RunParams {
  readonly type: ElementType;
  readonly count: number;
  readonly continued: boolean;
  readonly capacity: number;
  /** The index of element 0. */
  readonly firstIndex: number;
}

/** A part of the input. */
export interface RunCountTask {
  readonly params: RunParams;
  readonly input: Place;
  readonly begin: number;
  readonly end: number;
}

/** The runs that begin in a part: how many, and the indices of the first and the last one, if any. */
export interface RunCount {
  readonly found: number;
  readonly first: number;
  readonly last: number;
}

export interface RunWriteTask extends RunCountTask {
  readonly arrays: Arrays;
  /** How many runs begin before it. */
  readonly done: number;
  /** The index at which the last run that begins in it ends. */
  readonly close: number;
}

export function runUnique(
  params: UniqueParams,
  { input, values, found }: RunArrays<"unique">,
  context: RunContext,
): Promise<void> {
  return runRuns({ ...params, firstIndex: 0 }, { input, values }, found, context);
}

export function runRunLength(
  params: RunLengthParams,
  { input, values, counts, offsets, found }: RunArrays<"runLength">,
  context: RunContext,
): Promise<void> {
  return runRuns(params, { input, values, counts, offsets }, found, context);
}

async function runRuns(params: RunParams, arrays: Arrays, found: Place, context: RunContext): Promise<void> {
  const { workersForTwoPasses } = context.tuning;
  const workers = mayShare(params.count, Object.values(arrays), context, workersForTwoPasses);
  const run = workers ? runShares : runHere;
  wordsOf(found, 0, 1)[0] = await run(params, arrays, context);
}

async function runHere(params: RunParams, arrays: Arrays, context: RunContext): Promise<number> {
  const writer = new RunWriter(params, arrays, 0, await context.local("writes"));
  await eachStretch(params.count, context, (begin, end) => writer.write(begin, end));
  writer.close(params.firstIndex + params.count);
  return writer.done;
}

async function runShares(params: RunParams, arrays: Arrays, context: RunContext): Promise<number> {
  const { input } = arrays;
  const requests = cutElements(params.count, 1, context).map(([begin, end]) => ({
    params,
    input,
    begin,
    end,
  }));
  const counts: RunCount[] = [];
  const count = { kind: "runs.count", requests, task: runCountTask, portion: COUNT_PORTION } as const;
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
    kind: "runs.write",
    requests: writes,
    task: runWriteTask,
    writes: true,
    portion: 1 - COUNT_PORTION,
  } as const;
  await shareOut(write, context, () => {});
  return done;
}

/** The time of the first pass over that of both. */
const COUNT_PORTION = 0.4;

export function runCountTask({ params, input, begin, end }: RunCountTask, wasm: ArrayWasm): RunCount {
  const [offsets] = offsetsAndCounts(wasm);
  let runs: RunCount = { found: 0, first: 0, last: 0 };
  eachBlock(params, input, begin, end, wasm, true, (kept) => {
    const first = runs.found > 0 ? runs.first : offsets[0];
    if (kept > 0) runs = { found: runs.found + kept, first, last: offsets[kept - 1] };
  });
  return runs;
}

export function runWriteTask(
  { params, arrays, begin, end, done, close }: RunWriteTask,
  wasm: ArrayWasm,
): void {
  const writer = new RunWriter(params, arrays, done, wasm);
  writer.write(begin, end);
  writer.close(close);
}

/** Writes runs one behind the other. The length of a block's last run is known when the next run begins. */
class RunWriter {
  /** Runs found, and those before. */
  done: number;
  readonly #params: RunParams;
  readonly #arrays: Arrays;
  readonly #wasm: ArrayWasm;
  /** Where the last run begins that was found here. */
  #open: number | undefined;

  constructor(params: RunParams, arrays: Arrays, done: number, wasm: ArrayWasm) {
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

  /** Says where the last run ends. */
  close(end: number): void {
    const { counts } = this.#arrays;
    if (!counts || this.#open === undefined || this.done > this.#params.capacity) return;
    wordsOf(counts, this.done - 1, 1)[0] = end - this.#open;
  }
}

/** Has `work` done for block after block of a part, once the first elements of the block's runs are packed. */
function eachBlock(
  { type, continued, firstIndex }: RunParams,
  input: Place,
  begin: number,
  end: number,
  { kernels, block, words, results }: ArrayWasm,
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
}: ArrayWasm): readonly [offsets: Uint32Array, counts: Uint32Array] {
  return [
    new Uint32Array(words.buffer, results, BLOCK),
    new Uint32Array(words.buffer, results + BLOCK * 4, BLOCK),
  ];
}
