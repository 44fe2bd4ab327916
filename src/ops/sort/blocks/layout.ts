/** This is the shape of a merge on a GPU: its tiles, and the bytes of its cuts. */
import { ceilDiv } from "../../../core/math.ts";

export const MERGE_THREADS = 256;

/** Returns the keys of a tile: every device holds this many in workgroup memory, with a word for each. */
export function mergeTile(words: 1 | 2): number {
  return (MERGE_THREADS * 8) / words;
}

export function cutBytes(count: number, words: 1 | 2): number {
  return (ceilDiv(count, mergeTile(words)) + 1) * 4;
}
