/**
 * These are scans over tiles as plans and kernels see them: the sizes that their scratch and the association
 * of float32 sums depend on. The passes are not here: they are gpu/collectives/tileScan.ts.
 */
import { ceilDiv } from "../core/math.ts";

/** One workgroup scans so many elements. */
export const SCAN_TILE = 4096;
/** So many tiles make a group: all of their sums are combined at once, groups one after the other. */
export const SCAN_GROUP_TILES = 256;
/** A group has so many elements. */
export const SCAN_GROUP = SCAN_TILE * SCAN_GROUP_TILES;

/**
 * Returns the bytes of scratch: a total, a ticket, a flag and a free word; then two words per tile and per
 * group.
 */
export function scanScratchBytes(count: number): number {
  return 16 + 8 * (ceilDiv(count, SCAN_TILE) + ceilDiv(count, SCAN_GROUP));
}
