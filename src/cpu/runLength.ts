/**
 * `runLength` and `unique` on the CPU: block after block through the WASM module on the main thread (local.ts says why). What
 * they promise stands in core/primitives/.
 */
import type { RunLengthParams, UniqueParams } from "../core/primitives.ts";
import { wordsOf } from "./buffers.ts";
import { append } from "./compact.ts";
import { BLOCK, eachBlock } from "./local.ts";
import type { RunArrays, RunContext } from "./runners.ts";

export async function runUnique(
  { type, count, continued, capacity }: UniqueParams,
  { input, values, found }: RunArrays<"unique">,
  context: RunContext,
): Promise<void> {
  const { kernels, block, words } = await context.local();
  let before = continued && count > 0 ? wordsOf(input, 0, 1)[0] : undefined;
  let done = 0;
  await eachBlock(count, context, (begin, end) => {
    const length = end - begin;
    words.set(wordsOf(input, begin, length));
    const last = words[length - 1];
    const begins = before === undefined;
    const kept = kernels.keepHeads(block, type === "f32", length, begins, before ?? 0, 0, 0);
    append(values, words, kept, done, capacity);
    done += kept;
    before = last;
  });
  wordsOf(found, 0, 1)[0] = done;
}

/** The length of a block's last run is known when the next run begins. */
export async function runRunLength(
  { type, count, continued, capacity, firstIndex }: RunLengthParams,
  { input, values, counts, offsets, found }: RunArrays<"runLength">,
  context: RunContext,
): Promise<void> {
  const { kernels, block, words, results, resultWords } = await context.local();
  const [blockOffsets, blockCounts] = [results, results + BLOCK * 4];
  const unsigned = new Uint32Array(resultWords.buffer, results, 2 * BLOCK);
  const [offsetWords, countWords] = [unsigned.subarray(0, BLOCK), unsigned.subarray(BLOCK)];
  let before = continued && count > 0 ? wordsOf(input, 0, 1)[0] : undefined;
  let done = 0;
  /** Where the last run begins that was found. */
  let open = 0;
  const close = (end: number): void => {
    if (done > 0 && done <= capacity) wordsOf(counts, done - 1, 1)[0] = end - open;
  };
  await eachBlock(count, context, (begin, end) => {
    const length = end - begin;
    const first = firstIndex + begin;
    words.set(wordsOf(input, begin, length));
    const last = words[length - 1];
    const begins = before === undefined;
    const kept = kernels.keepHeads(block, type === "f32", length, begins, before ?? 0, blockOffsets, first);
    before = last;
    if (kept === 0) return;
    close(offsetWords[0]);
    kernels.differences(blockOffsets, kept, first + length, blockCounts);
    append(values, words, kept, done, capacity);
    append(offsets, offsetWords, kept, done, capacity);
    append(counts, countWords, kept, done, capacity);
    open = offsetWords[kept - 1];
    done += kept;
  });
  close(firstIndex + count);
  wordsOf(found, 0, 1)[0] = done;
}
