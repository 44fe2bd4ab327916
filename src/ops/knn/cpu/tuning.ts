/**
 * The tuned numbers of k-NN on the CPU. They change the speed and the memory, never a result: the tests run with tiny ones.
 * Searched on an EPYC 9005 (48 KiB L1, 1 MiB L2 per core) with 784, 128 and 32 columns; what is about quantized rows on an Intel
 * Xeon (model 167), the costs from a tile of 26 G products a second and rows looked at in the second-level cache.
 */
import type { DistanceCore } from "../contract/filter.ts";

export interface KnnTuning {
  /** Queries per task at most; more of them read each packed reference more often. */
  readonly queryRows: number;
  /** Queries per task below which tasks are not made smaller only to have more of them. */
  readonly fewestQueryRows: number;
  /** Bytes of the queries of a task at most, and of its candidate lists. */
  readonly queryBytes: number;
  readonly listBytes: number;
  /** Bytes of a packed tile of references: fits the second-level cache beside four queries. */
  readonly tileBytes: number;
  readonly tileRows: number;
  /** Bytes of the whole rows of a tile, where sketches decide which of them are looked at. */
  readonly rowsBytes: number;
  /** Queries per task at most with sketches, since every task copies all rows. */
  readonly sketchedQueryRows: number;
  /** Columns summed in one go; longer rows are summed in parts. A multiple of 4. */
  readonly depth: number;
  /** Queries per task from which on rows are first compared by integers of 16 bits: quantizing a row takes as long as some queries. */
  readonly fewestQuantized: number;
  /** What a pair that is compared whole costs, and what quantizing saves on every pair, in columns of a tile of float32. */
  readonly quantizedCost: {
    readonly whole: number;
    readonly wholeColumn: number;
    readonly saved: number;
    readonly savedColumn: number;
  };
  /** Tiles in a row at most that are not quantized because one left too many pairs. */
  readonly mostPaused: number;
  /** Cost units of a task, about a multiply-add each: a tenth of a second on a fast core. */
  readonly taskCost: number;
  /** Bytes of references that are copied for one task where memory is not shared. */
  readonly copyBytes: number;
}

export const knnTuning: KnnTuning = {
  queryRows: 400,
  fewestQueryRows: 100,
  queryBytes: 2 ** 23,
  listBytes: 2 ** 24,
  tileBytes: 2 ** 18,
  tileRows: 512,
  rowsBytes: 2 ** 20,
  sketchedQueryRows: 1024,
  depth: 2048,
  fewestQuantized: 48,
  quantizedCost: { whole: 150, wholeColumn: 1.5, saved: 4, savedColumn: 0.4 },
  mostPaused: 8,
  taskCost: 1.5e9,
  copyBytes: 2 ** 23,
};

/** Cost units of one column of one pair. */
export const columnCost: Readonly<Record<DistanceCore, number>> = {
  dot: 1,
  l2: 1.5,
  l1: 1.5,
  linf: 1.5,
  lp: 60,
};

/** How many times as much a column of codes or with gaps costs. */
export const mixedCost = 2;

/** Cost units of offering one pair to its list. */
export const pairCost = 16;
