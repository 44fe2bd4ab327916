/**
 * This is the scratch of a sort on a GPU: words for the whole, whose places sort_state.wgsl has, and 256
 * words for each tile. Keys on their way lie in a buffer of their own, and so do the values that they carry.
 */
import { ceilDiv } from "../../core/math.ts";

/** A digit has this many values. */
export const RADIX = 256;
export const DIGIT_BITS = 8;

/** This many words come before those of tiles. */
const HEAD_WORDS = 2112;

export function scratchWords(count: number, tile: number): number {
  return HEAD_WORDS + RADIX * ceilDiv(count, tile);
}
