/**
 * The tuned numbers of k-NN on the CPU. They change the speed and the memory, never a result: the tests run
 * with tiny ones. They were searched on an EPYC 9005 (48 KiB L1, 1 MiB L2 per core) with 784, 128 and 32
 * columns; those of quantized rows on an Intel Xeon (model 167), the costs from a tile of 26 G products a
 * second and rows read from the second-level cache.
 */
import type { DistanceCore } from "../contract/filter.ts";

export interface KnnTuning {
  /** The most queries per task; more of them read each packed reference more often. */
  readonly queryRows: number;
  /** Queries per task below which tasks are not made smaller only to have more of them. */
  readonly fewestQueryRows: number;
  /** The most bytes of the queries of a task, and of its candidate lists. */
  readonly queryBytes: number;
  readonly listBytes: number;
  /** Bytes of a packed tile of references, which fits the second-level cache beside four queries. */
  readonly tileBytes: number;
  readonly tileRows: number;
  /** Bytes of the whole rows of a tile, where sketches decide which of them are compared. */
  readonly rowsBytes: number;
  /** The most queries per task with sketches, since every task copies all rows. */
  readonly sketchedQueryRows: number;
  /** Columns that are summed at once, a multiple of 4; longer rows are summed in parts. */
  readonly depth: number;
  /**
   * The fewest queries per task for which rows are first compared by integers of 16 bits: quantizing a row
   * takes as long as some queries.
   */
  readonly fewestQuantized: number;
  /**
   * The cost of a pair that is compared whole, and what quantizing saves on every pair, in columns of a tile
   * of float32.
   */
  readonly quantizedCost: {
    readonly whole: number;
    readonly wholeColumn: number;
    readonly saved: number;
    readonly savedColumn: number;
  };
  /** The most tiles in a row that are not quantized because one left too many pairs. */
  readonly mostPaused: number;
  /** Cost units of a task, about a multiply-add each, that take a tenth of a second on a fast core. */
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

/** The cost units of one column of one pair. */
export const columnCost: Readonly<Record<DistanceCore, number>> = {
  dot: 1,
  l2: 1.5,
  l1: 1.5,
  linf: 1.5,
  lp: 60,
};

/** The cost of a column of codes or with gaps, as a multiple of that of other columns. */
export const mixedCost = 2;

/** The cost units of offering one pair to its list. */
export const pairCost = 16;
