/**
 * These are the tuned numbers of the distance tile and of the kernels that prepare rows and refine distances.
 * Tuning may change speed, never results. Nothing else is in here, so that planners may read it.
 */
import type { WorkgroupLimits } from "../../runtime/gpu/passes/pass.ts";

/** This says how a workgroup of distance_tile divides the matrix of distances among its lanes. */
export interface PairTile {
  /** The tile has this many rows; 16 columns are held at a time. */
  readonly queries: number;
  readonly refs: number;
  readonly depth: number;
  /** A lane has this many values along either side, multiples of 4. */
  readonly perQuery: number;
  readonly perRef: number;
}

/**
 * These tiles were measured on one H200 with 128 columns. 10,240 x 1,048,576: `wide` 68 ms without what
 * follows, of which the like with columns in a loop took 96; 8 columns at a time 73, rows of 4 x 8 values 83.
 * Its lanes take more than 128 registers where pairs are appended, which leaves one workgroup to an SM; 512
 * lanes cannot: 10,000 x 1,000,000 with k = 10 took 72.6 ms with `widest` and 80.7 with `wide`. 32 queries x
 * 1,000,000: 0.35 ms; 0.38 with 8 x 8 values of a lane, 0.36 with half the references (0.32 since loads do
 * not look for the end of slabs). 16 queries: 0.25; 0.28 with 256 references (0.22).
 */
export const pairTiles = {
  widest: { queries: 128, refs: 256, depth: 16, perQuery: 8, perRef: 8 },
  wide: { queries: 128, refs: 128, depth: 16, perQuery: 8, perRef: 8 },
  medium: { queries: 64, refs: 128, depth: 16, perQuery: 8, perRef: 8 },
  standard: { queries: 64, refs: 64, depth: 16, perQuery: 4, perRef: 4 },
  queries32: { queries: 32, refs: 128, depth: 16, perQuery: 8, perRef: 4 },
  queries16: { queries: 16, refs: 128, depth: 16, perQuery: 4, perRef: 4 },
} as const satisfies Record<string, PairTile>;

export type PairTileName = keyof typeof pairTiles;

/** A large tile needs at least so many workgroups to fill a large GPU. */
const WIDE_GROUPS = 264;

/** Returns the lanes of a workgroup with that tile. */
export function pairTileThreads(tile: PairTile): number {
  return (tile.queries / tile.perQuery) * (tile.refs / tile.perRef);
}

/**
 * Returns the most bytes of workgroup memory with that tile, but for the small tiles of epilogue_whole, which
 * assert that they fit any device.
 */
export function pairTileBytes(tile: PairTile): number {
  const { queries, refs, depth, perQuery, perRef } = tile;
  const slab = depth * (queries / 4 + refs / 4 + 1);
  const waiting = pairTileThreads(tile) * (perRef / 4);
  return (
    16 * Math.max(slab, (refs / 4) * ((2 * queries) / perQuery + 1), waiting) +
    4 * waiting +
    16 * (queries + refs) +
    16
  );
}

/**
 * Chooses a tile. A small batch takes the tile that holds it; larger ones the largest tile for which there is
 * memory and enough work. All of them sum in one order, so that values do not depend on the choice.
 */
export function choosePairTile(
  queryRows: number,
  refRows: number,
  limits: WorkgroupLimits = {},
): PairTileName {
  const small = smallTiles.find((name) => queryRows <= pairTiles[name].queries);
  const names = small ? [small] : largeTiles.filter((name) => fills(pairTiles[name], queryRows, refRows));
  return names.find((name) => fitsWorkgroup(pairTiles[name], limits)) ?? "standard";
}

/** Says whether a device has the lanes and the memory; it always has those for `standard`. */
export function fitsWorkgroup(
  tile: PairTile,
  { workgroupBytes = 16_384, workgroupThreads = 256 }: WorkgroupLimits,
): boolean {
  return pairTileBytes(tile) <= workgroupBytes && pairTileThreads(tile) <= workgroupThreads;
}

/** Says whether a large tile is worth its size. */
function fills(tile: PairTile, queryRows: number, refRows: number): boolean {
  const groups = Math.ceil(queryRows / tile.queries) * Math.ceil(refRows / tile.refs);
  return groups >= WIDE_GROUPS && queryRows > tile.queries / 2;
}

const smallTiles = ["queries16", "queries32"] as const;
const largeTiles = ["widest", "wide", "medium"] as const;

export const preparePolicy = {
  threads: 256,
  /**
   * So many lanes share a row, a power of two. Each sums a part of it, which keeps the sum accurate
   * (distance/bound/bound.ts).
   */
  rowLanes: 16,
} as const;

export const refinePolicy = {
  threads: 128,
  /** A multiply-add of float64 in u32 is worth so many of float32, roughly. */
  cost: 64,
} as const;
