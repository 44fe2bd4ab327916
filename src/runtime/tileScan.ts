/**
 * These are scans over tiles as plans and kernels see them: the sizes that their scratch and the association
 * of float32 sums depend on, and the choice of a path. The passes are not here: they are
 * gpu/collectives/tileScan.ts.
 */
import { ceilDiv } from "../core/math.ts";

/**
 * The path of a scan. "chained" is one pass, in which a tile waits for those before it. When a wait takes too
 * long, which it never should, the tile gives up, and one more pass does the work again. "blocks" are several
 * passes, none of which waits.
 * @example
 * const path: ScanPath = { method: "blocks", subgroups: false };
 * await sort(Uint32Array.of(3, 1, 2), { backend: "gpu", tuning: { path } }); // => [1, 2, 3]
 */
export interface ScanPath {
  readonly method: "chained" | "blocks";
  readonly subgroups?: boolean | undefined;
  /** Looks at what another tile has not yet left before giving up. */
  readonly patience?: number | undefined;
}

/** Elements that one workgroup scans. */
export const SCAN_TILE = 4096;
/** Tiles that make a group: all of their sums are combined at once, groups one after the other. */
export const SCAN_GROUP_TILES = 256;
/** Elements of a group. */
export const SCAN_GROUP = SCAN_TILE * SCAN_GROUP_TILES;

/**
 * Returns the bytes of scratch: a total, a ticket, a flag and a free word; then two words per tile and per
 * group.
 */
export function scanScratchBytes(count: number): number {
  return 16 + 8 * (ceilDiv(count, SCAN_TILE) + ceilDiv(count, SCAN_GROUP));
}
