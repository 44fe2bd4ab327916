/**
 * This module describes to TypeScript the part of the WASM module that sums columns of pairs in float32, with
 * the constants that both sides must agree on. The functions are described in wasm/.
 */
import type { DistanceCore } from "./core.ts";

/** The module has these functions. Addresses and pitches are in bytes, counts and depths are not. */
export interface TileKernels {
  packQueries(rows: number, count: number, pitch: number, depth: number, packed: number): void;
  packRefs(rows: number, count: number, pitch: number, depth: number, packed: number): void;
  sumTile(
    core: number,
    p: number,
    queries: number,
    refs: number,
    groups: number,
    depth: number,
    values: number,
    pitch: number,
    resume: boolean,
  ): void;
}

/** The cores are numbered as in wasm/terms.ts. */
export const CORES: readonly DistanceCore[] = ["dot", "l2", "l1", "linf", "lp"];

/** A register tile has so many queries and references, as in wasm/pack.ts. */
export const QUERIES = 4;
export const REFS = 8;
