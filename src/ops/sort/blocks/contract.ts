/**
 * This is the contract of the primitive `sort.merge`, which merges a stretch of two sorted runs. The sort of
 * a row in blocks is made of it (plan.ts beside this file). Only GPUs have it; ops/sort/cpu/merge.ts is that
 * of the host.
 */
import type { SortParams } from "../contract.ts";

/**
 * `sort.merge` writes to `keys` the places [begin, begin + count) of the keys of both runs in the order of a
 * sort by the same parameters; of equal keys those of the left run come first. With `carries`, `values` are
 * what the keys carry, to which `leftAdd` and `rightAdd` are added, modulo 2^32.
 */
export interface MergeParams extends Pick<SortParams, "type" | "descending" | "beginBit" | "endBit"> {
  readonly left: number;
  readonly right: number;
  readonly begin: number;
  readonly count: number;
  readonly carries: boolean;
  readonly leftAdd: number;
  readonly rightAdd: number;
}

/**
 * leftKeys, rightKeys      [left], [right], both sorted
 * leftValues, rightValues  u32 [left], [right], where keys carry words
 * keys, values             [count], no buffer of a run
 * cuts                     cutBytes(count), for the kernel
 *
 * Buffers of keys and values hold whole groups of 16 bytes.
 */
export type MergeBinding =
  "leftKeys" | "rightKeys" | "leftValues" | "rightValues" | "keys" | "values" | "cuts";
