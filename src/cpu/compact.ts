/**
 * `compact` on the CPU: block after block through the WASM module on the main thread (local.ts says why). What it promises
 * stands in core/primitives/compact.ts.
 */
import { ELEMENT_BYTES, type CompactParams } from "../core/primitives.ts";
import { wordsOf, type Place } from "./buffers.ts";
import { eachBlock } from "./local.ts";
import type { RunArrays, RunContext } from "./runners.ts";

export async function runCompact(
  params: CompactParams,
  { input, flags, values, indices, found }: RunArrays<"compact">,
  context: RunContext,
): Promise<void> {
  const { count, firstIndex, capacity } = params;
  const { kernels, block, words, flags: blockFlags, flagBytes } = await context.local();
  const bytes = params.flags === "u8" ? 1 : ELEMENT_BYTES;
  const wide = bytes > 1;
  let done = 0;
  await eachBlock(count, context, (begin, end) => {
    const length = end - begin;
    flagBytes.set(new Uint8Array(flags.buffer, flags.byteOffset + begin * bytes, length * bytes));
    let kept = 0;
    if (params.indices) {
      kept = kernels.keepPlaces(blockFlags, wide, length, firstIndex + begin, block);
      append(indices, words, kept, done, capacity);
    }
    if (params.values) {
      words.set(wordsOf(input, begin, length));
      kept = kernels.keepFlagged(block, blockFlags, wide, length);
      append(values, words, kept, done, capacity);
    }
    done += kept;
  });
  wordsOf(found, 0, 1)[0] = done;
}

/** Writes the first `count` of some words behind the `done` ones that a place of `capacity` words has already. */
export function append(
  target: Place,
  words: Uint32Array,
  count: number,
  done: number,
  capacity: number,
): void {
  const room = Math.min(count, capacity - done);
  if (room > 0) wordsOf(target, done, room).set(words.subarray(0, room));
}
