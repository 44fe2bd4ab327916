/**
 * These are the blocks in which overlap-save multiplies spectra: 4096 points, of which a mask of P taps
 * leaves 4097 - P outputs. A longer mask is cut into parts, each of which is transformed by itself. It is
 * pure.
 */
import { ceilDiv } from "../../core/math.ts";

/**
 * Points of a transform: what 256 lanes hold in registers and exchange through 16 KiB of workgroup memory.
 */
export const POINTS = 4096;

export interface MaskParts {
  readonly parts: number;
  /** Every part has so many taps, but the last may have fewer. */
  readonly partTaps: number;
  /** A block gives so many outputs. */
  readonly hop: number;
  /** Parts are two and as long as a block has outputs, so that spectra of samples serve two blocks. */
  readonly chained: boolean;
}

/**
 * Cuts a mask so that the transforms of an output are fewest: one for each part, and one back. Two parts are
 * cheapest in a chain of blocks, which has one less.
 */
export function cutMask(taps: number): MaskParts {
  const half = POINTS / 2;
  if (taps > half + 1 && taps <= POINTS) return { parts: 2, partTaps: half, hop: half, chained: true };
  let best: MaskParts = { parts: Infinity, partTaps: 0, hop: 1, chained: false };
  for (let parts = ceilDiv(taps, POINTS); parts <= ceilDiv(taps, POINTS / 8); parts++) {
    const partTaps = ceilDiv(taps, parts);
    const hop = POINTS + 1 - partTaps;
    if ((parts + 1) / hop < (best.parts + 1) / best.hop) best = { parts, partTaps, hop, chained: false };
  }
  return { ...best, parts: ceilDiv(taps, best.partTaps) };
}

/** Returns the bytes of the twiddle factors, and of the spectra of all parts of all masks. */
export function spectraBytes(masks: number, taps: number): number {
  return (1 + masks * cutMask(taps).parts) * POINTS * 8;
}
